/** One Web Vital as `__devtool.vitals()` gives it. Plain data. */
export interface Vital {
  readonly name: "TTFB" | "FCP" | "LCP" | "CLS" | "INP";
  /** Milliseconds; for CLS a share. */
  readonly value: number;
  readonly rating: "good" | "needs-improvement" | "poor";
  /** A short description of the element it is about. */
  readonly target?: string;
}
