// Too many calls while the page is loading.

import type { Severity } from "../types";
import type { Call } from "./call";
import { apart } from "./collect";
import { CHATTY_CRITICAL_CALLS, CHATTY_INFO_CALLS, CHATTY_WARNING_CALLS, LOAD_WINDOW_MS } from "./thresholds";

export interface Chatty {
  readonly calls: readonly Call[];
  readonly severity: Severity;
}

/** Takes calls by start. */
export function findChattyLoad(calls: readonly Call[], navigationStart: number): Chatty | undefined {
  const early: Call[] = [];
  for (const call of calls) {
    const since = apart(navigationStart, call.start);
    if (since > LOAD_WINDOW_MS) break;
    if (since >= 0) early.push(call);
  }
  if (early.length <= CHATTY_INFO_CALLS) return undefined;
  if (early.length > CHATTY_CRITICAL_CALLS) return { calls: early, severity: "critical" };
  return { calls: early, severity: early.length > CHATTY_WARNING_CALLS ? "warning" : "info" };
}
