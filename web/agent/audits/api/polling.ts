// Series of the same question asked again and again on purpose.

import type { Call } from "./call";
import { LINK_EARLY_MS, LINK_LATE_MAX_MS, LONG_POLL_MS, POLL_MAX_JITTER, POLL_MIN_CALLS, POLL_MIN_INTERVAL_MS } from "./thresholds";

/** Three turns are the least that can show a rhythm. */
const MIN_TURNS = 3;
/** Calls this close to a turn are echoes of it, not turns. */
const ECHO_MS = 100;

/** Sets `ticks` on the calls of every regular series and of every long poll. Takes calls of one poll key by start. */
export function markPolling(series: readonly Call[]): void {
  const turns = series.filter((call, index) => {
    const before = series[index - 1];
    return before === undefined || call.start - before.start > ECHO_MS;
  });
  if (turns.length < MIN_TURNS) return;
  markRuns(turns, (a, b) => b.start - a.start);
  // A timer set when the answer is there: the pause is regular, the turns are not.
  markRuns(turns, (a, b) => b.start - a.end);
  markLongPolls(turns);
}

/** Marks each stretch of turns whose distances stay within the jitter of their median. */
function markRuns(turns: readonly Call[], distance: (a: Call, b: Call) => number): void {
  let run: Call[] = [];
  let gaps: number[] = [];
  const close = (): void => {
    if (run.length >= MIN_TURNS) for (const call of run) call.ticks = Math.max(call.ticks, run.length);
  };
  for (const call of turns) {
    const before = run[run.length - 1];
    const gap = before === undefined ? Infinity : distance(before, call);
    if (gap >= POLL_MIN_INTERVAL_MS && Number.isFinite(gap) && fits(gaps, gap)) {
      run.push(call);
      gaps.push(gap);
      continue;
    }
    close();
    const startsNew = before !== undefined && gap >= POLL_MIN_INTERVAL_MS && Number.isFinite(gap);
    run = startsNew ? [before, call] : [call];
    gaps = startsNew ? [gap] : [];
  }
  close();
}

/** Whether one more gap keeps the rhythm: near the first, which stands for the median of what follows. */
function fits(gaps: readonly number[], gap: number): boolean {
  if (gaps.length === 0) return true;
  let sum = gap;
  // The last few are enough to follow a slow drift, and keep this linear.
  const recent = gaps.slice(-8);
  for (const known of recent) sum += known;
  const mean = sum / (recent.length + 1);
  return recent.every((known) => Math.abs(known - mean) <= mean * POLL_MAX_JITTER) && Math.abs(gap - mean) <= mean * POLL_MAX_JITTER;
}

/** Marks turns that follow each other at once while the server holds them open. */
function markLongPolls(turns: readonly Call[]): void {
  let run: Call[] = [];
  const close = (): void => {
    const held = run.some((call) => call.finished && call.duration >= LONG_POLL_MS);
    if (run.length >= MIN_TURNS && held) for (const call of run) call.ticks = Math.max(call.ticks, run.length, POLL_MIN_CALLS);
  };
  for (const call of turns) {
    const before = run[run.length - 1];
    const gap = before === undefined ? Infinity : call.start - before.end;
    if (gap < -LINK_EARLY_MS || gap > LINK_LATE_MAX_MS) {
      close();
      run = [];
    }
    run.push(call);
  }
  close();
}
