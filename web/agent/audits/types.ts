// What every audit answers. The Go side (internal/audit) reads the same shape;
// the examples in contract/reports are read by the tests of both.

export type Severity = "critical" | "warning" | "info";

export type Grade = "A" | "B" | "C" | "D" | "F";

/** The eight, in the order in which they are listed and run. */
export const AUDIT_NAMES = ["security", "accessibility", "performance", "seo", "dom", "css", "api", "loading"] as const;

export type AuditName = (typeof AUDIT_NAMES)[number];

/** A place in the page's own sources; line 0 or none: only the file is known. */
export interface Place {
  readonly file: string;
  readonly line?: number;
}

/** Where something was written: a place, or stacks that source maps lead to one. */
export interface Source {
  readonly place?: Place;
  readonly stacks?: readonly string[];
}

/** One thing an audit has to say. */
export interface Finding extends Source {
  /** `<type>-<6 hex>`, the same from run to run for the same fault. */
  readonly id: string;
  readonly type: string;
  readonly severity: Severity;
  /** What it is about: a URL, a URL template, or a CSS selector that fits one element; the page's path when it is about the whole page. */
  readonly selector: string;
  /** What is wrong → what to change; one line. */
  readonly message: string;
  /** How many elements (or files, or rules) break this rule. */
  readonly count?: number;
  /** Some of the others, as selectors or URLs. */
  readonly examples?: readonly string[];
  /** What it takes off the score; 0: told, not held against the page. */
  readonly weight?: number;
  /** An https address that explains the rule, or nothing. */
  readonly help?: string;
}

/** The whole answer of one audit. */
export interface Report<F extends Finding = Finding> {
  readonly audit: string;
  /** 0 to 100. */
  readonly score: number;
  readonly grade: Grade;
  readonly summary: string;
  /** ISO 8601, UTC. */
  readonly checkedAt: string;
  /** Every finding, grouped by type in the audit's own order. */
  readonly findings: readonly F[];
  /** The selector of each finding, in the same order. */
  readonly findingSelectors: readonly string[];
  /** The limits the detectors went by, by name. */
  readonly thresholds: Readonly<Record<string, number>>;
  /** How much was looked at; only the audit's own one is set. 0: nothing was there to be judged. */
  readonly callsAnalyzed?: number;
  readonly loadersAnalyzed?: number;
  readonly checksAnalyzed?: number;
  readonly elementsAnalyzed?: number;
  readonly metricsAnalyzed?: number;
  readonly rulesAnalyzed?: number;
  /** What had left its buffer before the audit. */
  readonly dropped?: number;
}
