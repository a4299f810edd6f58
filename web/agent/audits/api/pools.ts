// A queue is not a chain. When a pool of n workers, or a browser's six
// connections, works off a backlog, every call starts at the end of another,
// and yet nobody waits for an answer. A pool shows itself: the first n start
// together, and from then on the end of any of them, not just of one, is
// followed at once by the next start.

import type { Call } from "./call";
import type { Calls } from "./calls";
import { groupBy, orderByEnd } from "./collect";
import { LINK_EARLY_MS, LINK_LATE_MIN_MS } from "./thresholds";

/** Lanes that must hand over before a busy period counts as a pool; two could be two chains. */
const MIN_LANES = 3;
/** What a browser opens to one HTTP/1.1 origin; the only width believed without stacks. */
const BROWSER_LANES = 6;
/** The workers of a pool all start within this. */
const TOGETHER_MS = 50;

/** Marks, by place, the calls that started because a worker or a connection came free. */
export function queuedCalls(calls: Calls): Uint8Array {
  const queued = new Uint8Array(calls.list.length);
  for (const stack of calls.stacks.all) addPools(stack.calls, queued);
  const bare = calls.stacks.none.calls;
  if (bare.length >= 2 * MIN_LANES) for (const group of groupBy(bare, originOf).values()) addPools(group, queued);
  return queued;
}

function originOf(call: Call): string {
  return call.asks.url.origin;
}

function addPools(group: readonly Call[], queued: Uint8Array): void {
  if (group.length < 2 * MIN_LANES) return;
  for (const period of busyPeriods(group)) addQueued(period, queued);
}

/** Stretches of time in which something was always under way. Takes calls by start. */
function busyPeriods(calls: readonly Call[]): Call[][] {
  const periods: Call[][] = [];
  let current: Call[] = [];
  let count = 0;
  let until = -Infinity;
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call === undefined) break;
    const end = call.end;
    if (end === Infinity) continue;
    if (call.start > until + LINK_LATE_MIN_MS && count > 0) {
      if (count >= 2 * MIN_LANES) {
        periods.push(current);
        current = [];
      } else current.length = 0;
      count = 0;
    }
    current[count++] = call;
    if (end > until) until = end;
  }
  if (count >= 2 * MIN_LANES) periods.push(current);
  return periods;
}

/** Follows the lanes of one busy period and, if it was a pool, marks the calls that waited. */
function addQueued(period: readonly Call[], queued: Uint8Array): void {
  const first = period[0];
  if (first === undefined) return;
  let width = 1;
  while (width < period.length && (period[width]?.start ?? Infinity) - first.start <= TOGETHER_MS) width++;
  const known = first.stack.key !== 0;
  if (width < MIN_LANES || width >= period.length || (!known && width !== BROWSER_LANES)) return;
  const ends = orderByEnd(period);
  const handing = new Set<number>();
  const lane = new Map<Call, number>();
  for (let index = 0, total = period.length; index < total; index++) {
    const call = period[index];
    if (call === undefined) return;
    if (index < width) {
      lane.set(call, index);
      continue;
    }
    // In a saturated pool the n-th later start belongs to the n-th end.
    const freed = ends[index - width];
    if (freed === undefined) return;
    const gap = call.start - freed.end;
    if (gap < -LINK_EARLY_MS || gap > LINK_LATE_MIN_MS) return;
    const number = lane.get(freed) ?? 0;
    lane.set(call, number);
    handing.add(number);
  }
  if (handing.size < (known ? MIN_LANES : MIN_LANES + 1)) return;
  for (let index = width; index < period.length; index++) queued[period[index]?.at ?? 0] = 1;
}
