import type { Stack } from "./stack";
import type { FileKind, PathTemplate } from "./template";
import type { UrlParts } from "./url";

/** One record as the detectors see it. */
export interface Call {
  readonly id: string;
  readonly method: string;
  readonly url: UrlParts;
  readonly template: PathTemplate;
  readonly file: FileKind;
  readonly start: number;
  /** Infinity while in flight. */
  readonly end: number;
  readonly duration: number;
  /** Ended, whatever came of it, at a time that makes sense. */
  readonly finished: boolean;
  /** An error of the network, or a status of 400 and above. */
  readonly failed: boolean;
  readonly status: number;
  readonly aborted: boolean;
  /** The browser's own question before a cross-origin call. */
  readonly preflight: boolean;
  readonly stack: Stack;
  readonly bodyKey: string | null;
  /** Equal for the same question: method, URL and body. */
  readonly key: number;
  /** Whether equal keys really mean equal questions: a body that was not read makes that unknowable. */
  readonly comparable: boolean;
  /** Equal for the turns of one poll, whatever they say they have seen. */
  readonly pollKey: number;
  /** Equal for the same method, origin and path template. */
  readonly templateKey: number;
  /** Asks again what failed or was given up before. */
  retry: boolean;
  /** Calls in the regular series it belongs to; 0 when it belongs to none. */
  ticks: number;
}
