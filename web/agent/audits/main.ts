// The audits bundle: loaded on first use, adds one helper per audit. Gathering
// is done here and in the audits' gather files, where there is a page;
// everything else is a pure function.

import { auditAccessibility } from "./accessibility";
import { runAll } from "./all";
import type { Audit } from "./all";
import { auditCalls } from "./api/audit";
import type { ApiReport } from "./api/types";
import type { CallAPI } from "../calls";
import { auditCss } from "./css";
import { auditDom } from "./dom";
import { readInput } from "./input";
import { auditLoading } from "./loading";
import { auditPerformance, watchVitals } from "./performance";
import { auditSecurity } from "./security";
import { auditSeo } from "./seo";

declare global {
  interface Window {
    __devtool_api?: CallAPI;
  }
}

/** The calls the page has made so far, judged. */
function auditApi(): ApiReport {
  const api = window.__devtool_api;
  if (api === undefined) throw new Error("the call buffer is not there");
  return auditCalls({
    calls: api.getCalls(),
    actions: api.getActions().map((action) => action.time),
    pageUrl: location.href,
    dropped: api.getDropped(),
    now: Date.now(),
  });
}

/** In the order in which they are run and listed. */
const audits: readonly Audit[] = [
  { name: "security", helper: "auditSecurity", help: "headers and cookies as the server sent them, keys, forms, mixed content, libraries with known holes", run: auditSecurity },
  { name: "accessibility", helper: "auditAccessibility", help: "axe-core's rules: what keeps people from using the page", run: auditAccessibility },
  { name: "performance", helper: "auditPerformance", help: "Web Vitals by Lighthouse's curves, blocking files, images, fonts, weight", run: auditPerformance },
  { name: "seo", helper: "auditSeo", help: "what search engines and link previews can make of the page", run: auditSeo },
  { name: "dom", helper: "auditDom", help: "the tree: its size, and what in it cannot work as written", run: auditDom },
  { name: "css", helper: "auditCss", help: "the stylesheets, and what they do to the page at this width", run: auditCss },
  { name: "api", helper: "auditApi", help: "scores the recorded fetch and XHR calls: waterfalls, N+1, duplicates, chatty loads", run: auditApi },
  { name: "loading", helper: "auditLoading", help: "scores how the page shows that it loads: loaders one after another, loaders side by side", run: auditLoading },
];

for (const audit of audits) {
  window.__devtool?.add(audit.helper, audit.help, (input?: unknown) => audit.run(readInput(input)));
}
window.__devtool?.add("auditAll", "runs every audit: one score and grade, the reports, how long each took", (input?: unknown) => {
  watchVitals();
  return runAll(audits, readInput(input));
});
