// Work that can wait until the page has nothing to do.

import { quietly, setTimer } from "./native";

/** How long work waits before it looks for an idle moment, and how long at most for that moment, in ms. */
const restMs = 1000;
const idleMs = 5000;

/** Runs one piece of work in an idle moment, some time from now. */
export function whenIdle(run: (left: () => number) => void): void {
  setTimer(() => {
    quietly(() => {
      if (typeof requestIdleCallback === "undefined") run(() => 0);
      else requestIdleCallback((deadline) => quietly(() => run(() => deadline.timeRemaining())), { timeout: idleMs });
    });
  }, restMs);
}

/** Repeats work in idle moments until it returns false. */
export function inIdleMoments(work: () => boolean): void {
  whenIdle((left) => {
    let more = work();
    while (more && left() > 1) more = work();
    if (more) inIdleMoments(work);
  });
}
