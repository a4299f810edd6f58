import assert from "node:assert/strict";
import { test } from "node:test";
import { detect, report } from "./audit";
import { blockingTime } from "./blocking";
import { scoreOf } from "./curve";
import type { Largest, PerformanceFacts, Picture, Resource } from "./facts";
import { devServerOf, kindOf } from "./gather-files";
import { BYTES_INFO, CLS, FCP, LCP, TBT } from "./thresholds";

const PAGE = "http://app.test";

function facts(more: Partial<PerformanceFacts> = {}): PerformanceFacts {
  return {
    path: "/",
    origin: PAGE,
    local: false,
    devServer: "",
    density: 1,
    vitals: { ttfb: 100, fcp: 900, lcp: largest({}), cls: { value: 0.01 }, tbt: { value: 20, tasks: 0, scripts: [] } },
    resources: [],
    pictures: [],
    hidingFonts: [],
    redirectMs: 0,
    noStore: undefined,
    ...more,
  };
}

function largest(more: Partial<Largest>): Largest {
  return { value: 1000, ref: 1, image: false, lazy: false, hurried: false, loadDelay: 0, loadDuration: 0, renderDelay: 900, ...more };
}

function file(more: Partial<Resource>): Resource {
  return { url: `${PAGE}/a.js`, kind: "script", encoded: 1000, decoded: 3000, start: 0, end: 50, blocking: false, sameOrigin: true, ...more };
}

const photo = (bytes: number): Resource => file({ kind: "image", url: `${PAGE}/a.png`, encoded: bytes, decoded: bytes });

function picture(more: Partial<Picture>): Picture {
  return { ref: 5, url: `${PAGE}/a.png`, naturalWidth: 400, naturalHeight: 300, width: 200, height: 150, screens: 0, lazy: false, vector: false, sized: true, bytes: 50_000, ...more };
}

const many = (count: number, more: (index: number) => Partial<Resource>): Resource[] => Array.from({ length: count }, (_, index) => file(more(index)));

const found = (more: Partial<PerformanceFacts>): string[] => detect(facts(more)).map((told) => `${told.type} ${told.severity} ${told.weight}`);

test("Lighthouse's curve: 0.9 at the good value, 0.5 at the median, falling", () => {
  for (const curve of [FCP, LCP, TBT, CLS]) {
    assert(Math.abs(scoreOf(curve.good, curve) - 0.9) < 1e-5);
    assert(Math.abs(scoreOf(curve.median, curve) - 0.5) < 1e-5);
    assert(scoreOf(curve.median * 4, curve) < 0.06);
    let last = 1;
    for (let value = 0; value < curve.median * 5; value += curve.median / 20) {
      const score = scoreOf(value, curve);
      assert(score <= last && score >= 0, `${value}`);
      last = score;
    }
  }
  // Worked out by hand from the two control points.
  assert.equal(Math.round(scoreOf(5000, LCP) * 100), 27);
  assert.equal(Math.round(scoreOf(1000, TBT) * 100), 28);
});

const vitals = (more: Partial<PerformanceFacts["vitals"]>): Partial<PerformanceFacts> => ({ vitals: { ...facts().vitals, ...more } });

