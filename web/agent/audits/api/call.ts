import type { Link } from "./links";
import type { Stack } from "./stack";
import type { FileKind, PathTemplate } from "./template";
import type { UrlParts } from "./url";

/** One URL, read once however often it was asked for. */
export interface Address extends UrlParts {
  readonly template: PathTemplate;
  readonly file: FileKind;
  /** The first question to it, mostly the only one. */
  question: Question | undefined;
  /** All of its questions by method and body, once there is more than one. */
  questions: Map<string, Question> | undefined;
  /** The template's parts, once somebody asked. */
  segments: readonly string[] | undefined;
  /** As it is written in findings, once somebody asked. */
  shown: string | undefined;
}

/** What makes calls ask the same: URL, method and body. One object for all that do. */
export interface Question {
  readonly url: Address;
  readonly method: string;
  readonly bodyKey: string | null;
  /** Only asks; changes nothing. */
  readonly reads: boolean;
  /** Whether calls with this question really ask the same: a body that was not read makes that unknowable. */
  readonly comparable: boolean;
  /** Those that would be turns of one poll, whatever they say they have seen. */
  readonly series: Series;
  /** Those of the same method, origin and path template; undefined where nothing in the URL can vary. */
  readonly kind: Kind | undefined;
  /** The parameters that may name one thing of many, once somebody asked. */
  places: readonly Place[] | undefined;
}

/** A parameter of one URL that may be the one that varies. */
export interface Place {
  readonly name: string;
  /** Equal for calls that differ in it alone. */
  readonly key: string;
  readonly template: string;
}

/** Calls by start. */
export interface Series {
  first: Call | undefined;
  /** All of them, once there is more than one. */
  calls: Call[] | undefined;
}

/** Calls to one endpoint. */
export interface Kind {
  readonly number: number;
  readonly template: string;
  /** Those that may be part of a fan-out, by start. */
  calls: Call[];
}

/** One record as the detectors see it. */
export interface Call {
  readonly id: string;
  readonly asks: Question;
  readonly stack: Stack;
  readonly start: number;
  /** Infinity while in flight, or when the clock makes no sense. */
  readonly end: number;
  readonly duration: number;
  readonly status: number;
  /** An error of the network, or a status of 400 and above. */
  readonly failed: boolean;
  readonly aborted: boolean;
  /** Asks again what failed or was given up before. */
  retry: boolean;
  /** Calls in the regular series it belongs to; 0 when it belongs to none. */
  ticks: number;
  /** Place among the calls by start. */
  at: number;
  /** What made it wait. */
  link: Link | undefined;
  /** The best way on from it; found with the chains. */
  next: Link | undefined;
  /** A fan-out has it; nothing else may. */
  taken: boolean;
}

/** The browser's own question before a cross-origin call. */
export function isPreflight(call: Call): boolean {
  return call.asks.method === "OPTIONS";
}
