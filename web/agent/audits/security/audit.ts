import { draftsOf } from "../fault";
import type { Fault, Located } from "../fault";
import { reportOf } from "../report";
import type { Report } from "../types";
import { detectCookies } from "./detect-cookies";
import { detectHeaders } from "./detect-headers";
import { detectPage } from "./detect-page";
import type { SecurityFacts } from "./facts";
import { checksMade, WEIGHTS } from "./rules";
import type { Rule } from "./rules";
import { THRESHOLDS } from "./thresholds";
import { HELP, WORDS } from "./words";

/** All detectors, the page's own faults first. Pure. */
export function detect(facts: SecurityFacts): Fault<Rule>[] {
  return [...detectPage(facts), ...detectCookies(facts), ...detectHeaders(facts)];
}

/** The report of what was detected. Pure: same input, same report. */
export function report(facts: SecurityFacts, faults: readonly Fault<Rule>[], located: Located, now: number): Report {
  return reportOf({
    audit: "security",
    quality: "Security",
    things: "checks",
    analyzed: checksMade(facts.headers !== undefined),
    drafts: draftsOf(faults, { weights: WEIGHTS, words: WORDS, help: HELP, path: facts.where.path, located }),
    thresholds: THRESHOLDS,
    now,
  });
}