const cases: readonly [name: string, more: Partial<PerformanceFacts>, want: readonly string[]][] = [
  ["a page with good metrics", {}, []],
  ["metrics at the very edge of good", vitals({ ttfb: 800, fcp: 1800, lcp: largest({ value: 2500 }), cls: { value: 0.1 }, tbt: { value: 200, tasks: 2, scripts: [] }, inp: { value: 200 } }), []],
  ["metrics at their medians take half their shares", vitals({ fcp: 3000, lcp: largest({ value: 4000 }), cls: { value: 0.25 }, tbt: { value: 600, tasks: 2, scripts: [] } }), ["slow-fcp warning 6", "slow-lcp warning 14", "main-thread-blocked warning 17", "layout-shift warning 14"]],
  ["a slow paint on a development server counts half", { ...vitals({ fcp: 3000, cls: { value: 0.25 } }), devServer: "Vite" }, ["slow-fcp warning 3", "layout-shift warning 14"]],
  ["only one metric measured has the whole", { vitals: { cls: { value: 0.25 } } }, ["layout-shift warning 50"]],
  ["beyond the median it is critical", vitals({ lcp: largest({ value: 4001 }) }), ["slow-lcp critical 14"]],
  ["a slow interaction", vitals({ inp: { value: 201 } }), ["slow-interaction warning 8"]],
  ["a very slow interaction", vitals({ inp: { value: 501 } }), ["slow-interaction critical 15"]],
  ["a slow server", vitals({ ttfb: 801 }), ["slow-server warning 4"]],
  ["a slow server on a developer's machine is no fault", { ...vitals({ ttfb: 5000 }), local: true }, ["slow-server info 0"]],
  ["a lazy largest image", vitals({ lcp: largest({ image: true, lazy: true }) }), ["lcp-lazy warning 6"]],
  ["a largest image that could hurry", vitals({ lcp: largest({ image: true, value: 1300 }) }), ["lcp-no-priority info 2"]],
  ["a largest image that hurries", vitals({ lcp: largest({ image: true, value: 1300, hurried: true }) }), []],
  ["a largest image that came soon anyway", vitals({ lcp: largest({ image: true, value: 1100 }) }), []],
  ["a largest text cannot hurry", vitals({ lcp: largest({ value: 1300 }) }), []],

  ["a blocking script", { resources: [file({ blocking: true })] }, ["render-blocking-script warning 4"]],
  ["one style sheet of its own", { resources: [file({ blocking: true, kind: "style" })] }, []],
  ["a style sheet from elsewhere", { resources: [file({ blocking: true, kind: "style", sameOrigin: false })] }, ["render-blocking-style warning 3"]],
  ["a slow style sheet", { resources: [file({ blocking: true, kind: "style", end: 501 })] }, ["render-blocking-style warning 3"]],
  ["four style sheets", { resources: many(4, () => ({ blocking: true, kind: "style" })) }, []],
  ["five style sheets", { resources: many(5, () => ({ blocking: true, kind: "style" })) }, ["render-blocking-style warning 3"]],

  ["an image of twice its box", { pictures: [picture({})] }, []],
  ["an image much larger than its box", { pictures: [picture({ naturalWidth: 1200, naturalHeight: 900 })] }, ["image-oversized warning 4"]],
  ["much larger, but a small file", { pictures: [picture({ naturalWidth: 1200, naturalHeight: 900, bytes: 9000 })] }, []],
  ["much larger, right for a screen of density 6", { density: 6, pictures: [picture({ naturalWidth: 1200, naturalHeight: 900 })] }, []],
  ["larger in one direction only: cut on purpose", { pictures: [picture({ naturalWidth: 3000, naturalHeight: 290 })] }, []],
  ["a drawing has no pixels", { pictures: [picture({ naturalWidth: 3000, naturalHeight: 2000, vector: true })] }, []],
  ["of another host, bytes unknown, huge", { pictures: [picture({ naturalWidth: 3000, naturalHeight: 2000, bytes: 0 })] }, ["image-oversized warning 4"]],
  ["of another host, bytes unknown, not huge", { pictures: [picture({ naturalWidth: 900, naturalHeight: 700, bytes: 0 })] }, []],
  ["without a size", { pictures: [picture({ sized: false }), picture({ sized: false })] }, ["image-unsized warning 3"]],
  ["without a size, and not shown", { pictures: [picture({ sized: false, width: 0 })] }, []],
  ["far below", { pictures: [picture({ screens: 2 })] }, ["image-not-lazy info 2"]],
  ["far below, lazy", { pictures: [picture({ screens: 9, lazy: true })] }, []],
  ["just below", { pictures: [picture({ screens: 1.9 })] }, []],
  ["far below, tiny", { pictures: [picture({ screens: 5, bytes: 900 })] }, []],

  ["heavy", { resources: [photo(BYTES_INFO + 1)] }, ["heavy-page info 2"]],
  ["not quite heavy", { resources: [photo(BYTES_INFO)] }, []],
  ["very heavy", { resources: [photo(4_100_000)] }, ["heavy-page warning 5"]],
  ["code of a development server is heavy by nature", { devServer: "Vite", resources: [file({ encoded: 9_000_000, decoded: 9_000_001 })] }, ["heavy-page info 0"]],
  ["images are as heavy there as anywhere", { devServer: "Vite", resources: [photo(9_000_000)] }, ["heavy-page warning 5"]],
  ["100 files", { resources: many(100, () => ({})) }, []],
  ["101 files", { resources: many(101, () => ({})) }, ["many-requests info 1"]],
  ["a file for each module of a development server", { devServer: "Vite", resources: many(300, () => ({})) }, ["many-requests info 0"]],
  ["not compressed", { resources: [file({ encoded: 30_000, decoded: 30_000 })] }, ["uncompressed warning 4"]],
  ["not compressed on a developer's machine", { local: true, resources: [file({ encoded: 30_000, decoded: 30_000 })] }, ["uncompressed info 0"]],
  ["compressed", { resources: [file({ encoded: 30_000, decoded: 90_000 })] }, []],
  ["not compressed, and small", { resources: many(10, () => ({ encoded: 1300, decoded: 1300 })) }, []],
  ["images need no compressing", { resources: [photo(90_000)] }, []],
  ["size unknown: of another host", { resources: [file({ encoded: 0, decoded: 0, sameOrigin: false })] }, []],

  ["text hidden by its font", { hidingFonts: ["Fancy"] }, ["font-display warning 2"]],
  ["redirected", { redirectMs: 101, local: false }, ["redirects info 1"]],
  ["redirected by a development server", { redirectMs: 900, local: true }, ["redirects info 0"]],
  ["redirected quickly", { redirectMs: 100 }, []],
  ["no-store", { noStore: true }, ["no-store info 1"]],
  ["no-store on a developer's machine", { noStore: true, local: true }, []],
  ["headers not seen", { noStore: undefined }, []],
];

