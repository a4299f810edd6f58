// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { Located } from "../fault";
import { whereOf } from "../where";
import type { CssFacts, RuleFact, SheetFact } from "./facts";

export function sheet(more: Partial<SheetFact> = {}): SheetFact {
  return { ref: 0, url: "", place: undefined, chars: 1000, rules: 10, vendor: false, generated: false, imported: 0, ...more };
}

export function rule(selector: string, declarations = "color: red;", more: Partial<RuleFact> = {}): RuleFact {
  return { sheet: 0, selector, context: "", declarations, chars: selector.length + declarations.length, zIndex: 0, ...more };
}

/** A page with nothing wrong. */
export function page(more: Partial<CssFacts> = {}): CssFacts {
  return {
    where: whereOf({}, "http://localhost:5173/shop"),
    viewport: 1280,
    sheets: [sheet()],
    unreadable: [],
    failed: [],
    rules: [rule("p")],
    usage: undefined,
    tinyTexts: [],
    overflows: [],
    endless: [],
    reducedMotion: false,
    unusedFonts: [],
    unknown: [],
    ...more,
  };
}

/** The selectors of the elements in the situations. */
export const LOCATED: Located = { selectors: new Map(Array.from({ length: 30 }, (_, ref) => [ref, `#e${ref}`])), sources: new Map() };

export function situations(): Map<string, CssFacts> {
  const forced = Array.from({ length: 30 }, (_, index) => rule(`p b${index}`, "width: 1px !important;"));
  const twice = Array.from({ length: 12 }, () => rule(".d p"));
  return new Map([
    ["css-clean", page()],
    ["css-none", page({ sheets: [], rules: [] })],
    [
      "css-faults",
      page({
        sheets: [
          sheet({ place: { file: "src/app.css" } }),
          sheet({ ref: 1, url: "http://localhost:5173/a.css", place: { file: "/a.css" }, chars: 400_000 }),
          sheet({ ref: 2, url: "http://localhost:5173/a.css", place: { file: "/a.css" } }),
          sheet({ ref: 3, url: "http://localhost:5173/b.css", imported: 2 }),
        ],
        unreadable: [4],
        rules: [...forced, ...twice, rule("#a #b"), rule("#a #c"), rule("x, #a #d"), rule(".top", "z-index: 99999;", { zIndex: 99_999 })],
        usage: { rules: 1000, unused: 900, unusedChars: 90_000 },
        tinyTexts: [
          { ref: 5, px: 9 },
          { ref: 6, px: 7.5 },
        ],
        overflows: [{ ref: 7, px: 320 }],
        endless: [{ ref: 8, name: "slide", properties: ["left", "opacity"], area: 40_000 }],
        unusedFonts: ["Nobody"],
        unknown: [{ ref: 0, property: "colr", suggestion: "color", place: { file: "src/app.css", line: 3 } }],
      }),
    ],
  ]);
}
