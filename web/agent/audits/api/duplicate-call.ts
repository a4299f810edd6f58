// The same question asked again while the answer was still fresh.

import { ABORTED, COMPARABLE, FAILED, PREFLIGHT, READS, TAKEN, TICK, type Address, type Call, type Question } from "./call";
import type { Calls } from "./calls";
import { apart, lowerBound } from "./collect";
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
    const series = countable(all);
    const cluster = series.length < 2 ? series : densest(generations(series, writes));
    const first = cluster[0];
    const last = cluster[cluster.length - 1];
    if (cluster.length < 2 || first === undefined || last === undefined) continue;
    found.push({ calls: cluster, spanMs: apart(first.start, last.start), strictMode: false });
  }
  found.sort((a, b) => (a.calls[0]?.start ?? 0) - (b.calls[0]?.start ?? 0));
  return tellStrictMode(found);
}

function countable(calls: readonly Call[]): readonly Call[] {
  const out: Call[] = [];
  let count = 0;
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call !== undefined && (call.state & (COMPARABLE | ABORTED | TAKEN | PREFLIGHT)) === COMPARABLE) out[count++] = call;
  }
  return out;
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
 * stand each for itself, with only its own echoes beside it. What is left alone
 * by that is left out.
 */
function generations(series: readonly Call[], writes: Writes): Call[][] {
  const out: Call[][] = [];
  let current: Call[] = [];
  let before: Call | undefined;
  const url = series[0]?.asks.url;
  if (url !== undefined) writes.turnTo(url);
  for (let index = 0, total = series.length; index < total; index++) {
    const call = series[index];
    if (call === undefined) break;
    if (before !== undefined) {
      if ((before.state & FAILED) !== 0 && before.end <= call.start + LINK_EARLY_MS) current.length--;
      if (call.state >= POLL_MIN_CALLS * TICK || writes.between(before, call)) {
        if (current.length > 1) {
          out.push(current);
          current = [];
        } else current.length = 0;
      }
    }
    current[current.length] = call;
    before = call;
  }
  if (current.length > 1) out.push(current);
  return out;
}

/** The most calls that start within one window; of equals the closest, then the earliest. */
function densest(groups: readonly Call[][]): readonly Call[] {
  let best: readonly Call[] = [];
  let first = 0;
  let size = 0;
  let bestSpan = Infinity;
  for (let number = 0, total = groups.length; number < total; number++) {
    const group = groups[number];
    if (group === undefined || group.length < size) continue;
    let from = 0;
    for (let to = 0, total = group.length; to < total; to++) {
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

/** Calls that change something, by when they ended. To be asked about one question's calls after the other. */
class Writes {
  private readonly calls: Calls;
  /** When each ended, and the number of the URL it went to. */
  private ends: number[] | undefined;
  private readonly targets: number[] = [];
  private readonly origins: string[] = [];
  private readonly paths: string[] = [];
  /** Where the question goes that it is about, and by number whether a URL has to do with that: 1 it has, 2 it has not, 0 nobody asked. */
  private origin = "";
  private path = "";
  private related: Uint8Array | undefined;
  /** The first write that may be of interest. */
  private first = 0;

  constructor(calls: Calls) {
    this.calls = calls;
  }

  turnTo({ origin, path }: Address): void {
    this.origin = origin;
    this.path = trim(path);
    this.related = undefined;
    this.first = 0;
  }

  /** Whether something related was written after A was asked and before B was. Takes calls by start. */
  between(a: Call, b: Call): boolean {
    if ((b.state & READS) === 0) return false;
    const ends = (this.ends ??= this.collect());
    if (ends.length === 0) return false;
    const targets = this.targets;
    const first = lowerBound(ends, a.start, this.first);
    const latest = b.start + LINK_EARLY_MS;
    this.first = first;
    const last = first + MAX_WRITES < ends.length ? first + MAX_WRITES : ends.length;
    for (let index = first; index < last; index++) {
      if ((ends[index] ?? 0) > latest) return false;
      if (this.touches(targets[index] ?? 0)) return true;
    }
    return false;
  }

  private touches(target: number): boolean {
    const related = (this.related ??= new Uint8Array(this.paths.length));
    const known = related[target];
    if (known === 1) return true;
    if (known === 2) return false;
    const isOne = this.origins[target] === this.origin && isRelated(this.paths[target] ?? "", this.path);
    related[target] = isOne ? 1 : 2;
    return isOne;
  }

  private collect(): number[] {
    const ends: number[] = [];
    const numbers = new Map<Address, number>();
    const byEnd = this.calls.byEnd;
    for (let index = 0, total = byEnd.length; index < total; index++) {
      const call = byEnd[index];
      if (call === undefined || (call.state & (READS | FAILED | ABORTED)) !== 0) continue;
      const url = call.asks.url;
      let number = numbers.get(url);
      if (number === undefined) {
        number = this.paths.length;
        numbers.set(url, number);
        this.origins.push(url.origin);
        this.paths.push(trim(url.path));
      }
      this.targets[ends.length] = number;
      ends[ends.length] = call.end;
    }
    return ends;
  }
}

/** Without slashes at its end. */
function trim(path: string): string {
  return path.endsWith("/") ? path.replace(/\/+$/, "") : path;
}

/** One path lies beneath the other; takes them trimmed. */
function isRelated(a: string, b: string): boolean {
  const longer = a.length - b.length;
  if (longer === 0) return a === b && a !== "";
  const inner = longer > 0 ? a : b;
  const outer = longer > 0 ? b : a;
  return outer !== "" && inner.startsWith(outer) && inner[outer.length] === "/";
}