test("what is found, how bad, and what it costs", () => {
  for (const [name, more, want] of cases) assert.deepEqual(found(more), want, name);
});

test("every message says what to change, on one line", () => {
  for (const [name, more] of cases) {
    const judged = facts(more);
    for (const finding of report(judged, detect(judged), new Map(), 0).findings) {
      assert.match(finding.message, /→|no judgement/, name);
      assert(finding.message.length <= 160, finding.message);
      assert.notEqual(finding.selector, "");
    }
  }
});

test("a report carries the values, and the elements' selectors", () => {
  const judged = facts({ ...vitals({ lcp: largest({ value: 5000, url: `${PAGE}/hero.png?x=1`, loadDuration: 3000 }) }), pictures: [picture({ ref: 7, sized: false }), picture({ ref: 8, sized: false })] });
  const made = report(judged, detect(judged), new Map([[1, "#hero"], [7, "#a"], [8, "#b"]]), 0);
  assert.deepEqual(made.metrics, { ttfb: 100, fcp: 900, lcp: 5000, cls: 0.01, tbt: 20 });
  assert.equal(made.metricsAnalyzed, 5);
  assert.equal(made.findings[0]?.selector, "#hero");
  assert.equal(made.findings[0]?.message, "largest element (/hero.png) painted after 5000ms, 3000ms to load its file → make it smaller");
  assert.equal(made.findings[1]?.selector, "#a");
  assert.deepEqual(made.findings[1]?.examples, ["#b"]);
  assert.equal(made.summary, "Performance is moderate. (5 metrics analyzed). 2 issues to address");
});

test("nothing measured is no verdict", () => {
  const judged = facts({ vitals: {}, resources: [file({ blocking: true })] });
  const made = report(judged, detect(judged), new Map(), 0);
  assert.equal(made.metricsAnalyzed, 0);
  assert.deepEqual(made.findings, []);
});

test("total blocking time", () => {
  const task = (start: number, duration: number) => ({ start, duration });
  const table: readonly [string, ReturnType<typeof task>[], number, number][] = [
    ["nothing", [], 0, 0],
    ["only what is over 50 ms counts", [task(1100, 60), task(1200, 150)], 110, 2],
    ["before the first paint nothing counts", [task(100, 500)], 0, 0],
    ["a task across the first paint counts from there", [task(900, 300)], 150, 1],
    ["after five quiet seconds it is over", [task(1100, 150), task(6251, 900)], 100, 1],
    ["before five quiet seconds it is not", [task(1100, 150), task(6000, 150)], 200, 2],
    ["what an audit does is not the page's", [task(1100, 150), task(9990, 900)], 100, 1],
  ];
  for (const [name, tasks, value, count] of table) {
    const got = blockingTime(tasks, 1000, 10_000);
    assert.deepEqual([got.value, got.tasks], [value, count], name);
  }
});

test("what kind of file it is", () => {
  const table: readonly [string, string, boolean, Resource["kind"]][] = [
    ["/a.js", "script", false, "script"],
    ["/src/a.css", "script", false, "script"],
    ["/a.css", "link", true, "style"],
    ["/css2", "link", true, "style"],
    ["/a.js", "link", false, "script"],
    ["/a.woff2", "css", false, "font"],
    ["/a.png", "css", false, "image"],
    ["/imported.css", "css", false, "style"],
    ["/src/App.tsx", "other", false, "script"],
    ["/api", "fetch", false, "fetch"],
    ["/a.mp4", "video", false, "media"],
    ["/frame", "iframe", false, "other"],
  ];
  for (const [path, initiator, sheet, want] of table) assert.equal(kindOf(path, initiator, sheet), want, `${path} ${initiator}`);
});

test("development servers are known by their files", () => {
  const table: readonly [string, string][] = [
    ["http://a/@vite/client", "Vite"],
    ["http://a/node_modules/.vite/deps/react.js?v=1", "Vite"],
    ["http://a/_next/static/development/_buildManifest.js", "Next.js"],
    ["http://a/main.abc123.hot-update.js", "webpack"],
    ["http://a/_next/static/chunks/main.js", ""],
    ["http://a/assets/vite-client.js", ""],
    ["http://a/development/app.js", ""],
  ];
  for (const [url, want] of table) assert.equal(devServerOf([url], []), want, url);
  assert.equal(devServerOf([], ["webpackHotUpdatemy_app"]), "webpack");
});
