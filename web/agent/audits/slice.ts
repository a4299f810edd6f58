// Work in slices: an audit looks at a whole page without ever holding its main
// thread for long.

/** How long one slice may run, in ms; a frame is late then, but nothing freezes. */
export const SLICE_MS = 40;

/** Lets the page have the main thread; goes on in a task of its own. */
export function nextTask(): Promise<void> {
  const scheduler: unknown = Reflect.get(globalThis, "scheduler");
  const give: unknown = typeof scheduler === "object" && scheduler !== null ? Reflect.get(scheduler, "yield") : undefined;
  if (typeof give === "function") return Promise.resolve(Reflect.apply(give, scheduler, [])).then(() => {});
  // Timers are held back to one a second in a tab that is not looked at, and
  // tests replace them; messages are not.
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    const go = (): void => {
      port1.close();
      done();
    };
    port1.addEventListener("message", go, { once: true });
    port1.start();
    port2.postMessage(0);
  });
}

/**
 * Counts the time since the main thread was last given away:
 *
 *     const slice = new Slice();
 *     for (const element of elements) {
 *       await slice.rest(); // costs nothing until the slice is used up
 *       look(element);
 *     }
 *
 * Await only where it is due in hot loops: `if (slice.due()) await slice.rest()`.
 */
export class Slice {
  private readonly budget: number;
  private readonly clock: () => number;
  private began: number;

  constructor(budget: number = SLICE_MS, clock: () => number = () => performance.now()) {
    this.budget = budget;
    this.clock = clock;
    this.began = clock();
  }

  /** Whether the slice is used up. */
  due(): boolean {
    return this.clock() - this.began >= this.budget;
  }

  /** Gives the main thread away if the slice is used up. */
  async rest(): Promise<void> {
    if (this.due()) await this.yield();
  }

  /** Gives the main thread away now: before a piece of work that cannot be cut. */
  async yield(): Promise<void> {
    await nextTask();
    this.began = this.clock();
  }
}
