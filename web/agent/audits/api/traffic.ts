// What went on around a start: how busy its own line of code was, and how
// often something ended anyway.

import type { Call } from "./call";
import { column, groupBy, lowerBound, upperBound } from "./collect";
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

/** How densely ends lie in time. */
export class Traffic {
  private readonly starts: Float64Array;
  private readonly ends: Float64Array;
  private readonly startRates: Float64Array;
  private readonly endRates: Float64Array;

  /** Takes calls by start. */
  constructor(calls: readonly Call[]) {
    // What takes longer is background: it ends once, and hardly ever just here.
    const byStart = calls.filter((call) => call.duration < USUAL_MS);
    const byEnd = [...byStart].sort((a, b) => a.end - b.end);
    this.starts = column(byStart, (call) => call.start);
    this.ends = column(byEnd, (call) => call.end);
    this.startRates = sums(byStart);
    this.endRates = sums(byEnd);
  }

  /**
   * Ends per millisecond to be expected around a start: each call under way
   * ends once in its duration, and what ended lately or is usual here counts
   * too, less two: the end under suspicion, and the one before it in a chain.
   */
  density(start: number): number {
    const begun = lowerBound(this.starts, start - TIE_MS);
    const over = upperBound(this.ends, start + LINK_EARLY_MS);
    const underWay = (this.startRates[begun] ?? 0) - (this.endRates[over] ?? 0);
    const recent = (this.endsIn(start - RECENT_MS, start + LINK_EARLY_MS) - 2) / RECENT_MS;
    const usual = (this.endsIn(start - USUAL_MS, start + USUAL_MS) - 2) / (2 * USUAL_MS);
    return Math.max(underWay, recent, usual, LEAST);
  }

  private endsIn(from: number, to: number): number {
    return upperBound(this.ends, to) - lowerBound(this.ends, from);
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
