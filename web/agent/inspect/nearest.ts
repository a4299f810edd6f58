// What somebody may have meant who named an element that is not there.

/** Letters that must be changed, added, removed or swapped to make one text the other. */
export function distance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (previous[j - 2] ?? 0) + 1);
      next[j] = least;
    }
    previous = row;
    row = next;
  }
  return row[b.length] ?? 0;
}

/** How unlike two names are, from 0 to 1. A name that holds the other is like it. */
export function unlike(a: string, b: string): number {
  const x = a.toLowerCase();
  const y = b.toLowerCase();
  const longer = Math.max(x.length, y.length, 1);
  const apart = distance(x, y) / longer;
  const within = Math.min(x.length, y.length) > 2 && (x.includes(y) || y.includes(x));
  return within ? Math.min(apart, 0.35) : apart;
}

/** The names in a selector: of ids, classes, attributes' values and tags. */
export function namesIn(selector: string): string[] {
  const words = selector.replace(/::?[\w-]+(?:\([^)]*\))?/g, " ").match(/[A-Za-z_][\w-]*/g) ?? [];
  return [...new Set(words)].slice(0, 12);
}

export interface Candidate {
  readonly name: string;
  readonly selector: string;
}

/** At most this unlike may a candidate be. */
const mostUnlike = 0.5;

/** The selectors of the candidates that are most like one of the names, best first. */
export function nearest(names: readonly string[], candidates: readonly Candidate[], most: number): string[] {
  const scored: { selector: string; score: number }[] = [];
  for (const candidate of candidates) {
    let score = 1;
    for (const name of names) score = Math.min(score, unlike(name, candidate.name));
    if (score <= mostUnlike) scored.push({ selector: candidate.selector, score });
  }
  scored.sort((a, b) => a.score - b.score);
  return [...new Set(scored.map((s) => s.selector))].slice(0, most);
}
