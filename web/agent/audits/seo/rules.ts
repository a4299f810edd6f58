// The rules of the SEO audit, in the order of the report, and what each takes
// off the score. Images without alternatives, the order of headings and names
// of links for screen readers are the accessibility audit's.

import type { Weights } from "../fault";

export const WEIGHTS = {
  "status-error": { critical: 20 },
  "noindex": { warning: 6, info: 0 },
  "title-missing": { critical: 12 },
  "title-several": { warning: 3 },
  "title-generic": { info: 2 },
  "title-length": { info: 1 },
  "description-missing": { warning: 5 },
  "description-several": { warning: 2 },
  "description-length": { info: 1 },
  "h1-missing": { warning: 4 },
  "h1-several": { info: 1 },
  "lang-missing": { warning: 3 },
  "charset": { warning: 4 },
  "viewport-missing": { warning: 8 },
  "viewport-fixed": { warning: 4 },
  "canonical-missing": { info: 0 },
  "canonical-several": { warning: 5 },
  "canonical-empty": { warning: 4 },
  "canonical-relative": { info: 1 },
  "canonical-elsewhere": { info: 2 },
  "canonical-root": { warning: 5 },
  "hreflang-invalid": { warning: 3 },
  "hreflang-relative": { warning: 2 },
  "meta-refresh": { warning: 4, info: 1 },
  "structured-data-broken": { warning: 6 },
  "structured-data-untyped": { warning: 3 },
  "link-not-crawlable": { warning: 3 },
  "link-no-text": { warning: 2 },
  "link-vague-text": { info: 1 },
  "hash-routing": { info: 2 },
  "social-incomplete": { info: 1 },
  "social-image-relative": { warning: 2 },
  "favicon-missing": { info: 0 },
  "text-thin": { info: 0 },
} as const satisfies Weights<string>;

export type Rule = keyof typeof WEIGHTS;

/** Rules that need what only the proxy can see. */
const SEEN_RULES: readonly Rule[] = ["status-error"];

export function checksMade(seen: boolean): number {
  return Object.keys(WEIGHTS).length - (seen ? 0 : SEEN_RULES.length);
}
