// Series of the same question asked again and again on purpose.

import type { Call } from "./call";
import { LINK_EARLY_MS, LINK_LATE_MAX_MS, LONG_POLL_MS, POLL_MAX_JITTER, POLL_MIN_CALLS, POLL_MIN_INTERVAL_MS } from "./thresholds";

/** Three turns are the least that can show a rhythm. */
const MIN_TURNS = 3;
/** Calls this close to a turn are echoes of it, not turns. */
const ECHO_MS = 100;

/** Sets `ticks` on the calls of every regular series and of every long poll. Takes calls of one poll key by start. */
export function markPolling(series: readonly Call[]): void {
  if (series.length < MIN_TURNS) return;
  const turns = withoutEchoes(series);
  if (turns.length < MIN_TURNS) return;
  markRuns(turns, false);
  // A timer set when the answer is there: the pause is regular, the turns are not.
  markRuns(turns, true);
  markLongPolls(turns);
}

function withoutEchoes(series: readonly Call[]): readonly Call[] {
  const turns: Call[] = [];
  let before = -Infinity;
  for (let index = 0; index < series.length; index++) {
    const call = series[index];
    if (call === undefined) break;
    if (call.start - before > ECHO_MS) turns.push(call);
    before = call.start;
  }
  return turns;
}

/** Marks each stretch of turns whose distances, from start or from end to start, stay within the jitter of their mean. */
function markRuns(turns: readonly Call[], fromEnd: boolean): void {
  let first = 0;
  let rhythm = new Rhythm();
  for (let index = 1; index <= turns.length; index++) {
    const before = turns[index - 1];
    const call = turns[index];
    const gap = before === undefined || call === undefined ? NaN : call.start - (fromEnd ? before.end : before.start);
    if (rhythm.keeps(gap)) continue;
    if (index - first >= MIN_TURNS) mark(turns, first, index, index - first);
    // The gap that broke one rhythm may be the first of the next.
    if (rhythm.started) rhythm = new Rhythm();
    first = rhythm.keeps(gap) ? index - 1 : index;
  }
}

function mark(turns: readonly Call[], from: number, to: number, ticks: number): void {
  for (let index = from; index < to; index++) {
    const call = turns[index];
    if (call !== undefined) call.ticks = Math.max(call.ticks, ticks);
  }
}

/** Gaps that are long enough and alike. */
class Rhythm {
  private sum = 0;
  private count = 0;
  private least = Infinity;
  private most = 0;

  get started(): boolean {
    return this.count > 0;
  }

  /** Takes one more gap if all of them are then still near their mean. */
  keeps(gap: number): boolean {
    if (!(gap >= POLL_MIN_INTERVAL_MS && gap < Infinity)) return false;
    const mean = (this.sum + gap) / (this.count + 1);
    const least = Math.min(this.least, gap);
    const most = Math.max(this.most, gap);
    if (mean - least > mean * POLL_MAX_JITTER || most - mean > mean * POLL_MAX_JITTER) return false;
    this.sum += gap;
    this.count++;
    this.least = least;
    this.most = most;
    return true;
  }
}

/** Marks turns that follow each other at once while the server holds them open. */
function markLongPolls(turns: readonly Call[]): void {
  let first = 0;
  let held = false;
  for (let index = 0; index <= turns.length; index++) {
    const before = turns[index - 1];
    const call = turns[index];
    const gap = before === undefined || call === undefined ? NaN : call.start - before.end;
    if (index > 0 && !(gap >= -LINK_EARLY_MS && gap <= LINK_LATE_MAX_MS)) {
      if (held && index - first >= MIN_TURNS) mark(turns, first, index, Math.max(index - first, POLL_MIN_CALLS));
      first = index;
      held = false;
    }
    if (call !== undefined && call.end !== Infinity && call.duration >= LONG_POLL_MS) held = true;
  }
}
