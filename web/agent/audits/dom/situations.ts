// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { Located } from "../fault";
import { whereOf } from "../where";
import type { DomFacts } from "./facts";

/** A page with nothing wrong. */
export function page(more: Partial<DomFacts> = {}): DomFacts {
  return {
    where: whereOf({}, "http://localhost:5173/shop"),
    elements: 300,
    quirks: false,
    deepest: { ref: 0, size: 12, name: "span" },
    wide: [],
    sharedIds: [],
    obsolete: [],
    nested: [],
    nameless: [],
    brokenFragments: [],
    brokenLabels: [],
    tabOrder: [],
    autofocus: [],
    bigAttributes: [],
    bigDataUris: [],
    bigScripts: [],
    emptySources: [],
    ...more,
  };
}

/** The selectors of the elements in the situations. */
export const LOCATED: Located = { selectors: new Map(Array.from({ length: 30 }, (_, ref) => [ref, `#e${ref}`])), sources: new Map() };

export function situations(): Map<string, DomFacts> {
  return new Map([
    ["dom-clean", page()],
    [
      "dom-faults",
      page({
        elements: 3200,
        quirks: true,
        deepest: { ref: 0, size: 40, name: "span" },
        wide: [
          { ref: 1, size: 70, name: "div" },
          { ref: 2, size: 400, name: "ul" },
        ],
        sharedIds: [
          { id: "twice", refs: [3, 4, 5], drawn: false },
          { id: "again", refs: [6, 7], drawn: false },
          { id: "g", refs: [8, 9], drawn: true },
        ],
        obsolete: [
          { ref: 10, size: 1, name: "font" },
          { ref: 11, size: 1, name: "center" },
          { ref: 12, size: 1, name: "font" },
        ],
        nested: [
          { ref: 13, inner: "button", outer: "a" },
          { ref: 14, inner: "button", outer: "a" },
          { ref: 15, inner: "div", outer: "p" },
        ],
        nameless: [16],
        brokenFragments: [{ ref: 17, id: "nowhere" }],
        brokenLabels: [{ ref: 18, id: "nothing" }],
        tabOrder: [19, 20],
        autofocus: [21, 22],
        bigAttributes: [{ ref: 23, size: 40_000, name: "data-page" }],
        bigDataUris: [{ ref: 24, size: 90_000, name: "<img>" }],
        bigScripts: [{ ref: 25, size: 300_000, name: "script" }],
        emptySources: [26],
      }),
    ],
  ]);
}
