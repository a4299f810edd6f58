// From what an audit's detectors found to its report. Pure.

import { FindingIds } from "./finding-id";
import { scoreFindings } from "./score";
import type { AuditName, Finding, Report } from "./types";
import { clip, MESSAGE_MAX, oneLine, summaryOf } from "./words";

/** Examples that a finding carries besides its selector. */
export const EXAMPLES_MAX = 5;

/** A finding without its id, and with a weight. */
export interface Draft extends Omit<Finding, "id"> {
  readonly weight: number;
  /** What tells it from others of its type and stays the same from run to run; empty for a rule that is told once. */
  readonly key?: string;
}

/** What a report is made of. */
export interface Outcome {
  readonly audit: AuditName;
  /** What the summary is about: "<quality> is good." */
  readonly quality: string;
  readonly things: "calls" | "loaders" | "checks" | "elements" | "metrics" | "rules";
  readonly analyzed: number;
  readonly drafts: readonly Draft[];
  readonly thresholds: Readonly<Record<string, number>>;
  /** Wall clock of the audit, ms since the epoch. */
  readonly now: number;
  /** Said when nothing was there to be judged. */
  readonly empty?: string;
}

/** The report. An audit that analyzed nothing says nothing: no findings, no deduction. */
export function reportOf(outcome: Outcome): Report {
  const { analyzed, things } = outcome;
  const findings = analyzed === 0 ? [] : findingsOf(outcome.drafts);
  const result = scoreFindings(findings, (finding) => finding.weight ?? 0);
  const summary = summaryOf(outcome.quality, things, analyzed, result);
  return {
    audit: outcome.audit,
    score: result.score,
    grade: result.grade,
    summary: analyzed === 0 && outcome.empty !== undefined ? `${summary}. ${outcome.empty}` : summary,
    checkedAt: new Date(outcome.now).toISOString(),
    findings,
    findingSelectors: findings.map((finding) => finding.selector),
    thresholds: outcome.thresholds,
    [`${things}Analyzed`]: analyzed,
  };
}

function findingsOf(drafts: readonly Draft[]): Finding[] {
  const ids = new FindingIds();
  return drafts.map(({ key = "", examples, ...draft }) => ({
    id: ids.id(draft.type, "", key, draft.selector),
    ...draft,
    message: clip(oneLine(draft.message), MESSAGE_MAX),
    ...(examples === undefined || examples.length === 0 ? {} : { examples: examples.slice(0, EXAMPLES_MAX) }),
  }));
}
