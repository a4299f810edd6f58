import type { CallRecord } from "../../call-record";
import type { Finding, Report, Severity } from "../types";

/** Everything the audit looks at; gathered by whoever has it, a page or a HAR file. */
export interface AuditInput {
  /** The buffer, in any order. Calls in flight have no end. */
  readonly calls: readonly CallRecord[];
  /** When the user did something, on the clock of the calls, in any order. */
  readonly actions: readonly number[];
  /** The page that made the calls. */
  readonly pageUrl: string;
  /** Navigation start on the clock of the calls; 0 for `performance.now()`. */
  readonly navigationStart?: number;
  /** Calls that the buffer no longer holds. */
  readonly dropped: number;
  /** Wall clock of the audit, ms since the epoch. */
  readonly now: number;
}

export type ApiFindingType = "waterfall" | "n-plus-one" | "duplicate-call" | "chatty-load" | "over-fetch-unavailable";

/** Whether the calls of a chain could have run side by side, as far as can be seen from outside. */
export type Parallelizable = "yes" | "no" | "unknown";

/** What every finding of this audit carries besides the contract's fields. */
interface ApiFindingBase extends Finding {
  readonly type: ApiFindingType;
  readonly severity: Severity;
  /** Ids of the calls it rests on. No call is in two of waterfall, n-plus-one and duplicate-call. */
  readonly calls: readonly string[];
  /** Call-time stacks of those calls, each once, the telling one first. */
  readonly stacks: readonly string[];
}

/** Cost of running one after the other. */
export interface SerialCost {
  readonly chainLength: number;
  readonly serialWallMs: number;
  readonly maxSingleMs: number;
  readonly wastedMs: number;
}

export interface WaterfallFinding extends ApiFindingBase, SerialCost {
  readonly type: "waterfall";
  /** `<METHOD> <path>` of each call in order. */
  readonly urls: readonly string[];
  readonly parallelizable: Parallelizable;
  /** Why, one line per link that says something. */
  readonly evidence: readonly string[];
  /** How often the same chain ran; the worst run is the one described. */
  readonly occurrences: number;
}

export interface NPlusOneFinding extends ApiFindingBase, Partial<SerialCost> {
  readonly type: "n-plus-one";
  readonly method: string;
  readonly count: number;
  /** How many different values stood for `{id}`. */
  readonly distinct: number;
  /** Some of the URLs, as the selectors are written. */
  readonly examples: readonly string[];
}

export interface DuplicateFinding extends ApiFindingBase {
  readonly type: "duplicate-call";
  readonly method: string;
  readonly count: number;
  /** First start to last start. */
  readonly spanMs: number;
  /** The doubling is React's StrictMode and will not happen in production. */
  readonly strictMode: boolean;
  /** The first of the identical calls, when another finding already counts it. */
  readonly sharedWith?: string;
}

export interface ChattyFinding extends ApiFindingBase {
  readonly type: "chatty-load";
  readonly count: number;
}

export interface OverFetchNote extends ApiFindingBase {
  readonly type: "over-fetch-unavailable";
}

export type ApiFinding = WaterfallFinding | NPlusOneFinding | DuplicateFinding | ChattyFinding | OverFetchNote;

export interface ApiReport extends Report<ApiFinding> {
  readonly audit: "api";
  readonly callsAnalyzed: number;
  /** Calls that were made but had left the buffer before the audit. */
  readonly dropped: number;
}
