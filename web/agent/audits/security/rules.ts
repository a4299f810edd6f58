// The rules of the security audit, in the order of the report, and what each
// takes off the score. This is the one place for weights.
//
// A dev server on the developer's own machine sends none of the headers that a
// deployment adds: there all of them are one note of weight 0. What is written
// in the page or in a cookie goes to production as it is, and counts anywhere.

import type { Weights } from "../fault";

export const WEIGHTS = {
  "secret-in-page": { critical: 25, warning: 6, info: 1 },
  "password-over-http": { critical: 25 },
  "mixed-content": { critical: 15, warning: 4, info: 2 },
  "form-insecure-action": { warning: 8 },
  "form-password-get": { warning: 8 },
  "vulnerable-library": { warning: 8, info: 2 },
  "csp-missing": { warning: 10 },
  "csp-report-only": { warning: 6, info: 0 },
  "csp-unsafe-inline": { warning: 8, info: 1 },
  "csp-unsafe-eval": { warning: 4, info: 0 },
  "csp-any-site": { warning: 6, info: 1 },
  "csp-gaps": { info: 1 },
  "csp-meta-ignored": { warning: 2 },
  "clickjacking": { warning: 5 },
  "frame-options-invalid": { warning: 3 },
  "content-type-sniffing": { warning: 4 },
  "hsts-missing": { warning: 5 },
  "hsts-short": { info: 1 },
  "referrer-leak": { warning: 3 },
  "version-banner": { info: 1 },
  "cookie-readable": { warning: 8, info: 0 },
  "cookie-not-secure": { warning: 6 },
  "cookie-refused": { warning: 5 },
  "cookie-no-samesite": { info: 1 },
  "script-no-integrity": { warning: 4 },
  "script-unpinned": { info: 1 },
  "sandbox-void": { warning: 3 },
  "blank-opener": { info: 1 },
  "inline-handlers": { warning: 4, info: 1 },
  "password-autocomplete-off": { info: 1 },
  "permissions-policy": { info: 0 },
  "production-headers": { info: 0 },
  "headers-not-seen": { info: 0 },
} as const satisfies Weights<string>;

export type Rule = keyof typeof WEIGHTS;

/** Rules that rest on what only the proxy can see. */
export const HEADER_RULES: readonly Rule[] = [
  "csp-missing",
  "csp-report-only",
  "clickjacking",
  "frame-options-invalid",
  "content-type-sniffing",
  "hsts-missing",
  "hsts-short",
  "version-banner",
  "cookie-readable",
  "cookie-not-secure",
  "cookie-refused",
  "cookie-no-samesite",
  "permissions-policy",
  "production-headers",
];

/** Rules that are not checks of their own. */
const NOTES: readonly Rule[] = ["headers-not-seen", "production-headers"];

/** How many checks were made. */
export function checksMade(headersSeen: boolean): number {
  return Object.keys(WEIGHTS).filter((rule) => {
    const is = (other: Rule): boolean => other === rule;
    return !NOTES.some(is) && (headersSeen || !HEADER_RULES.some(is));
  }).length;
}
