// Between the axe bundle and the audit.

export type Impact = "critical" | "serious" | "moderate" | "minor";

/** One of axe-core's rules and the elements that break it. */
export interface AxeRule<E = Element> {
  readonly rule: string;
  readonly impact: Impact;
  /** What the rule asks for, in axe-core's words. */
  readonly help: string;
  readonly helpUrl: string;
  /** In the order of the document. */
  readonly elements: readonly E[];
  /** What the checks say about the first of them. */
  readonly details: readonly string[];
}

export interface AxeOutcome {
  readonly version: string;
  readonly violations: readonly AxeRule[];
  /** Rules that axe-core could not decide: a person must look. */
  readonly undecided: readonly AxeRule[];
}

/** What the axe bundle puts on __devtool. */
export interface Axe {
  run(): Promise<AxeOutcome>;
}
