// What went on around a start: how busy its own line of code was, and how
// often something ended anyway.

import type { Call } from "./call";
import type { Calls } from "./calls";
import { Cursor, column, groupBy, lowerBound, upperBound } from "./collect";
import { LINK_EARLY_MS } from "./thresholds";

/** Times nearer to each other than this cannot be told apart. */
export const TIE_MS = 5;
/** Time before a start in which ends are counted. */
const RECENT_MS = 200;
/** Time before and after a start from which the page's usual traffic is known. */
const USUAL_MS = 1000;
/** Ends per millisecond that must always be reckoned with. */
const LEAST = 0.0003;

/** When each line of code had calls under way. Nothing is counted before it is asked for. */
export class Sites {
  private readonly calls: readonly Call[];
  private bySite: Map<number, Call[]> | undefined;
  private readonly times = new Map<number, { starts: Float64Array; ends: Float64Array }>();

  /** Takes calls by start. */
  constructor(calls: readonly Call[]) {
    this.calls = calls;
  }

  /** Whether the call's own line had another call under way, its companions in the same release aside. */
  busy(call: Call): boolean {
    const { starts, ends } = this.timesOf(call.stack.key);
    return lowerBound(starts, call.start - TIE_MS) > upperBound(ends, call.start + LINK_EARLY_MS);
  }

  private timesOf(site: number): { starts: Float64Array; ends: Float64Array } {
    let times = this.times.get(site);
    if (times === undefined) {
      this.bySite ??= groupBy(this.calls, (call) => call.stack.key);
      const calls = this.bySite.get(site) ?? [];
      times = { starts: column(calls, (call) => call.start), ends: column(calls, (call) => call.end).sort() };
      this.times.set(site, times);
    }
    return times;
  }
}

/** How densely ends lie in time. To be asked about later and later starts. */
export class Traffic {
  private readonly startRates: Float64Array;
  private readonly endRates: Float64Array;
  private readonly begun: Cursor;
  private readonly over: Cursor;
  private readonly recent: Cursor;
  private readonly usualFrom: Cursor;
  private readonly usualTo: Cursor;

  constructor(calls: Calls) {
    // What takes longer is background: it ends once, and hardly ever just here.
    const isTraffic = (call: Call): boolean => call.duration < USUAL_MS;
    const byStart = calls.list.filter(isTraffic);
    const byEnd = calls.byEnd.filter(isTraffic);
    const ends = column(byEnd, (call) => call.end);
    this.startRates = sums(byStart);
    this.endRates = sums(byEnd);
    this.begun = new Cursor(column(byStart, (call) => call.start));
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

/** Running sums of how often per millisecond each call ends. */
function sums(calls: readonly Call[]): Float64Array {
  const out = new Float64Array(calls.length + 1);
  calls.forEach((call, index) => {
    out[index + 1] = (out[index] ?? 0) + 1 / Math.max(1, call.duration);
  });
  return out;
}
