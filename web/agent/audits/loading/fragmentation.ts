// Several loaders side by side where one would have done.

import { FRAGMENTATION_MIN_LOADERS, FRAGMENTATION_MIN_MS } from "./thresholds";
import type { Loader } from "./types";

export interface Fragmentation {
  readonly container: string;
  /** At once, at the worst moment; a group of skeletons is one. */
  readonly count: number;
  /** Those of that moment, in the order in which they appeared. */
  readonly loaders: readonly Loader[];
  /** How long so many were there. */
  readonly durationMs: number;
}

/** Takes loaders by start. A loader is in one finding only. */
export function findFragmentations(loaders: readonly Loader[]): Fragmentation[] {
  const places = new Map<string, Loader[]>();
  for (const loader of loaders) {
    for (const place of placesOf(loader.container)) {
      const known = places.get(place);
      if (known === undefined) places.set(place, [loader]);
      else known.push(loader);
    }
  }
  const found: Fragmentation[] = [];
  for (const [container, inside] of places) {
    const worst = worstMoment(container, inside);
    if (worst !== undefined) found.push(worst);
  }
  // The wider container speaks for the narrower ones inside it.
  found.sort((a, b) => b.count - a.count || a.container.length - b.container.length);
  const taken = new Set<Loader>();
  return found.filter((one) => {
    if (one.loaders.some((loader) => taken.has(loader))) return false;
    for (const loader of one.loaders) taken.add(loader);
    return true;
  });
}

/**
 * The container, and the list around it when it is one of several alike: each
 * card of a grid with a spinner of its own is what this is about.
 */
function placesOf(container: string): string[] {
  const cut = container.lastIndexOf(" > ");
  return cut > 0 && container.slice(cut).includes(":nth-") ? [container, container.slice(0, cut)] : [container];
}

/** The longest moment with the most loaders; undefined when they are never enough. */
function worstMoment(container: string, loaders: readonly Loader[]): Fragmentation | undefined {
  const edges = [...new Set(loaders.flatMap((loader) => [loader.start, loader.end]))].sort((a, b) => a - b);
  let worst: Fragmentation | undefined;
  edges.forEach((from, index) => {
    const to = edges[index + 1];
    if (to === undefined) return;
    const present = loaders.filter((loader) => loader.start <= from && loader.end >= to);
    const count = countOf(present);
    if (count < FRAGMENTATION_MIN_LOADERS || (worst !== undefined && count < worst.count)) return;
    // The same number may go on over several edges.
    const alike = worst !== undefined && worst.count === count;
    const durationMs = to - from + (alike ? (worst?.durationMs ?? 0) : 0);
    worst = { container, count, loaders: alike ? (worst?.loaders ?? present) : present, durationMs };
  });
  return worst !== undefined && worst.durationMs >= FRAGMENTATION_MIN_MS ? { ...worst, durationMs: Math.round(worst.durationMs) } : undefined;
}

/** Skeletons stand for what is coming, together: they are one. */
function countOf(loaders: readonly Loader[]): number {
  const skeletons = loaders.filter((loader) => loader.kind === "skeleton").length;
  return loaders.length - skeletons + Math.min(1, skeletons);
}
