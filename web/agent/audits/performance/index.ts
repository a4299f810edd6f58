// The performance audit: gather, detect, report.

import { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import { EXAMPLES_MAX } from "../report";
import { selectorOf } from "../selector";
import { Slice } from "../slice";
import { detect, report } from "./audit";
import type { PerformanceReport } from "./audit";
import { gather } from "./gather";

export { watchVitals } from "./gather-vitals";

/** Judges how fast the page came, and what will make it slow elsewhere. */
export async function auditPerformance(input: AuditPageInput): Promise<PerformanceReport> {
  const slice = new Slice();
  const elements = new Elements();
  const facts = await gather(input, elements, slice);
  const found = detect(facts);
  const selectors = new Map<number, string>();
  for (const ref of found.flatMap((told) => (told.refs ?? []).slice(0, 1 + EXAMPLES_MAX))) {
    const element = elements.get(ref);
    if (element === undefined || selectors.has(ref)) continue;
    await slice.rest();
    selectors.set(ref, selectorOf(element));
  }
  return report(facts, found, selectors, Date.now());
}
