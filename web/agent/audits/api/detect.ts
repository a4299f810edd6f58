// All detectors, in the order in which they have a right to a call.

import { TAKEN, type Call } from "./call";
import { prepare, type Calls } from "./calls";
import { findChattyLoad, type Chatty } from "./chatty-load";
import { findDuplicates, type Duplicate } from "./duplicate-call";
import { linkCalls } from "./links";
import { findNPlusOnes, type NPlusOne } from "./n-plus-one";
import type { AuditInput } from "./types";
import { findWaterfalls, type Waterfall } from "./waterfall";

/** What the detectors saw; numbers and calls, no words. */
export interface Detection {
  readonly calls: Calls;
  readonly waterfalls: readonly Waterfall[];
  readonly nPlusOnes: readonly NPlusOne[];
  readonly duplicates: readonly Duplicate[];
  readonly chatty: Chatty | undefined;
}

/**
 * A fan-out takes its calls first, serial or doubled as they may be. Then
 * chains take one of each set of identical calls, and what is left of the set
 * is the duplicate.
 */
export function detect(input: AuditInput): Detection {
  const calls = prepare(input.calls);
  const actions = input.actions.filter((time) => Number.isFinite(time)).sort((a, b) => a - b);
  linkCalls(calls, actions);
  const nPlusOnes = findNPlusOnes(calls, actions);
  for (const fan of nPlusOnes) markTaken(fan.calls);
  const duplicates = findDuplicates(calls);
  const waterfalls = findWaterfalls(calls.list, duplicates);
  return { calls, waterfalls, nPlusOnes, duplicates, chatty: findChattyLoad(calls.list, input.navigationStart ?? 0) };
}

function markTaken(calls: readonly Call[]): void {
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call !== undefined) call.state |= TAKEN;
  }
}
