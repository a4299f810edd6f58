// What went on around a start: how busy its own line of code was, and how
// often something ended anyway.

import type { Call } from "./call";
import type { Calls } from "./calls";
import { Cursor, endsOf, lowerBound, startsOf, upperBound } from "./collect";
import type { Stack } from "./stack";
import { LINK_EARLY_MS } from "./thresholds";

/** Times nearer to each other than this cannot be told apart. */
export const TIE_MS = 5;
/** Time before a start in which ends are counted. */
const RECENT_MS = 200;
/** Time before and after a start from which the page's usual traffic is known. */
const USUAL_MS = 1000;
/** So many calls are gone through faster than they are sorted. */
const FEW = 12;
/** Ends per millisecond that must always be reckoned with. */
const LEAST = 0.0003;

/** When each line of code had calls under way. Nothing is counted before it is asked for. */
export class Sites {
  private readonly times: ({ starts: Float64Array; ends: Float64Array } | undefined)[] = [];

  /** Whether the call's own line had another call under way, its companions in the same release aside. */
  busy(call: Call): boolean {
    const calls = call.stack.calls;
    const before = call.start - TIE_MS;
    const until = call.start + LINK_EARLY_MS;
    if (calls.length > FEW) return this.ofMany(call.stack, before, until);
    let underWay = 0;
    for (let index = 0, total = calls.length; index < total; index++) {
      const other = calls[index];
      if (other === undefined) break;
      if (other.start < before) underWay++;
      if (other.end <= until) underWay--;
    }
    return underWay > 0;
  }

  private ofMany(site: Stack, before: number, until: number): boolean {
    let times = this.times[site.key];
    if (times === undefined) {
      times = { starts: startsOf(site.calls), ends: endsOf(site.calls).sort() };
      this.times[site.key] = times;
    }
    return lowerBound(times.starts, before) > upperBound(times.ends, until);
  }
}

/** How densely ends lie in time. To be asked about later and later starts. */
export class Traffic {
  private readonly startRates: readonly number[];
  private readonly endRates: readonly number[];
  private readonly begun: Cursor;
  private readonly over: Cursor;
  private readonly recent: Cursor;
  private readonly usualFrom: Cursor;
  private readonly usualTo: Cursor;

  constructor(calls: Calls) {
    const starts: number[] = [];
    const ends: number[] = [];
    this.startRates = sums(calls.list, starts, false);
    this.endRates = sums(calls.byEnd, ends, true);
    this.begun = new Cursor(starts);
    this.over = new Cursor(ends);
    this.recent = new Cursor(ends);
    this.usualFrom = new Cursor(ends);
    this.usualTo = new Cursor(ends);
  }

  /**
   * Ends per millisecond to be expected around a start: each call under way
   * ends once in its duration, and what ended lately or is usual here counts
   * too, less two: the end under suspicion, and the one before it in a chain.
   */
  density(start: number): number {
    const begun = this.begun.upTo(start - TIE_MS);
    const over = this.over.upTo(start + LINK_EARLY_MS);
    const underWay = (this.startRates[begun] ?? 0) - (this.endRates[over] ?? 0);
    const recent = (over - this.recent.upTo(start - RECENT_MS) - 2) / RECENT_MS;
    const usual = (this.usualTo.upTo(start + USUAL_MS) - this.usualFrom.upTo(start - USUAL_MS) - 2) / (2 * USUAL_MS);
    return Math.max(underWay, recent, usual, LEAST);
  }
}

/**
 * Running sums of how often per millisecond each call ends, and beside them
 * when each started or ended. What takes longer than usual is background and
 * left out: it ends once, and hardly ever just here.
 */
function sums(calls: readonly Call[], times: number[], byEnd: boolean): number[] {
  const out = [0];
  let sum = 0;
  let count = 0;
  for (let index = 0, total = calls.length; index < total; index++) {
    const call = calls[index];
    if (call === undefined) break;
    const { start, end } = call;
    const duration = end - start;
    if (duration >= USUAL_MS) continue;
    times[count++] = byEnd ? end : start;
    sum += duration > 1 ? 1 / duration : 1;
    out[count] = sum;
  }
  return out;
}
