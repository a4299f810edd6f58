import { draftsOf } from "../fault";
import type { Fault, Located } from "../fault";
import { reportOf } from "../report";
import type { Report } from "../types";
import type { CssFacts } from "./facts";
import { WEIGHTS } from "./rules";
import type { Rule } from "./rules";
import { THRESHOLDS } from "./thresholds";
import { WORDS } from "./words";

/** The report of what was detected. Pure: same input, same report. */
export function report(facts: CssFacts, faults: readonly Fault<Rule>[], located: Located, now: number): Report {
  return reportOf({
    audit: "css",
    quality: "CSS",
    things: "rules",
    analyzed: facts.rules.length,
    drafts: draftsOf(faults, { weights: WEIGHTS, words: WORDS, path: facts.where.path, located }),
    thresholds: THRESHOLDS,
    now,
  });
}
