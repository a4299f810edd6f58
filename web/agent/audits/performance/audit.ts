// The performance audit without a page: facts in, report out.

import { reportOf } from "../report";
import type { Draft } from "../report";
import type { Report } from "../types";
import { detectImages } from "./detect-images";
import { detectMetrics, metricsMeasured } from "./detect-metrics";
import { detectResources } from "./detect-resources";
import type { PerformanceFacts, Vitals } from "./facts";
import { THRESHOLDS } from "./thresholds";
import type { Told } from "./told";

/** All detectors, the metrics first. Pure. */
export function detect(facts: PerformanceFacts): Told[] {
  return [...detectMetrics(facts), ...detectImages(facts), ...detectResources(facts)];
}

/** With the values that were judged, when there are any. */
export interface PerformanceReport extends Report {
  readonly metrics?: Readonly<Record<string, number>>;
}

/** Pure: same input, same report. */
export function report(facts: PerformanceFacts, found: readonly Told[], selectors: ReadonlyMap<number, string>, now: number): PerformanceReport {
  const drafts = found.map((told) => draft(told, selectors, facts.path));
  const judged = reportOf({ audit: "performance", quality: "Performance", things: "metrics", analyzed: metricsMeasured(facts), drafts, thresholds: THRESHOLDS, now });
  const metrics = values(facts.vitals);
  return Object.keys(metrics).length === 0 ? judged : { ...judged, metrics };
}

function draft({ refs, ...told }: Told, selectors: ReadonlyMap<number, string>, path: string): Draft {
  const shown = (refs ?? []).map((ref) => selectors.get(ref) ?? "").filter((selector) => selector !== "");
  const examples = told.examples ?? shown.slice(1);
  return { ...told, selector: told.selector ?? shown[0] ?? path, examples };
}

/** The values themselves, in ms; CLS as a share. */
function values({ ttfb, fcp, lcp, cls, inp, tbt }: Vitals): Record<string, number> {
  const all = { ttfb, fcp, lcp: lcp?.value, cls: cls?.value, inp: inp?.value, tbt: tbt?.value };
  const out: Record<string, number> = {};
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) out[name] = Math.round(value * 1000) / 1000;
  }
  return out;
}
