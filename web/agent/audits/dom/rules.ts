// The rules of the DOM audit, in the order of the report, and what each takes
// off the score. List items outside lists, frames without titles and the like
// are the accessibility audit's.

import type { Weights } from "../fault";

export const WEIGHTS = {
  "quirks-mode": { warning: 6 },
  "dom-size": { info: 2, warning: 6, critical: 12 },
  "dom-depth": { warning: 3 },
  "many-children": { info: 2 },
  "duplicate-id": { warning: 4, info: 1 },
  "invalid-nesting": { warning: 4 },
  "obsolete-element": { warning: 3 },
  "broken-fragment": { warning: 2 },
  "label-for-nothing": { warning: 2 },
  "positive-tabindex": { warning: 2 },
  "several-autofocus": { info: 1 },
  "field-without-name": { info: 1 },
  "empty-src": { warning: 2 },
  "large-attribute": { info: 1 },
  "large-data-uri": { info: 2 },
  "large-inline-script": { info: 2 },
} as const satisfies Weights<string>;

export type Rule = keyof typeof WEIGHTS;
