export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** First index whose value is at least `least`, in a sorted list. */
export function lowerBound(sorted: ArrayLike<number>, least: number): number {
  let low = 0;
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

/** One number of each item, packed for searching. */
export function column<T>(items: readonly T[], valueOf: (item: T) => number): Float64Array {
  const out = new Float64Array(items.length);
  let index = 0;
  for (const item of items) out[index++] = valueOf(item);
  return out;
}
