// The bundle of the API audit: loaded on first use, adds auditApi. It is one of
// its own because it is asked for most, and most often alone.

import type { CallAPI } from "../../calls";
import { auditCalls } from "./audit";
import type { ApiReport } from "./types";

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

window.__devtool?.add("auditApi", "scores the recorded fetch and XHR calls: waterfalls, N+1, duplicates, chatty loads", auditApi);
