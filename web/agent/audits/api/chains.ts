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

/**
 * Cuts the forest of links into chains: from each root the longest way down,
 * then from what is left. Calls that are taken belong to another finding and
 * cut a chain.
 */
export function chainsOf(calls: readonly Call[]): Chain[] {
  const ways = new Ways(calls.length);
  // Followers start later than what they follow, so backwards every way down is known.
  for (let index = calls.length - 1; index >= 0; index--) {
    const link = calls[index]?.link;
    if (link !== undefined && isUsable(link)) ways.offer(link);
  }
  const chains: Chain[] = [];
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index];
    if (call === undefined || call.taken || call.next === undefined) continue;
    const link = call.link;
    if (link !== undefined && isUsable(link) && link.from.next === link) continue;
    chains.push(walk(call));
  }
  return chains;
}

function isUsable(link: Link): boolean {
  return !link.from.taken && !link.to.taken;
}

/** The best way down from each call, by place. */
class Ways {
  private readonly lengths: Uint32Array;
  private readonly ends: Float64Array;

  constructor(size: number) {
    this.lengths = new Uint32Array(size);
    this.ends = new Float64Array(size);
  }

  /** Takes the link for its beginning's way if it is the best so far. */
  offer(link: Link): void {
    const to = link.to.at;
    const from = link.from.at;
    const length = 1 + (this.lengths[to] ?? 0);
    const end = link.to.next === undefined ? link.to.end : (this.ends[to] ?? 0);
    const known = link.from.next;
    if (known !== undefined && !this.isBetter(link, known, length, end)) return;
    link.from.next = link;
    this.lengths[from] = length;
    this.ends[from] = end;
  }

  /** What shares a function before what does not; then what was released first; then the longer way; then, within one release, what ended last. */
  private isBetter(link: Link, known: Link, length: number, end: number): boolean {
    if ((link.relation === 2) !== (known.relation === 2)) return link.relation === 2;
    if (Math.abs(link.gap - known.gap) > WAVE_MS) return link.gap < known.gap;
    const lengths = this.lengths[known.from.at] ?? 0;
    return length === lengths ? end > (this.ends[known.from.at] ?? 0) : length > lengths;
  }
}

function walk(first: Call): Chain {
  const calls = [first];
  const links: Link[] = [];
  for (let link = first.next; link !== undefined; link = link.to.next) {
    calls.push(link.to);
    links.push(link);
  }
  return chainFrom(calls, links);
}

export function chainFrom(calls: readonly Call[], links: readonly Link[]): Chain {
  const { chainLength, serialWallMs, maxSingleMs, wastedMs } = serialCost(calls);
  return { calls, links, chainLength, serialWallMs, maxSingleMs, wastedMs };
}

/** What running these one after the other cost against running them at once. */
export function serialCost(calls: readonly Call[]): SerialCost {
  let start = Infinity;
  let end = -Infinity;
  let longest = 0;
  for (const call of calls) {
    if (call.start < start) start = call.start;
    if (call.end > end) end = call.end;
    if (call.duration > longest) longest = call.duration;
  }
  const wall = apart(start, end);
  return { chainLength: calls.length, serialWallMs: round(wall), maxSingleMs: round(longest), wastedMs: round(wall - longest) };
}

/** To tenths: what a clock in a page is good for. */
export function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
