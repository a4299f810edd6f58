import type { ApiFinding } from "./types";

/** What each finding takes off the score. */
export const WEIGHTS = {
  waterfallCritical: 18,
  waterfallWarning: 10,
  nPlusOne: 10,
  duplicateCall: 8,
  chattyInfo: 3,
  chattyWarning: 6,
  chattyCritical: 10,
} as const;

export function weightOf(finding: ApiFinding): number {
  switch (finding.type) {
    case "waterfall":
      return finding.severity === "critical" ? WEIGHTS.waterfallCritical : WEIGHTS.waterfallWarning;
    case "n-plus-one":
      return WEIGHTS.nPlusOne;
    case "duplicate-call":
      // What only development does is told, not held against the page.
      return finding.strictMode ? 0 : WEIGHTS.duplicateCall;
    case "chatty-load":
      if (finding.severity === "critical") return WEIGHTS.chattyCritical;
      return finding.severity === "warning" ? WEIGHTS.chattyWarning : WEIGHTS.chattyInfo;
    case "over-fetch-unavailable":
      return 0;
  }
}
