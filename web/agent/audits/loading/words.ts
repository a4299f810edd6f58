// The only place where the loading audit's findings become words.

import type { FindingIds } from "../finding-id";
import type { Cascade } from "./cascade";
import type { Fragmentation } from "./fragmentation";
import { CASCADE_CRITICAL_MS, cascadeWeight, fragmentationWeight } from "./thresholds";
import type { Loader, LoadingFinding } from "./types";

export const EMPTY_NOTE = "no loaders recorded — reload page then re-run";

/** Selectors that a finding carries. */
const MAX_LOADERS = 20;

/** One finding for each cascade; the same one run again is the same fault, told by its longest run. */
export function wordCascades(cascades: readonly Cascade[], ids: FindingIds): LoadingFinding[] {
  const runs = new Map<string, Cascade[]>();
  for (const cascade of cascades) {
    const route = [cascade.region, ...selectors(cascade.steps)].join("\n");
    const known = runs.get(route);
    if (known === undefined) runs.set(route, [cascade]);
    else known.push(cascade);
  }
  return [...runs].map(([route, same]) => {
    const worst = same.reduce((a, b) => (b.steps.length > a.steps.length || (b.steps.length === a.steps.length && b.durationMs > a.durationMs) ? b : a));
    const depth = worst.steps.length;
    const critical = worst.durationMs > CASCADE_CRITICAL_MS;
    return {
      id: ids.id("spinner-cascade", "", route, ""),
      type: "spinner-cascade",
      severity: critical ? "critical" : "warning",
      selector: worst.region,
      message: `${depth} loaders one after another over ${worst.durationMs}ms → load their data together, show one loader`,
      weight: cascadeWeight(depth, critical),
      depth,
      durationMs: worst.durationMs,
      container: worst.region,
      loaders: selectors(worst.steps),
      ...(same.length > 1 ? { occurrences: same.length } : {}),
    };
  });
}

export function wordFragmentations(found: readonly Fragmentation[], ids: FindingIds): LoadingFinding[] {
  return found.map(({ container, count, loaders, durationMs }) => ({
    id: ids.id("spinner-fragmentation", "", container, ""),
    type: "spinner-fragmentation",
    severity: "warning",
    selector: container,
    message: `${count} loaders at once in one container for ${durationMs}ms → show one loading state for all of it`,
    count,
    weight: fragmentationWeight(count),
    durationMs,
    container,
    loaders: selectors(loaders),
  }));
}

/** Each once, in order. */
function selectors(loaders: readonly Loader[]): string[] {
  return [...new Set(loaders.map((loader) => loader.selector))].slice(0, MAX_LOADERS);
}
