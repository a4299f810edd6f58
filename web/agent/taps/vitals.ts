// Web Vitals, by the web-vitals library, told whenever they change. The
// browser buffers what they are made of, so the library starts only when the
// page has loaded and then has nothing to do, and costs its boot nothing.

import { onCLS, onFCP, onINP, onLCP, onTTFB } from "web-vitals";
import type { Metric } from "web-vitals";
import { describe } from "../describe";
import { whenIdle } from "../idle";
import { isObject, listen, now, onLeave, quietly, setTimer, timeOrigin } from "../native";
import type { Undo } from "../native";
import type { Emit } from "../wire";

/** At most one value per metric in this time, in ms: layout shifts come in bursts. */
const settleMs = 500;

export function tapVitals(emit: Emit): Undo {
  let stopped = false;
  const waiting = new Map<string, Metric>();

  const tell = (metric: Metric): void => {
    const target = quietly(() => describe(elementOf(metric))) ?? "";
    emit({
      kind: "performance",
      name: metric.name,
      value: metric.value,
      rating: metric.rating,
      at: timeOrigin + now(),
      ...(target === "" ? {} : { target }),
    });
  };
  const flush = (): void => {
    const ready = [...waiting.values()];
    waiting.clear();
    for (const metric of ready) tell(metric);
  };
  const changed = (metric: Metric): void => {
    quietly(() => {
      if (stopped) return;
      if (waiting.size === 0) setTimer(() => quietly(flush), settleMs);
      waiting.set(metric.name, metric);
    });
  };
  const begin = (): void => {
    if (stopped) return;
    tellLoad(emit);
    for (const watch of [onTTFB, onFCP, onLCP, onCLS, onINP]) quietly(() => watch(changed, { reportAllChanges: true }));
  };

  // Only after the load event has ended is its duration known.
  const soon = (): void => whenIdle(begin);
  const undoLoad = document.readyState === "complete" ? () => {} : listen(globalThis, "load", soon);
  if (document.readyState === "complete") soon();
  const undoHide = onLeave(flush);
  return () => {
    stopped = true;
    undoLoad();
    undoHide();
  };
}

/** How long the document took to be ready and to be loaded. */
function tellLoad(emit: Emit): void {
  const timing = performance.getEntriesByType("navigation")[0];
  if (!(timing instanceof PerformanceNavigationTiming)) return;
  const at = timeOrigin + now();
  emit({ kind: "performance", name: "dcl", value: timing.domContentLoadedEventEnd, at });
  emit({ kind: "performance", name: "load", value: timing.loadEventEnd, at });
}

/** The element that a metric's decisive entry blames, if it blames one. */
function elementOf(metric: Metric): unknown {
  const last = metric.entries[metric.entries.length - 1];
  if (last === undefined) return undefined;
  if (metric.name === "LCP") return Reflect.get(last, "element");
  if (metric.name === "INP") return Reflect.get(last, "target");
  const sources: unknown = Reflect.get(last, "sources");
  const source: unknown = Array.isArray(sources) ? sources[0] : undefined;
  return isObject(source) ? Reflect.get(source, "node") : undefined;
}
