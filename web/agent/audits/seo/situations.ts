// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { Located } from "../fault";
import { whereOf } from "../where";
import type { LinkFact, MetaFact, SeoFacts } from "./facts";

export const LOCAL = whereOf({}, "http://localhost:5173/shop");
export const DEPLOYED = whereOf({ seen: { documentHeaders: [], cookies: [], status: 200, targetOrigin: "https://shop.example", tls: true } }, "http://localhost:5173/shop");

export function meta(ref: number, name: string, text: string): MetaFact {
  return { ref, name, text };
}

export function link(ref: number, href: string | undefined, more: Partial<LinkFact> = {}): LinkFact {
  return { ref, href, text: "Ovens", onclick: false, control: false, inPage: false, ...more };
}

export const SOUND_METAS: readonly MetaFact[] = [
  meta(1, "description", "How bread is made at home, from flour and water to the loaf on the table."),
  meta(2, "viewport", "width=device-width, initial-scale=1"),
  meta(3, "og:title", "Bread"),
  meta(4, "og:description", "How bread is made"),
  meta(5, "og:image", "https://shop.example/bread.png"),
];

/** A page with nothing wrong. */
export function page(more: Partial<SeoFacts> = {}): SeoFacts {
  return {
    where: LOCAL,
    status: 200,
    robotsHeaders: [],
    titles: [{ ref: 0, text: "A page about bread" }],
    metas: SOUND_METAS,
    headings: [{ ref: 6, text: "Bread", shown: true }],
    lang: "en",
    charset: "UTF-8",
    canonicals: [],
    alternates: [],
    structured: [],
    refreshes: [],
    icons: 1,
    links: [],
    words: 50,
    ...more,
  };
}

/** The selectors of the elements in the situations. */
export const LOCATED: Located = { selectors: new Map(Array.from({ length: 30 }, (_, ref) => [ref, `#e${ref}`])), sources: new Map([[20, { place: { file: "src/Links.tsx", line: 12 } }]]) };

export function situations(): Map<string, SeoFacts> {
  return new Map([
    ["seo-clean", page()],
    ["seo-scaffold", page({ titles: [{ ref: 0, text: "Vite + React" }], metas: SOUND_METAS.slice(1, 2), words: 31 })],
    ["seo-error-page", page({ status: 404, titles: [], metas: [] })],
    [
      "seo-faults",
      page({
        where: DEPLOYED,
        titles: [{ ref: 0, text: "x".repeat(90) }],
        metas: [meta(1, "robots", "noindex"), meta(2, "viewport", "width=1024"), meta(3, "og:image", "/bread.png")],
        headings: [],
        lang: "",
        charset: "windows-1252",
        canonicals: [{ ref: 7, text: "https://shop.example/" }],
        alternates: [{ ref: 8, lang: "en-UK", href: "/en" }],
        structured: [
          { ref: 9, text: '{"@type": "Recipe",, "name": "Bread"}' },
          { ref: 10, text: "{}" },
        ],
        refreshes: [{ ref: 11, text: "0; url=/new" }],
        icons: 0,
        links: [link(20, "javascript:go()"), link(21, "/a", { text: "" }), link(22, "/b", { text: "click here" }), link(23, "#/c"), link(24, "#/d")],
        words: 3,
      }),
    ],
  ]);
}
