// The longest ways through the forest of links.

import type { Call } from "./call";
import { apart } from "./collect";
import type { Link } from "./links";
import type { SerialCost } from "./types";

export interface Chain extends SerialCost {
  /** In order, at least two. */
  readonly calls: readonly Call[];
  /** One fewer than calls. */
  readonly links: readonly Link[];
}

/** Starts this close to each other are one release. */
const WAVE_MS = 10;

interface Way {
  readonly length: number;
  readonly end: number;
  readonly next: Link;
}

/**
 * Cuts the forest into chains: from each root the longest way down, then from
 * what is left. Calls in `without` belong to another finding and cut a chain.
 */
export function chainsOf(calls: readonly Call[], links: ReadonlyMap<Call, Link>, without: ReadonlySet<Call>): Chain[] {
  const usable = (link: Link | undefined): link is Link => link !== undefined && !without.has(link.from) && !without.has(link.to);
  const ways = new Map<Call, Way>();
  // Followers start later than what they follow, so backwards every way down is known.
  for (let index = calls.length - 1; index >= 0; index--) {
    const call = calls[index];
    const link = call === undefined ? undefined : links.get(call);
    if (call === undefined || !usable(link)) continue;
    const below = ways.get(call);
    const way = { length: 1 + (below?.length ?? 0), end: below?.end ?? call.end, next: link };
    const known = ways.get(link.from);
    if (known === undefined || isBetter(way, known)) ways.set(link.from, way);
  }
  const chains: Chain[] = [];
  for (const call of calls) {
    const link = links.get(call);
    const followed = usable(link) && ways.get(link.from)?.next === link;
    const way = ways.get(call);
    if (!followed && way !== undefined && !without.has(call)) chains.push(walk(call, ways));
  }
  return chains;
}

/** What shares a function before what does not; then what was released first; then the longer way; then, within one release, what ended last. */
function isBetter(a: Way, b: Way): boolean {
  const x = a.next;
  const y = b.next;
  if ((x.relation === 2) !== (y.relation === 2)) return x.relation === 2;
  if (Math.abs(x.gap - y.gap) > WAVE_MS) return x.gap < y.gap;
  return a.length === b.length ? a.end > b.end : a.length > b.length;
}

function walk(first: Call, ways: ReadonlyMap<Call, Way>): Chain {
  const calls = [first];
  const links: Link[] = [];
  for (let way = ways.get(first); way !== undefined; way = ways.get(way.next.to)) {
    calls.push(way.next.to);
    links.push(way.next);
  }
  return chainFrom(calls, links);
}

export function chainFrom(calls: readonly Call[], links: readonly Link[]): Chain {
  return { calls, links, ...serialCost(calls) };
}

/** What running these one after the other cost against running them at once. */
export function serialCost(calls: readonly Call[]): SerialCost {
  let start = Infinity;
  let end = -Infinity;
  let longest = 0;
  for (const call of calls) {
    start = Math.min(start, call.start);
    end = Math.max(end, call.end);
    longest = Math.max(longest, call.duration);
  }
  const wall = apart(start, end);
  return { chainLength: calls.length, serialWallMs: round(wall), maxSingleMs: round(longest), wastedMs: round(wall - longest) };
}

/** To tenths: what a clock in a page is good for. */
export function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
