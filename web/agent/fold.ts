// Folding floods: fifty thousand identical errors in a minute become a few
// dozen events that carry their count. The first of its kind goes out at once;
// its repetitions are counted and go out together when the window closes. What
// differs each time is not folded, and the channel's bounded queue says how
// much of that it lost.

import type { ConsoleFact, ErrorFact } from "./wire";

/** How long repetitions are gathered, in ms. */
export const foldWindow = 1000;

/** How many different events are told apart within one window. */
export const foldKeys = 64;

type Foldable = ErrorFact | ConsoleFact;

interface Folded {
  readonly event: Foldable;
  /** Repetitions not told yet, and when the last of them happened. */
  extra: number;
  last: number;
}

/** Folds events that read the same. */
export class Folder {
  private readonly seen = new Map<string, Folded>();
  private armed = false;
  private readonly emit: (event: Foldable) => void;
  private readonly later: (run: () => void, ms: number) => void;

  constructor(emit: (event: Foldable) => void, later: (run: () => void, ms: number) => void) {
    this.emit = emit;
    this.later = later;
  }

  add(event: Foldable): void {
    const key = keyOf(event);
    const known = this.seen.get(key);
    const count = event.count ?? 1;
    if (known !== undefined) {
      known.extra += count;
      known.last = event.at;
      return;
    }
    if (this.seen.size >= foldKeys) this.flush();
    this.seen.set(key, { event, extra: 0, last: event.at });
    this.emit(event);
    if (this.armed) return;
    this.armed = true;
    this.later(() => {
      this.armed = false;
      this.flush();
    }, foldWindow);
  }

  /** Tells what was held back and forgets what was seen. */
  flush(): void {
    this.seen.forEach(({ event, extra, last }) => {
      if (extra > 0) this.emit({ ...event, at: last, count: extra });
    });
    this.seen.clear();
  }
}

function keyOf(event: Foldable): string {
  if (event.kind === "console") return `${event.level} ${event.text}`;
  return `${event.source} ${event.message} ${event.url ?? ""} ${event.line ?? 0} ${event.column ?? 0}`;
}
