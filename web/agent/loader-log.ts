// What was seen of the loaders, sample by sample: one record from when an
// element is first seen until it is seen no more.

import type { LoaderRecord, LoaderRecords } from "./loader-record";

/** How many records are kept; the oldest that has ended goes first. */
export const loaderCapacity = 500;

/** What a sample knows of a loader. */
export type Seen = Pick<LoaderRecord, "selector" | "region" | "kind" | "container">;

type Entry = { -readonly [K in keyof LoaderRecord]: LoaderRecord[K] };

/** Records the loaders of type K, which are compared by identity. */
export class LoaderLog<K extends object> {
  private records: Entry[] = [];
  private visible = new Map<K, Entry>();
  private made = 0;
  private dropped = 0;

  /** How many are visible now. */
  get count(): number {
    return this.visible.size;
  }

  /**
   * Takes a sample: every loader that is visible at `time`. `describe` is asked
   * once for each new one. `turned` says that something has come and more was
   * asked for since the last sample: a new element is then a new loader.
   */
  sample(time: number, loaders: Iterable<K>, describe: (loader: K) => Seen, turned = false): void {
    const now = new Map<K, Entry>();
    const fresh: K[] = [];
    for (const loader of loaders) {
      const known = this.visible.get(loader);
      if (known === undefined) fresh.push(loader);
      else now.set(loader, known);
    }
    const gone: Entry[] = [];
    this.visible.forEach((entry, loader) => {
      if (!now.has(loader)) gone.push(entry);
    });
    for (const loader of fresh) now.set(loader, this.begin(time, describe(loader), turned ? [] : gone));
    for (const entry of gone) entry.end = time;
    this.visible = now;
  }

  /** A page that draws itself anew puts another element in the same place: that is the same loader. */
  private begin(time: number, seen: Seen, gone: Entry[]): Entry {
    const at = gone.findIndex((entry) => entry.selector === seen.selector && entry.kind === seen.kind);
    const same = at < 0 ? undefined : gone.splice(at, 1)[0];
    if (same !== undefined) return same;
    const { selector, region, kind, container } = seen;
    const entry: Entry = { id: ++this.made, selector, region, kind, start: time, end: null, container };
    if (this.records.length >= loaderCapacity) {
      const oldest = this.records.findIndex((other) => other.end !== null);
      this.records.splice(Math.max(0, oldest), 1);
      this.dropped++;
    }
    this.records.push(entry);
    return entry;
  }

  /** Copies, oldest first. */
  read(): LoaderRecords {
    return { records: this.records.map((entry) => ({ ...entry })), dropped: this.dropped };
  }
}

/** Of things inside each other only the outermost: a busy list of skeletons is one loader. */
export function outermost<K extends object>(all: ReadonlyMap<K, unknown>, parentOf: (of: K) => K | null): K[] {
  const out: K[] = [];
  all.forEach((_, loader) => {
    let at = parentOf(loader);
    while (at !== null && !all.has(at)) at = parentOf(at);
    if (at === null) out.push(loader);
  });
  return out;
}
