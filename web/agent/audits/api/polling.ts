// Series of the same question asked again and again on purpose.

import { TICK, type Call } from "./call";
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
  let count = 0;
  let before = -Infinity;
  for (let index = 0, total = series.length; index < total; index++) {
    const call = series[index];
    if (call === undefined) break;
    const start = call.start;
    if (start - before > ECHO_MS) turns[count++] = call;
    before = start;
  }
  return turns;
}

/** Marks each stretch of turns whose distances, from start or from end to start, are long enough and stay within the jitter of their mean. */
function markRuns(turns: readonly Call[], fromEnd: boolean): void {
  let first = 0;
  let count = 0;
  let sum = 0;
  let least = Infinity;
  let most = 0;
  let last = NaN;
  for (let index = 0, total = turns.length; index <= total; index++) {
    const call = turns[index];
    const gap = call === undefined ? NaN : call.start - last;
    if (call !== undefined) last = fromEnd ? call.end : call.start;
    const isLong = gap >= POLL_MIN_INTERVAL_MS && gap < Infinity;
    if (isLong) {
      const low = gap < least ? gap : least;
      const high = gap > most ? gap : most;
      const mean = (sum + gap) / (count + 1);
      const jitter = mean * POLL_MAX_JITTER;
      if (mean - low <= jitter && high - mean <= jitter) {
        sum += gap;
        count++;
        least = low;
        most = high;
        continue;
      }
    }
    if (index - first >= MIN_TURNS) mark(turns, first, index, index - first);
    // The gap that broke one rhythm may be the first of the next.
    count = isLong ? 1 : 0;
    sum = isLong ? gap : 0;
    least = isLong ? gap : Infinity;
    most = isLong ? gap : 0;
    first = isLong ? index - 1 : index;
  }
}

function mark(turns: readonly Call[], from: number, to: number, ticks: number): void {
  const least = ticks * TICK;
  for (let index = from; index < to; index++) {
    const call = turns[index];
    if (call !== undefined && call.state < least) call.state = (call.state & (TICK - 1)) + least;
  }
}

/** Marks turns that follow each other at once while the server holds them open. */
function markLongPolls(turns: readonly Call[]): void {
  let first = 0;
  let held = false;
  for (let index = 0, total = turns.length; index <= total; index++) {
    const before = turns[index - 1];
    const call = turns[index];
    const gap = before === undefined || call === undefined ? NaN : call.start - before.end;
    if (index > 0 && !(gap >= -LINK_EARLY_MS && gap <= LINK_LATE_MAX_MS)) {
      if (held && index - first >= MIN_TURNS) mark(turns, first, index, Math.max(index - first, POLL_MIN_CALLS));
      first = index;
      held = false;
    }
    if (call !== undefined && call.end !== Infinity && call.end - call.start >= LONG_POLL_MS) held = true;
  }
}
