// What every audit answers. The Go side (internal/audit) reads the same shape;
// the examples in contract/reports are read by the tests of both.

export type Severity = "critical" | "warning" | "info";

export type Grade = "A" | "B" | "C" | "D" | "F";

/** One thing an audit has to say. */
export interface Finding {
  /** `<type>-<6 hex>`, the same from run to run for the same fault. */
  readonly id: string;
  readonly type: string;
  readonly severity: Severity;
  /** What it is about: a URL, a URL template, or a CSS selector. */
  readonly selector: string;
  readonly message: string;
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
}
