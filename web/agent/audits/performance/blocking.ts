// Total blocking time, as Lighthouse defines it: what long tasks take over
// 50 ms, from the first paint until the main thread has been quiet for a while.

import { QUIET_MS } from "./thresholds";

const LONG_MS = 50;

export interface Task {
  readonly start: number;
  readonly duration: number;
}

/** Takes the long tasks in order; `until` is the end of what counts: our own work comes after it. */
export function blockingTime(tasks: readonly Task[], from: number, until: number): { value: number; tasks: number; end: number } {
  let value = 0;
  let count = 0;
  let end = from;
  for (const task of tasks) {
    const done = task.start + task.duration;
    if (done <= from || done > until) continue;
    if (task.start - end >= QUIET_MS) break;
    const over = done - Math.max(task.start, from) - LONG_MS;
    if (over > 0) {
      value += over;
      count++;
    }
    end = done;
  }
  return { value, tasks: count, end };
}
