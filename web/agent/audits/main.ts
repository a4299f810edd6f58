// The audits bundle: loaded on first use, adds one helper per audit. Gathering
// is done here and in the audits' gather files, where there is a page;
// everything else is a pure function.

import { auditAccessibility } from "./accessibility";
import { runAll } from "./all";
import type { Audit } from "./all";
import { auditCss } from "./css";
import { auditDom } from "./dom";
import { readInput } from "./input";
import { auditLoading } from "./loading";
import { auditPerformance, watchVitals } from "./performance";
import { auditSecurity } from "./security";
import { auditSeo } from "./seo";
import type { Report } from "./types";

/** The API audit, which has a bundle of its own. */
async function auditApi(): Promise<Report> {
  const tool = window.__devtool;
  const run: unknown = tool === undefined ? undefined : Reflect.get(tool, "auditApi");
  if (typeof run !== "function") throw new Error("the api bundle is not there");
  return await Reflect.apply(run, tool, []);
}

/** In the order in which they are run and listed. */
const audits: readonly Audit[] = [
  { name: "security", helper: "auditSecurity", help: "headers and cookies as the server sent them, keys, forms, mixed content, libraries with known holes", run: auditSecurity },
  { name: "accessibility", helper: "auditAccessibility", help: "axe-core's rules: what keeps people from using the page", run: auditAccessibility },
  { name: "performance", helper: "auditPerformance", help: "Web Vitals by Lighthouse's curves, blocking files, images, fonts, weight", run: auditPerformance },
  { name: "seo", helper: "auditSeo", help: "what search engines and link previews can make of the page", run: auditSeo },
  { name: "dom", helper: "auditDom", help: "the tree: its size, and what in it cannot work as written", run: auditDom },
  { name: "css", helper: "auditCss", help: "the stylesheets, and what they do to the page at this width", run: auditCss },
  { name: "api", run: auditApi },
  { name: "loading", helper: "auditLoading", help: "scores how the page shows that it loads: loaders one after another, loaders side by side", run: auditLoading },
];

for (const { helper, help, run } of audits) {
  if (helper !== undefined) window.__devtool?.add(helper, help ?? "", (input?: unknown) => run(readInput(input)));
}
window.__devtool?.add("auditAll", "runs every audit: one score and grade, the reports, how long each took", (input?: unknown) => {
  watchVitals();
  return runAll(audits, readInput(input));
});
