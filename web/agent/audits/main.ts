// The audits bundle: loaded on first use, adds one helper per audit. Gathering
// is done here, where there is a page; everything else is a pure function.

import { auditCalls } from "./api/audit";
import type { ApiReport } from "./api/types";
import type { CallAPI } from "../calls";

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
    dropped: api.getStats().dropped,
    now: Date.now(),
  });
}

window.__devtool?.add("auditApi", "scores the recorded fetch and XHR calls: waterfalls, N+1, duplicates, chatty loads", auditApi);
