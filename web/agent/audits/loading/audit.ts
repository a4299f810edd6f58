// The loading audit without a page: records in, report out.

import type { LoaderRecord } from "../../loader-record";
import { FindingIds } from "../finding-id";
import { scoreFindings } from "../score";
import { summaryOf } from "../words";
import { findCascades } from "./cascade";
import { findFragmentations } from "./fragmentation";
import { refreshes } from "./refresh";
import { THRESHOLDS } from "./thresholds";
import type { Loader, LoadingFinding, LoadingInput, LoadingReport } from "./types";
import { EMPTY_NOTE, wordCascades, wordFragmentations } from "./words";

/** Judges how a page shows that it loads. Pure: same input, same report. */
export function auditLoaders(input: LoadingInput): LoadingReport {
  const analyzed = input.loaders.length;
  const findings = detect(input);
  const result = scoreFindings(findings, (finding) => finding.weight ?? 0);
  const summary = summaryOf("Loading UX", "loaders", analyzed, result);
  return {
    audit: "loading",
    score: result.score,
    grade: result.grade,
    summary: analyzed === 0 ? `${summary}. ${EMPTY_NOTE}` : summary,
    checkedAt: new Date(input.now).toISOString(),
    findings,
    findingSelectors: findings.map((finding) => finding.selector),
    loadersAnalyzed: analyzed,
    dropped: input.dropped,
    thresholds: THRESHOLDS,
  };
}

function detect(input: LoadingInput): LoadingFinding[] {
  const actions = input.actions.filter((time) => Number.isFinite(time)).sort((a, b) => a - b);
  const loaders = prepare(input.loaders, input.at);
  const refreshing = refreshes(loaders);
  const cascades = findCascades(
    loaders.filter((loader) => !refreshing.has(loader)),
    actions,
    input.within ?? new Map<string, readonly string[]>(),
  );
  const ids = new FindingIds();
  return [...wordCascades(cascades, ids), ...wordFragmentations(findFragmentations(loaders), ids)];
}

/** By start; one that is still there ends now; what a broken clock left is passed over. */
function prepare(records: readonly LoaderRecord[], at: number): Loader[] {
  const loaders: Loader[] = [];
  for (const record of records) {
    const end = record.end ?? Math.max(at, record.start);
    if (Number.isFinite(record.start) && end >= record.start) loaders.push({ ...record, end });
  }
  return loaders.sort((a, b) => a.start - b.start || a.id - b.id);
}
