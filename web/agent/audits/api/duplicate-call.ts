// The same question asked again while the answer was still fresh.

import type { Call } from "./call";
import type { Calls } from "./calls";
import { apart, column, lowerBound } from "./collect";
import type { Link } from "./links";
import { DUPLICATE_WINDOW_MS, LINK_EARLY_MS, POLL_MIN_CALLS, STRICT_MODE_MS } from "./thresholds";

export interface Duplicate {
  /** The densest cluster, by start, at least two. */
  readonly calls: readonly Call[];
  readonly spanMs: number;
  readonly strictMode: boolean;
}

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
/** Writes looked at between two identical reads. */
const MAX_WRITES = 32;

/** At most one per method, URL and body; calls in `without` are left out. */
export function findDuplicates(calls: Calls, links: ReadonlyMap<Call, Link>, without: ReadonlySet<Call>): Duplicate[] {
  const writes = new Writes(calls.byEnd);
  const found: Duplicate[] = [];
  for (const all of calls.repeats) {
    const series = all.filter((call) => call.comparable && !call.aborted && !call.preflight && !without.has(call));
    const cluster = series.length < 2 ? [] : densest(generations(series, writes));
    const first = cluster[0];
    const last = cluster[cluster.length - 1];
    if (cluster.length < 2 || first === undefined || last === undefined) continue;
    found.push({ calls: cluster, spanMs: apart(first.start, last.start), strictMode: false });
  }
  found.sort((a, b) => (a.calls[0]?.start ?? 0) - (b.calls[0]?.start ?? 0));
  return tellStrictMode(found, links);
}

/** Marks the doublings of StrictMode. Takes duplicates by start, so that a doubled effect comes before what followed it. */
function tellStrictMode(found: readonly Duplicate[], links: ReadonlyMap<Call, Link>): Duplicate[] {
  const doubled = new Set<number>();
  return found.map((duplicate) => {
    const strictMode = isStrictMode(duplicate.calls) || followsDoubled(duplicate.calls, links, doubled);
    const key = duplicate.calls[0]?.key;
    if (strictMode && key !== undefined) doubled.add(key);
    return { ...duplicate, strictMode };
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
  for (const call of series) {
    const failed = before !== undefined && before.failed && before.end <= call.start + LINK_EARLY_MS;
    if (failed) current.pop();
    const turn = call.ticks >= POLL_MIN_CALLS;
    if (before !== undefined && (turn || writes.between(before, call))) {
      out.push(current);
      current = [];
    }
    current.push(call);
    before = call;
  }
  out.push(current);
  return out;
}

/** The most calls that start within one window; of equals the closest, then the earliest. */
function densest(groups: readonly Call[][]): Call[] {
  let best: Call[] = [];
  let bestSpan = Infinity;
  for (const group of groups) {
    let from = 0;
    for (let to = 0; to < group.length; to++) {
      while (spanOf(group, from, to) > DUPLICATE_WINDOW_MS) from++;
      const size = to - from + 1;
      const span = spanOf(group, from, to);
      if (size < best.length || (size === best.length && span >= bestSpan)) continue;
      best = group.slice(from, to + 1);
      bestSpan = span;
    }
  }
  return best;
}

function spanOf(group: readonly Call[], from: number, to: number): number {
  return apart(group[from]?.start ?? 0, group[to]?.start ?? 0);
}

/** React runs an effect twice in development: two calls from one place, the second from inside the doubling. */
function isStrictMode(cluster: readonly Call[]): boolean {
  const [first, second] = cluster;
  if (cluster.length !== 2 || first === undefined || second === undefined) return false;
  if (second.start - first.start > STRICT_MODE_MS || !second.stack.doubled || first.stack.doubled) return false;
  const place = first.stack.frames[0];
  return place === undefined || place === second.stack.frames[0];
}

/** Whether both of two calls waited for the two calls of a doubled effect: the doubling goes on down the chain. */
function followsDoubled(cluster: readonly Call[], links: ReadonlyMap<Call, Link>, doubled: ReadonlySet<number>): boolean {
  return cluster.length === 2 && cluster.every((call) => doubled.has(links.get(call)?.from.key ?? 0));
}

/** Calls that change something, by when they ended. */
class Writes {
  private readonly byEnd: readonly Call[];
  private readonly ends: Float64Array;

  /** Takes calls by end. */
  constructor(calls: readonly Call[]) {
    this.byEnd = calls.filter((call) => !READS.has(call.method) && !call.failed && !call.aborted);
    this.ends = column(this.byEnd, (call) => call.end);
  }

  /** Whether something related was written after A was asked and before B was. */
  between(a: Call, b: Call): boolean {
    if (!READS.has(b.method)) return false;
    const first = lowerBound(this.ends, a.start);
    for (let index = first; index < first + MAX_WRITES; index++) {
      const write = this.byEnd[index];
      if (write === undefined || write.end > b.start + LINK_EARLY_MS) return false;
      if (write.url.origin === b.url.origin && isRelated(write.url.path, b.url.path)) return true;
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
