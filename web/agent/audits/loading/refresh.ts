// A loader that shows up in a rhythm is a refresh in the background: nobody
// waits for one because of the other.

import { REFRESH_MAX_JITTER, REFRESH_MIN_INTERVAL_MS, REFRESH_MIN_TURNS } from "./thresholds";
import type { Loader } from "./types";

/** The loaders that are turns of a refresh. Takes loaders by start. */
export function refreshes(loaders: readonly Loader[]): Set<Loader> {
  const series = new Map<string, Loader[]>();
  for (const loader of loaders) {
    const key = `${loader.region}\n${loader.selector}`;
    const known = series.get(key);
    if (known === undefined) series.set(key, [loader]);
    else known.push(loader);
  }
  const found = new Set<Loader>();
  for (const turns of series.values()) {
    if (isRhythm(turns)) for (const turn of turns) found.add(turn);
  }
  return found;
}

/** By when it comes, or, when the next turn is set off by the end of the last, by the pause between. */
function isRhythm(turns: readonly Loader[]): boolean {
  if (turns.length < REFRESH_MIN_TURNS) return false;
  const starts: number[] = [];
  const pauses: number[] = [];
  turns.forEach((turn, index) => {
    const before = turns[index - 1];
    if (before === undefined) return;
    starts.push(turn.start - before.start);
    pauses.push(turn.start - before.end);
  });
  return isRegular(starts) || isRegular(pauses);
}

function isRegular(gaps: readonly number[]): boolean {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return mean >= REFRESH_MIN_INTERVAL_MS && gaps.every((gap) => Math.abs(gap - mean) <= mean * REFRESH_MAX_JITTER);
}
