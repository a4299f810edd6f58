import type { LoaderRecord } from "../../loader-record";
import type { Finding, Report } from "../types";

/** Everything the audit looks at. */
export interface LoadingInput {
  /** In any order. */
  readonly loaders: readonly LoaderRecord[];
  /** Which loaders' containers each region is in, outermost last; the whole page is none. */
  readonly within?: ReadonlyMap<string, readonly string[]>;
  /** When the user did something, on the loaders' clock, in any order. */
  readonly actions: readonly number[];
  /** Loaders that the recorder no longer holds. */
  readonly dropped: number;
  /** The moment of the audit on the loaders' clock: how long the ones still there have been seen. */
  readonly at: number;
  /** The same moment on the wall clock, ms since the epoch. */
  readonly now: number;
}

/** A loader with an end: the one recorded, or the moment of the audit. */
export interface Loader extends LoaderRecord {
  readonly end: number;
}

export interface LoadingFinding extends Finding {
  /** Of a cascade: loaders one after the other. */
  readonly depth?: number;
  readonly durationMs: number;
  /** The part of the page they stood in. */
  readonly container: string;
  /** Selectors of the loaders, each once, in the order in which they appeared. */
  readonly loaders: readonly string[];
  /** How often the same cascade ran; the longest run is the one described. */
  readonly occurrences?: number;
}

export interface LoadingReport extends Report<LoadingFinding> {
  readonly audit: "loading";
  readonly loadersAnalyzed: number;
  readonly dropped: number;
}
