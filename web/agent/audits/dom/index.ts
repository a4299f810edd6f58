// The DOM audit: gather, detect, report.

import { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import { Slice } from "../slice";
import type { Report } from "../types";
import { report } from "./audit";
import { detect } from "./detect";
import { gather } from "./gather";

/** Judges the tree: its size, and what in it cannot work as written. */
export async function auditDom(input: AuditPageInput): Promise<Report> {
  const slice = new Slice();
  const elements = new Elements();
  const facts = await gather(input, elements, slice);
  const faults = detect(facts);
  return report(facts, faults, await elements.locate(faults, slice), Date.now());
}
