// The longest ways through the forest of links.

import { TAKEN, type Call } from "./call";
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
  const ways = new Ways(calls);
  // Followers start later than what they follow, so backwards every way down is known.
  for (let index = calls.length - 1; index >= 0; index--) {
    const link = calls[index]?.link;
    if (link !== undefined && isUsable(link)) ways.offer(link);
  }
  return ways.chains();
}

function isUsable(link: Link): boolean {
  return ((link.from.state | link.to.state) & TAKEN) === 0;
}

/** The best way down from each call, by place. */
class Ways {
  private readonly calls: readonly Call[];
  /** The place of the call after it plus one; 0 when there is none. */
  private readonly next: Uint32Array;
  private readonly lengths: Uint32Array;
  private readonly ends: Float64Array;

  constructor(calls: readonly Call[]) {
    this.calls = calls;
    this.next = new Uint32Array(calls.length);
    this.lengths = new Uint32Array(calls.length);
    this.ends = new Float64Array(calls.length);
  }

  /** Takes the link for its beginning's way if it is the best so far. */
  offer(link: Link): void {
    const from = link.from;
    const to = link.to;
    const length = 1 + (this.lengths[to.at] ?? 0);
    const end = this.next[to.at] === 0 ? to.end : (this.ends[to.at] ?? 0);
    const known = this.wayFrom(from.at);
    if (known !== undefined && !this.isBetter(link, known, length, end)) return;
    this.next[from.at] = to.at + 1;
    this.lengths[from.at] = length;
    this.ends[from.at] = end;
  }

  /** What shares a function before what does not; then what was released first; then the longer way; then, within one release, what ended last. */
  private isBetter(link: Link, known: Link, length: number, end: number): boolean {
    if ((link.relation === 2) !== (known.relation === 2)) return link.relation === 2;
    if (Math.abs(link.gap - known.gap) > WAVE_MS) return link.gap < known.gap;
    const lengths = this.lengths[known.from.at] ?? 0;
    return length === lengths ? end > (this.ends[known.from.at] ?? 0) : length > lengths;
  }

  /** The way on from a place. */
  private wayFrom(place: number): Link | undefined {
    const next = this.next[place] ?? 0;
    return next === 0 ? undefined : this.calls[next - 1]?.link;
  }

  /** From each call that goes on and is on no other's way. */
  chains(): Chain[] {
    const calls = this.calls;
    const next = this.next;
    const chains: Chain[] = [];
    for (let index = 0, total = calls.length; index < total; index++) {
      if (next[index] === 0) continue;
      const call = calls[index];
      if (call === undefined) continue;
      const link = call.link;
      if (link === undefined || next[link.from.at] !== index + 1) chains.push(this.walk(call));
    }
    return chains;
  }

  private walk(first: Call): Chain {
    const calls = [first];
    const links: Link[] = [];
    for (let link = this.wayFrom(first.at); link !== undefined; link = this.wayFrom(link.to.at)) {
      calls.push(link.to);
      links.push(link);
    }
    return chainFrom(calls, links);
  }
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
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call === undefined) break;
    if (call.start < start) start = call.start;
    if (call.end > end) end = call.end;
    const duration = call.end - call.start;
    if (duration > longest) longest = duration;
  }
  const wall = apart(start, end);
  return { chainLength: calls.length, serialWallMs: round(wall), maxSingleMs: round(longest), wastedMs: round(wall - longest) };
}

/** To tenths: what a clock in a page is good for. */
export function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
