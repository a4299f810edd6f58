// The same question asked again while the answer was still fresh.

import { isPreflight, type Call, type Question } from "./call";
import type { Calls } from "./calls";
import { apart, endsOf, lowerBound } from "./collect";
import { DUPLICATE_WINDOW_MS, LINK_EARLY_MS, POLL_MIN_CALLS, STRICT_MODE_MS } from "./thresholds";

export interface Duplicate {
  /** The densest cluster, by start, at least two. */
  readonly calls: readonly Call[];
  readonly spanMs: number;
  readonly strictMode: boolean;
}

/** Writes looked at between two identical reads. */
const MAX_WRITES = 32;

/** At most one per method, URL and body; calls that are taken are left out. */
export function findDuplicates(calls: Calls): Duplicate[] {
  const writes = new Writes(calls);
  const found: Duplicate[] = [];
  for (const all of calls.repeats) {
    const series = all.filter(mayCount);
    const cluster = series.length < 2 ? [] : densest(generations(series, writes));
    const first = cluster[0];
    const last = cluster[cluster.length - 1];
    if (cluster.length < 2 || first === undefined || last === undefined) continue;
    found.push({ calls: cluster, spanMs: apart(first.start, last.start), strictMode: false });
  }
  found.sort((a, b) => (a.calls[0]?.start ?? 0) - (b.calls[0]?.start ?? 0));
  return tellStrictMode(found);
}

function mayCount(call: Call): boolean {
  return call.asks.comparable && !call.aborted && !call.taken && !isPreflight(call);
}

/** Marks the doublings of StrictMode. Takes duplicates by start, so that a doubled effect comes before what followed it. */
function tellStrictMode(found: readonly Duplicate[]): Duplicate[] {
  const doubled = new Set<Question>();
  return found.map((duplicate) => {
    const strictMode = isStrictMode(duplicate.calls) || followsDoubled(duplicate.calls, doubled);
    const first = duplicate.calls[0];
    if (strictMode && first !== undefined) doubled.add(first.asks);
    return strictMode ? { ...duplicate, strictMode } : duplicate;
  });
}

/**
 * Splits a series where asking again was right: a retry takes the place of what
 * failed, a read after a related write starts anew, and the turns of a poll
 * stand each for itself, with only its own echoes beside it.
 */
function generations(series: readonly Call[], writes: Writes): Call[][] {
  const out: Call[][] = [];
  let current: Call[] = [];
  let before: Call | undefined;
  for (let index = 0; index < series.length; index++) {
    const call = series[index];
    if (call === undefined) break;
    if (before !== undefined) {
      if (before.failed && before.end <= call.start + LINK_EARLY_MS) current.pop();
      if (call.ticks >= POLL_MIN_CALLS || writes.between(before, call)) {
        out.push(current);
        current = [];
      }
    }
    current.push(call);
    before = call;
  }
  out.push(current);
  return out;
}

/** The most calls that start within one window; of equals the closest, then the earliest. */
function densest(groups: readonly Call[][]): readonly Call[] {
  let best: readonly Call[] = [];
  let first = 0;
  let size = 0;
  let bestSpan = Infinity;
  for (const group of groups) {
    let from = 0;
    for (let to = 0; to < group.length; to++) {
      let span = spanOf(group, from, to);
      while (span > DUPLICATE_WINDOW_MS) span = spanOf(group, ++from, to);
      const width = to - from + 1;
      if (width < size || (width === size && span >= bestSpan)) continue;
      best = group;
      first = from;
      size = width;
      bestSpan = span;
    }
  }
  return best.slice(first, first + size);
}

function spanOf(group: readonly Call[], from: number, to: number): number {
  return apart(group[from]?.start ?? 0, group[to]?.start ?? 0);
}

/** React runs an effect twice in development: two calls from one place, the second from inside the doubling. */
function isStrictMode(cluster: readonly Call[]): boolean {
  const [first, second] = cluster;
  if (cluster.length !== 2 || first === undefined || second === undefined) return false;
  if (second.start - first.start > STRICT_MODE_MS || !second.stack.doubled || first.stack.doubled) return false;
  const place = first.stack.top;
  return place === undefined || place === second.stack.top;
}

/** Whether both of two calls waited for the two calls of a doubled effect: the doubling goes on down the chain. */
function followsDoubled(cluster: readonly Call[], doubled: ReadonlySet<Question>): boolean {
  return cluster.length === 2 && doubled.size > 0 && cluster.every((call) => call.link !== undefined && doubled.has(call.link.from.asks));
}

/** Calls that change something, by when they ended. */
class Writes {
  private readonly calls: Calls;
  private byEnd: readonly Call[] | undefined;
  private ends: ArrayLike<number> = [];

  constructor(calls: Calls) {
    this.calls = calls;
  }

  /** Whether something related was written after A was asked and before B was. */
  between(a: Call, b: Call): boolean {
    if (!b.asks.reads) return false;
    if (this.byEnd === undefined) {
      this.byEnd = this.calls.byEnd.filter((call) => !call.asks.reads && !call.failed && !call.aborted);
      this.ends = endsOf(this.byEnd);
    }
    if (this.byEnd.length === 0) return false;
    const url = b.asks.url;
    const first = lowerBound(this.ends, a.start);
    for (let index = first; index < first + MAX_WRITES; index++) {
      const write = this.byEnd[index];
      if (write === undefined || write.end > b.start + LINK_EARLY_MS) return false;
      if (write.asks.url.origin === url.origin && isRelated(write.asks.url.path, url.path)) return true;
    }
    return false;
  }
}

/** One path lies beneath the other. */
function isRelated(a: string, b: string): boolean {
  const trim = (path: string): string => path.replace(/\/+$/, "");
  const x = trim(a);
  const y = trim(b);
  if (x === "" || y === "") return false;
  return x === y || x.startsWith(`${y}/`) || y.startsWith(`${x}/`);
}
