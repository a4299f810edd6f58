import type { Call } from "./call";

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  let last: K | undefined;
  let group: T[] | undefined;
  for (let index = 0, total = items.length; index < total; index++) {
    const item = items[index];
    if (item === undefined) continue;
    const key = keyOf(item);
    if (group === undefined || key !== last) {
      group = groups.get(key);
      last = key;
      if (group === undefined) {
        group = [];
        groups.set(key, group);
      }
    }
    group[group.length] = item;
  }
  return groups;
}

/** First index whose value is at least `least`, in a sorted list, not before `low`. */
export function lowerBound(sorted: ArrayLike<number>, least: number, low = 0): number {
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First index whose value is more than `most`, in a sorted list. */
export function upperBound(sorted: ArrayLike<number>, most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How far b is after a, free of the dust that subtracting decimals leaves. */
export function apart(a: number, b: number): number {
  return Math.round((b - a) * 1000) / 1000;
}

/** Calls that ended, by when; those that end within a microsecond of each other in the order given. */
export function orderByEnd(calls: readonly Call[]): Call[] {
  // End and place packed into one: sorting plain numbers needs no comparing
  // function, which is what costs where nothing is compiled.
  const places = calls.length + 1;
  const packed = new Float64Array(calls.length);
  const round = Math.round;
  for (let index = 0; index < places - 1; index++) {
    const end = calls[index]?.end ?? 0;
    packed[index] = (end > 0 ? round(end * 1000) * places : 0) + index;
  }
  packed.sort();
  if ((packed[packed.length - 1] ?? 0) > Number.MAX_SAFE_INTEGER) return [...calls].sort((a, b) => a.end - b.end);
  const out: Call[] = [];
  for (let index = 0; index < places - 1; index++) {
    const call = calls[(packed[index] ?? 0) % places];
    if (call !== undefined) out[index] = call;
  }
  return out;
}

export function startsOf(calls: readonly Call[]): Float64Array {
  const out = new Float64Array(calls.length);
  for (let index = 0, total = calls.length; index < total; index++) out[index] = calls[index]?.start ?? 0;
  return out;
}

export function endsOf(calls: readonly Call[]): Float64Array {
  const out = new Float64Array(calls.length);
  for (let index = 0, total = calls.length; index < total; index++) out[index] = calls[index]?.end ?? 0;
  return out;
}

/** First index whose value is more than `most`, in a sorted list, going on from where a smaller number was found. */
export function onward(sorted: readonly number[], from: number, most: number): number {
  let index = from;
  while ((sorted[index] ?? Infinity) <= most) index++;
  return index;
}
