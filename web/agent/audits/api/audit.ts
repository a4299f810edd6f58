import { scoreFindings } from "../score";
import { summaryOf } from "../words";
import { detect } from "./detect";
import { THRESHOLDS } from "./thresholds";
import type { ApiFinding, ApiReport, AuditInput } from "./types";
import { weightOf } from "./weights";
import { EMPTY_NOTE, wordFindings } from "./words";

/** Judges how efficiently a page used fetch and XHR. Pure: same input, same report. */
export function auditCalls(input: AuditInput): ApiReport {
  const analyzed = input.calls.length;
  const findings: readonly ApiFinding[] = analyzed === 0 ? [] : wordFindings(detect(input), input.pageUrl);
  const result = scoreFindings(findings, weightOf);
  const summary = summaryOf("API efficiency", "calls", analyzed, result);
  return {
    audit: "api",
    score: result.score,
    grade: result.grade,
    summary: analyzed === 0 ? `${summary}. ${EMPTY_NOTE}` : summary,
    checkedAt: new Date(input.now).toISOString(),
    findings,
    findingSelectors: findings.map((finding) => finding.selector),
    callsAnalyzed: analyzed,
    dropped: input.dropped,
    thresholds: THRESHOLDS,
  };
}
