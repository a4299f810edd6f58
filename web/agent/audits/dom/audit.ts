import { draftsOf } from "../fault";
import type { Fault, Located } from "../fault";
import { reportOf } from "../report";
import type { Report } from "../types";
import type { DomFacts } from "./facts";
import { WEIGHTS } from "./rules";
import type { Rule } from "./rules";
import { THRESHOLDS } from "./thresholds";
import { WORDS } from "./words";

/** The report of what was detected. Pure: same input, same report. */
export function report(facts: DomFacts, faults: readonly Fault<Rule>[], located: Located, now: number): Report {
  return reportOf({
    audit: "dom",
    quality: "DOM",
    things: "elements",
    analyzed: facts.elements,
    drafts: draftsOf(faults, { weights: WEIGHTS, words: WORDS, path: facts.where.path, located }),
    thresholds: THRESHOLDS,
    now,
  });
}
