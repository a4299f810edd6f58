// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { LoaderRecord } from "../../loader-record";
import type { LoadingInput } from "./types";

function page(loaders: readonly LoaderRecord[], more: Partial<LoadingInput> = {}): LoadingInput {
  return { loaders, actions: [], dropped: 0, at: 30_000, now: Date.UTC(2026, 10, 15, 12), ...more };
}

function loader(id: number, selector: string, start: number, end: number | null, more: Partial<LoaderRecord> = {}): LoaderRecord {
  return { id, selector, region: "#app", kind: "spinner", start, end, container: "#app", ...more };
}

const cascade = (): LoaderRecord[] => [
  loader(1, "#app > .spinner", 40, 420),
  loader(2, "#app > main > .spinner", 431, 900, { kind: "busy" }),
  loader(3, "#app > main > ul > .loading", 915, 1480),
];

const cards = (count: number): LoaderRecord[] =>
  Array.from({ length: count }, (_, index) => loader(10 + index, `#grid > div:nth-child(${index + 1}) > .spinner`, 2000 + index, 2600, { region: "#grid", container: `#grid > div:nth-child(${index + 1})` }));

/** By file name. */
export function situations(): Map<string, LoadingInput> {
  return new Map([
    ["loading-empty", page([])],
    ["loading-clean", page([loader(1, "#app > .spinner", 40, 420), loader(2, "#side > progress", 50, 610, { region: "#side", kind: "progress" })])],
    ["loading-cascade", page(cascade())],
    ["loading-fragmentation", page(cards(5))],
    ["loading-both", page([...cascade(), ...cards(12)], { dropped: 3 })],
    ["loading-still-there", page([loader(1, "#app > .spinner", 40, 420), loader(2, "#app > .skeleton", 500, null, { kind: "skeleton" })])],
  ]);
}
