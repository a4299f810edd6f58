// Loaders that follow each other where one would have done: the data of the
// second was asked for only when the first had come.

import { ACTION_REACH_MS, CASCADE_EARLY_MS, CASCADE_GAP_MS, CASCADE_MIN_DEPTH } from "./thresholds";
import type { Loader } from "./types";

export interface Cascade {
  readonly region: string;
  /** The longest way through: one loader of each step, in order. */
  readonly steps: readonly Loader[];
  readonly durationMs: number;
}

/**
 * Takes loaders by start, without refreshes, actions in order, and what each
 * region is in. A loader is in one cascade only.
 */
export function findCascades(loaders: readonly Loader[], actions: readonly number[], within: ReadonlyMap<string, readonly string[]>): Cascade[] {
  const found: Cascade[] = [];
  for (const steps of longestChains(loaders, (a, b) => samePlace(a, b, within) && follows(a, b, actions))) {
    const first = steps[0];
    const last = steps[steps.length - 1];
    if (first === undefined || last === undefined || steps.length < CASCADE_MIN_DEPTH) continue;
    found.push({ region: first.region, steps, durationMs: Math.round(last.end - first.start) });
  }
  return found;
}

/** Whether b stands in a's region, or in a part of the page that came where a had been. */
function samePlace(a: Loader, b: Loader, within: ReadonlyMap<string, readonly string[]>): boolean {
  return a.region === b.region || (within.get(b.region)?.includes(a.container) ?? false);
}

/** Whether b follows a: it came when a went, and no user asked for it in between. */
export function follows(a: Loader, b: Loader, actions: readonly number[]): boolean {
  // Dust of subtracting decimals must not decide: a gap of 400 is one of 400.
  const gap = Math.round((b.start - a.end) * 1000) / 1000;
  if (gap > CASCADE_GAP_MS || gap < -CASCADE_EARLY_MS || b.start <= a.start) return false;
  const from = Math.min(a.end, b.start - ACTION_REACH_MS);
  return !actions.some((time) => time >= from && time <= b.start && time > a.start);
}

/** One chain for each set of loaders that hang together: what stood beside a step is part of that step. */
function longestChains(loaders: readonly Loader[], linked: (a: Loader, b: Loader) => boolean): Loader[][] {
  const before = new Map<Loader, Loader | undefined>();
  const depth = new Map<Loader, number>();
  const sets = new Sets<Loader>();
  loaders.forEach((loader, index) => {
    let best: Loader | undefined;
    // A loader may be followed by one much later than its neighbours by start;
    // the recorder holds few enough to look at all.
    for (let at = 0; at < index; at++) {
      const earlier = loaders[at];
      if (earlier === undefined || !linked(earlier, loader)) continue;
      sets.join(earlier, loader);
      if (best === undefined || (depth.get(earlier) ?? 0) > (depth.get(best) ?? 0)) best = earlier;
    }
    before.set(loader, best);
    depth.set(loader, best === undefined ? 1 : (depth.get(best) ?? 0) + 1);
  });
  return sets.all(loaders).map((set) => {
    const last = set.reduce((a, b) => ((depth.get(b) ?? 0) > (depth.get(a) ?? 0) ? b : a));
    const steps: Loader[] = [];
    for (let at: Loader | undefined = last; at !== undefined; at = before.get(at)) steps.unshift(at);
    return steps;
  });
}

/** Things that belong together. */
class Sets<T> {
  private readonly leaders = new Map<T, T>();

  join(a: T, b: T): void {
    this.leaders.set(this.leader(b), this.leader(a));
  }

  all(items: readonly T[]): T[][] {
    const sets = new Map<T, T[]>();
    for (const item of items) {
      const leader = this.leader(item);
      const set = sets.get(leader);
      if (set === undefined) sets.set(leader, [item]);
      else set.push(item);
    }
    return [...sets.values()].filter((set) => set.length > 1);
  }

  private leader(item: T): T {
    let at = item;
    for (let next = this.leaders.get(at); next !== undefined && next !== at; next = this.leaders.get(at)) at = next;
    return at;
  }
}
