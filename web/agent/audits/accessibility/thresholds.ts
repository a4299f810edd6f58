// How axe-core's impacts become severities and weights. The weights are the
// ones Lighthouse gives the impacts.

import type { Severity } from "../types";
import type { Impact } from "./outcome";

/** What a broken rule takes off the score, however many elements break it: it is one thing to fix. */
export const IMPACT_WEIGHTS: Readonly<Record<Impact, number>> = { critical: 10, serious: 7, moderate: 3, minor: 1 };

/** Critical: some people cannot use it at all. Serious and moderate: it gets in their way. */
export const IMPACT_SEVERITIES: Readonly<Record<Impact, Severity>> = { critical: "critical", serious: "warning", moderate: "warning", minor: "info" };

export const THRESHOLDS = {
  criticalWeight: IMPACT_WEIGHTS.critical,
  seriousWeight: IMPACT_WEIGHTS.serious,
  moderateWeight: IMPACT_WEIGHTS.moderate,
  minorWeight: IMPACT_WEIGHTS.minor,
} as const;
