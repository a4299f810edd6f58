// What went on around a start: how busy its own line of code was, and how
// often something ended anyway.

import type { Call } from "./call";
import type { Calls } from "./calls";
import { endsOf, lowerBound, onward, startsOf, upperBound } from "./collect";
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
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** How many had started or ended by each of the times that count for a start; they only grow. */
  private begun = 0;
  private over = 0;
  private recent = 0;
  private usualFrom = 0;
  private usualTo = 0;

  constructor(calls: Calls) {
    this.startRates = sums(calls.list, this.starts, false);
    this.endRates = sums(calls.byEnd, this.ends, true);
  }

  /**
   * Ends per millisecond to be expected around a start: each call under way
   * ends once in its duration, and what ended lately or is usual here counts
   * too, less two: the end under suspicion, and the one before it in a chain.
   */
  density(start: number): number {
    const ends = this.ends;
    const begun = (this.begun = onward(this.starts, this.begun, start - TIE_MS));
    const over = (this.over = onward(ends, this.over, start + LINK_EARLY_MS));
    const before = (this.recent = onward(ends, this.recent, start - RECENT_MS));
    const from = (this.usualFrom = onward(ends, this.usualFrom, start - USUAL_MS));
    const to = (this.usualTo = onward(ends, this.usualTo, start + USUAL_MS));
    const underWay = (this.startRates[begun] ?? 0) - (this.endRates[over] ?? 0);
    return Math.max(underWay, (over - before - 2) / RECENT_MS, (to - from - 2) / (2 * USUAL_MS), LEAST);
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
    const start = call.start;
    const end = call.end;
    const duration = end - start;
    if (duration >= USUAL_MS) continue;
    times[count++] = byEnd ? end : start;
    sum += duration > 1 ? 1 / duration : 1;
    out[count] = sum;
  }
  return out;
}
