// The rules of the CSS audit, in the order of the report, and what each takes
// off the score. Contrast is the accessibility audit's, render blocking the
// performance audit's.

import type { Weights } from "../fault";

export const WEIGHTS = {
  "horizontal-overflow": { warning: 8 },
  "text-tiny": { warning: 3 },
  "unknown-property": { warning: 3 },
  "layout-animation": { warning: 4 },
  "stylesheet-twice": { warning: 3 },
  "stylesheet-failed": { warning: 4, info: 0 },
  "import-chain": { warning: 4, info: 1 },
  "stylesheet-large": { info: 2, warning: 5 },
  "unused-rules": { info: 2 },
  "important-overuse": { info: 2, warning: 5 },
  "specificity-high": { info: 1 },
  "duplicate-rules": { info: 1 },
  "z-index-escalation": { info: 1 },
  "motion-not-reduced": { info: 1 },
  "font-unused": { info: 1 },
  "stylesheet-unreadable": { info: 0 },
} as const satisfies Weights<string>;

export type Rule = keyof typeof WEIGHTS;
