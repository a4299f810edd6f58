// The SEO audit: gather, detect, report.

import { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import { Slice } from "../slice";
import type { Report } from "../types";
import { detect, report } from "./audit";
import { gather } from "./gather";

/** Judges what search engines and link previews can make of the page. */
export async function auditSeo(input: AuditPageInput): Promise<Report> {
  const slice = new Slice();
  const elements = new Elements();
  const facts = await gather(input, elements, slice);
  const faults = detect(facts);
  return report(facts, faults, await elements.locate(faults, slice), Date.now());
}
