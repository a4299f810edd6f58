import { draftsOf } from "../fault";
import type { Fault, Located } from "../fault";
import { reportOf } from "../report";
import type { Report } from "../types";
import { detectBody } from "./detect-body";
import { detectHead } from "./detect-head";
import type { SeoFacts } from "./facts";
import { checksMade, WEIGHTS } from "./rules";
import type { Rule } from "./rules";
import { THRESHOLDS } from "./thresholds";
import { WORDS } from "./words";

/** All detectors. Pure. A page that came with an error is not judged further: it is not the page. */
export function detect(facts: SeoFacts): Fault<Rule>[] {
  const head = detectHead(facts);
  const failed = head.filter((fault) => fault.rule === "status-error");
  return failed.length > 0 ? failed : [...head, ...detectBody(facts)];
}

/** The report of what was detected. Pure: same input, same report. */
export function report(facts: SeoFacts, faults: readonly Fault<Rule>[], located: Located, now: number): Report {
  return reportOf({
    audit: "seo",
    quality: "SEO",
    things: "checks",
    analyzed: checksMade(facts.status > 0),
    drafts: draftsOf(faults, { weights: WEIGHTS, words: WORDS, path: facts.where.path, located }),
    thresholds: THRESHOLDS,
    now,
  });
}
