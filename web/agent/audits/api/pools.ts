// A queue is not a chain. When a pool of n workers, or a browser's six
// connections, works off a backlog, every call starts at the end of another,
// and yet nobody waits for an answer. A pool shows itself: the first n start
// together, and from then on the end of any of them, not just of one, is
// followed at once by the next start.

import type { Call } from "./call";
import { groupBy, orderBy } from "./collect";
import { LINK_EARLY_MS, LINK_LATE_MIN_MS } from "./thresholds";

/** Lanes that must hand over before a busy period counts as a pool; two could be two chains. */
const MIN_LANES = 3;
/** What a browser opens to one HTTP/1.1 origin; the only width believed without stacks. */
const BROWSER_LANES = 6;
/** The workers of a pool all start within this. */
const TOGETHER_MS = 50;

/** The calls that started because a worker or a connection came free. */
export function queuedCalls(calls: readonly Call[]): Set<Call> {
  const queued = new Set<Call>();
  const who = (call: Call): string | number => (call.stack.key === 0 ? call.url.origin : call.stack.key);
  for (const group of groupBy(calls, who).values()) {
    if (group.length < 2 * MIN_LANES) continue;
    for (const period of busyPeriods(group)) addQueued(period, queued);
  }
  return queued;
}

/** Stretches of time in which something was always under way. Takes calls by start. */
function busyPeriods(calls: readonly Call[]): Call[][] {
  const periods: Call[][] = [];
  let current: Call[] = [];
  let until = -Infinity;
  for (const call of calls) {
    if (!call.finished) continue;
    if (call.start > until + LINK_LATE_MIN_MS && current.length > 0) {
      periods.push(current);
      current = [];
    }
    current.push(call);
    until = Math.max(until, call.end);
  }
  if (current.length > 0) periods.push(current);
  return periods.filter((period) => period.length >= 2 * MIN_LANES);
}

/** Follows the lanes of one busy period and, if it was a pool, adds the calls that waited. */
function addQueued(period: readonly Call[], queued: Set<Call>): void {
  const first = period[0];
  if (first === undefined) return;
  const width = period.filter((call) => call.start - first.start <= TOGETHER_MS).length;
  const known = first.stack.key !== 0;
  if (width < MIN_LANES || width >= period.length || (!known && width !== BROWSER_LANES)) return;
  const ends = orderBy(period, (call) => call.end);
  const handing = new Set<number>();
  const waited = period.slice(width);
  const lane = new Map<Call, number>();
  period.slice(0, width).forEach((call, index) => lane.set(call, index));
  // In a saturated pool the n-th later start belongs to the n-th end.
  for (const [index, call] of waited.entries()) {
    const freed = ends[index];
    if (freed === undefined) return;
    const gap = call.start - freed.end;
    if (gap < -LINK_EARLY_MS || gap > LINK_LATE_MIN_MS) return;
    const number = lane.get(freed) ?? 0;
    lane.set(call, number);
    handing.add(number);
  }
  if (handing.size < (known ? MIN_LANES : MIN_LANES + 1)) return;
  for (const call of waited) queued.add(call);
}
