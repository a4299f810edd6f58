// How long the document took to be ready and to be loaded. The browser has
// measured it; the rest of what it measured is in the vitals bundle.

import { now, timeOrigin } from "./native";
import type { Emit } from "./wire";

/** Tells both times; after the load event, because only then they are known. */
export function tellLoad(emit: Emit): void {
  const timing = performance.getEntriesByType("navigation")[0];
  if (!(timing instanceof PerformanceNavigationTiming)) return;
  const at = timeOrigin + now();
  emit({ kind: "performance", name: "dcl", value: timing.domContentLoadedEventEnd, at });
  emit({ kind: "performance", name: "load", value: timing.loadEventEnd, at });
}
