// The security audit: gather, detect, report.

import { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import { Slice } from "../slice";
import type { Report } from "../types";
import { detect, report } from "./audit";
import { gather } from "./gather";

/** Judges what the page and its server give away. With what the proxy saw, headers and cookies too. */
export async function auditSecurity(input: AuditPageInput): Promise<Report> {
  const slice = new Slice();
  const elements = new Elements();
  const facts = await gather(input, elements, slice);
  const faults = detect(facts);
  return report(facts, faults, await elements.locate(faults, slice), Date.now());
}
