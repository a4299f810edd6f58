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
  const open = openRows(loaders);
  const places = new Map<string, { container: string; inside: Loader[] }>();
  for (const loader of loaders) {
    for (const { key, container } of placesOf(loader, open)) {
      const known = places.get(key);
      if (known === undefined) places.set(key, { container, inside: [loader] });
      else known.inside.push(loader);
    }
  }
  const found: Fragmentation[] = [];
  for (const { container, inside } of places.values()) {
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

/** Where loaders may stand together; the same key is the same place. */
interface Spot {
  readonly key: string;
  readonly container: string;
}

/**
 * The container, and each list around it in which it stands at the same place
 * of one row among many: each card of a grid with a spinner of its own is what
 * this is about.
 */
function placesOf(loader: Loader, open: ReadonlySet<string>): Spot[] {
  const spots: Spot[] = [{ key: loader.container, container: loader.container }];
  for (const { list, row } of rowsOf(loader.container)) {
    if (list !== "") spots.push({ key: `${list} > ${row}`, container: list });
    const wide = `${loader.region}\n${row}`;
    if (open.has(wide)) spots.push({ key: wide, container: loader.region });
  }
  return spots;
}

/** Rows whose selectors are so short that they do not say which list they are in; the region stands for it. */
function openRows(loaders: readonly Loader[]): Set<string> {
  const open = new Set<string>();
  for (const loader of loaders) {
    for (const { list, row } of rowsOf(loader.container)) if (list === "") open.add(`${loader.region}\n${row}`);
  }
  return open;
}

/** Each step by place among its like: what is before it is a list, what follows is alike in every row. */
function rowsOf(container: string): { list: string; row: string }[] {
  const steps = container.split(" > ");
  return steps.flatMap((step, index) => {
    if (!step.includes(":nth-")) return [];
    const row = [step.replace(/:nth-[a-z-]+\(\d+\)/, ":nth"), ...steps.slice(index + 1)].join(" > ");
    return [{ list: steps.slice(0, index).join(" > "), row }];
  });
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
