// When the user last did something. A gap between two calls that a click
// explains is no waterfall, so the audits read this beside the call buffer.

import type { UserAction } from "./call-record";

/** How many actions are remembered. */
export const actionLimit = 256;

const ring: UserAction[] = [];
let next = 0;

/** Remembers an action. `time` is on the clock of `performance.now()`. */
export function noteAction(type: UserAction["type"], time: number): void {
  ring[next % actionLimit] = { type, time };
  next++;
}

/** The remembered actions, oldest first. */
export function getActions(): UserAction[] {
  const out: UserAction[] = [];
  for (let i = Math.max(0, next - actionLimit); i < next; i++) {
    const action = ring[i % actionLimit];
    if (action !== undefined) out[out.length] = { type: action.type, time: action.time };
  }
  return out;
}
