// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { PerformanceFacts, Resource } from "./facts";

const ORIGIN = "http://localhost:4000";

function file(name: string, more: Partial<Resource>): Resource {
  return { url: `${ORIGIN}${name}`, kind: "script", encoded: 12_000, decoded: 40_000, start: 20, end: 90, blocking: false, sameOrigin: true, ...more };
}

function page(more: Partial<PerformanceFacts>): PerformanceFacts {
  const lcp = { value: 900, ref: 1, image: false, lazy: false, hurried: false, loadDelay: 0, loadDuration: 0, renderDelay: 800 };
  return {
    path: "/shop",
    origin: ORIGIN,
    local: true,
    devServer: "",
    density: 1,
    vitals: { ttfb: 12, fcp: 300, lcp, cls: { value: 0 }, tbt: { value: 0, tasks: 0, scripts: [] } },
    resources: [file("/app.js", {})],
    pictures: [],
    hidingFonts: [],
    redirectMs: 0,
    noStore: false,
    ...more,
  };
}

/** The selectors of the elements in the situations. */
export const SELECTORS: ReadonlyMap<number, string> = new Map([
  [1, "#hero"],
  [2, "main > .banner"],
  [3, ".product:nth-of-type(3) > img"],
  [4, ".product:nth-of-type(4) > img"],
]);

/** By file name. */
export function situations(): Map<string, PerformanceFacts> {
  const modules = Array.from({ length: 140 }, (_, index) => file(`/src/part${index}.ts`, {}));
  return new Map([
    ["performance-clean", page({})],
    ["performance-unmeasured", page({ vitals: {} })],
    ["performance-development", page({ devServer: "Vite", resources: modules, vitals: { ttfb: 1200, fcp: 2400, cls: { value: 0.01 } } })],
    [
      "performance-slow",
      page({
        vitals: {
          ttfb: 60,
          fcp: 3200,
          lcp: { value: 5200, ref: 1, url: `${ORIGIN}/img/hero.png?v=3`, image: true, lazy: true, hurried: false, loadDelay: 2100, loadDuration: 900, renderDelay: 40 },
          cls: { value: 0.31, ref: 2 },
          inp: { value: 320, ref: 2 },
          tbt: { value: 740, tasks: 4, scripts: ["/vendor.js", "/app.js"] },
        },
        resources: [file("/vendor.js", { blocking: true, encoded: 400_000, decoded: 400_000 }), file("/img/hero.png", { kind: "image", encoded: 3_000_000, decoded: 3_000_000 })],
        pictures: [3, 4].map((ref) => ({ ref, url: `${ORIGIN}/img/${ref}.jpg`, naturalWidth: 2400, naturalHeight: 1800, width: 240, height: 180, screens: 3, lazy: false, vector: false, sized: false, bytes: 600_000 })),
        hidingFonts: ["Fancy Sans"],
      }),
    ],
  ]);
}
