import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoaderRecord } from "../../loader-record";
import { auditLoaders } from "./audit";
import type { LoadingFinding, LoadingInput } from "./types";

let nextID = 1;

/** A spinner in #main by default, from and to in ms. */
function spin(start: number, end: number | null, more: Partial<LoaderRecord> = {}): LoaderRecord {
  const id = nextID++;
  return { id, selector: `#main > div.spinner-${String.fromCharCode(96 + (id % 26) + 1)}`, region: "#main", kind: "spinner", start, end, container: "#main", ...more };
}

function audit(loaders: readonly LoaderRecord[], more: Partial<LoadingInput> = {}) {
  return auditLoaders({ loaders, actions: [], dropped: 0, at: 60_000, now: Date.UTC(2026, 10, 15), ...more });
}

const types = (findings: readonly LoadingFinding[]): string[] => findings.map((finding) => `${finding.type} ${finding.depth ?? finding.count} ${finding.severity} ${finding.weight}`);

const cases: readonly [name: string, loaders: () => LoaderRecord[], want: readonly string[], more?: Partial<LoadingInput>][] = [
  // Cascades.
  ["two in a row", () => [spin(100, 300), spin(350, 600)], ["spinner-cascade 2 warning 8"]],
  ["one at the very end of the other", () => [spin(100, 300), spin(300, 600)], ["spinner-cascade 2 warning 8"]],
  ["swapped within a frame, the new one seen first", () => [spin(100, 300), spin(290, 600)], ["spinner-cascade 2 warning 8"]],
  ["a gap of 400", () => [spin(100, 300), spin(700, 900)], ["spinner-cascade 2 warning 8"]],
  ["a gap of 400 in decimals", () => [spin(0.1, 0.3), spin(400.3, 500)], ["spinner-cascade 2 warning 8"]],
  ["a gap of 401", () => [spin(100, 300), spin(701, 900)], []],
  ["exactly a second is a warning", () => [spin(0, 400), spin(500, 1000)], ["spinner-cascade 2 warning 8"]],
  ["over a second is critical", () => [spin(0, 400), spin(500, 1001)], ["spinner-cascade 2 critical 14"]],
  ["three levels", () => [spin(0, 100), spin(120, 220), spin(240, 300)], ["spinner-cascade 3 warning 12"]],
  ["four levels, long", () => [spin(0, 300), spin(310, 600), spin(610, 900), spin(910, 1300)], ["spinner-cascade 4 critical 22"]],
  ["the same spinner shown again is a cascade too", () => [spin(0, 200, { selector: "#s" }), spin(250, 400, { selector: "#s" })], ["spinner-cascade 2 warning 8"]],
  ["in any order", () => [spin(240, 300), spin(0, 100), spin(120, 220)], ["spinner-cascade 3 warning 12"]],
  ["a step of two side by side is one step", () => [spin(0, 100), spin(120, 220), spin(125, 200), spin(240, 300)], ["spinner-cascade 3 warning 12"]],
  ["the last one still there", () => [spin(0, 300), spin(350, null)], ["spinner-cascade 2 critical 14"], { at: 1500 }],
  ["two regions, a cascade each", () => [spin(0, 100), spin(120, 220), spin(0, 90, { region: "#side" }), spin(95, 130, { region: "#side" })], ["spinner-cascade 2 warning 8", "spinner-cascade 2 warning 8"]],
  ["the same cascade twice is told once", () => [0, 5000].flatMap((at) => [spin(at, at + 100, { selector: "#a" }), spin(at + 150, at + 300, { selector: "#b" })]), ["spinner-cascade 2 warning 8"]],

  ["a loader in what took the first one's place", () => [spin(0, 300), spin(320, 600, { region: "section", container: "section" }), spin(610, 900, { region: "article", container: "article" })], ["spinner-cascade 3 warning 12"], { within: new Map([["section", ["#main"]], ["article", ["section", "#main"]]]) }],

  // What is no cascade.
  ["out of what it was in", () => [spin(0, 300, { region: "section", container: "section" }), spin(320, 600)], [], { within: new Map([["section", ["#main"]]]) }],
  ["in what is in another place", () => [spin(0, 300), spin(320, 600, { region: "section" })], [], { within: new Map([["section", ["#side"]]]) }],
  ["one", () => [spin(0, 5000)], []],
  ["one that never ends", () => [spin(0, null)], []],
  ["one after the other in different regions", () => [spin(0, 300), spin(320, 600, { region: "#side" })], []],
  ["side by side", () => [spin(0, 500), spin(10, 490)], []],
  ["overlapping", () => [spin(0, 300), spin(200, 600)], []],
  ["overlapping by more than a frame", () => [spin(0, 300), spin(283, 600)], []],
  ["one inside the time of the other", () => [spin(0, 1000), spin(100, 200)], []],
  ["a click asked for the second", () => [spin(0, 300), spin(500, 700)], [], { actions: [450] }],
  ["a click just before the first one's end asked for the second", () => [spin(0, 300), spin(310, 700)], [], { actions: [260] }],
  ["a click set off the whole", () => [spin(100, 300), spin(320, 700)], ["spinner-cascade 2 warning 8"], { actions: [90] }],
  ["a click on something long before is no excuse", () => [spin(100, 600), spin(620, 900)], ["spinner-cascade 2 warning 8"], { actions: [300] }],
  ["a refresh every two seconds", () => [0, 1, 2, 3, 4, 5].map((turn) => spin(turn * 2000, turn * 2000 + 150, { selector: "#refresh" })), []],
  ["a refresh whose pauses are short", () => [0, 1, 2, 3, 4, 5].map((turn) => spin(turn * 600, turn * 600 + 350, { selector: "#refresh" })), []],
  ["a refresh beside a cascade", () => [...[0, 1, 2, 3, 4].map((turn) => spin(turn * 600, turn * 600 + 350, { selector: "#refresh" })), spin(5, 100), spin(150, 300)], ["spinner-cascade 2 warning 8"]],
  ["four quick turns of one spinner are no rhythm yet", () => [0, 1, 2, 3].map((turn) => spin(turn * 600, turn * 600 + 350, { selector: "#again" })), ["spinner-cascade 4 critical 22"]],
  ["a broken clock", () => [spin(NaN, 10), spin(500, 100)], []],

  // Fragments.
  ["three at once", () => [spin(0, 300), spin(1, 310), spin(2, 320)], ["spinner-fragmentation 3 warning 6"]],
  ["two at once", () => [spin(0, 300), spin(1, 310)], []],
  ["seven at once", () => [0, 1, 2, 3, 4, 5, 6].map((at) => spin(at, 500)), ["spinner-fragmentation 7 warning 10"]],
  ["three, never all at once", () => [spin(0, 100), spin(50, 1600), spin(1000, 1800)], []],
  ["three at once in three containers", () => [spin(0, 300), spin(0, 300, { container: "#b" }), spin(0, 300, { container: "#c" })], []],
  ["three still there", () => [spin(0, null), spin(1, null), spin(2, null)], ["spinner-fragmentation 3 warning 6"]],
  ["together for less than a frame", () => [spin(0, 1000), spin(20, 700), spin(690, 2000, { region: "#later" })], []],
  ["a list of skeletons is one", () => Array.from({ length: 10 }, () => spin(0, 800, { kind: "skeleton" })), []],
  ["skeletons and one spinner", () => [...Array.from({ length: 10 }, () => spin(0, 800, { kind: "skeleton" })), spin(0, 800)], []],
  ["skeletons and two spinners", () => [...Array.from({ length: 10 }, () => spin(0, 800, { kind: "skeleton" })), spin(0, 800), spin(1, 800)], ["spinner-fragmentation 3 warning 6"]],
  ["each card of a grid its own", () => [1, 2, 3, 4].map((card) => spin(0, 400, { container: `#grid > div:nth-child(${card})` })), ["spinner-fragmentation 4 warning 7"]],
  ["deep in each card of a grid", () => [1, 2, 3].map((card) => spin(0, 400, { container: `#grid > div:nth-child(${card}) > p.stock > span:nth-of-type(2)` })), ["spinner-fragmentation 3 warning 6"]],
  ["cards whose selectors do not name the grid", () => [1, 2, 3].map((card) => spin(0, 400, { container: `div.card:nth-of-type(${card})` })), ["spinner-fragmentation 3 warning 6"]],
  ["cards of which one names the grid", () => [spin(0, 400, { container: "#grid > div.card:nth-of-type(1)" }), ...[2, 3].map((card) => spin(0, 400, { container: `div.card:nth-of-type(${card})` }))], ["spinner-fragmentation 3 warning 6"]],
  ["at other places of three cards", () => ["p", "h2", "div"].map((part, card) => spin(0, 400, { container: `#grid > div:nth-child(${card + 1}) > ${part}` })), []],
  ["each card of two grids its own", () => ["a", "b"].flatMap((grid) => [1, 2].map((card) => spin(0, 400, { container: `#${grid} > div:nth-child(${card})` }))), []],
];

test("which loaders are found, and which are left alone", () => {
  for (const [name, loaders, want, more] of cases) assert.deepEqual(types(audit(loaders(), more).findings), want, name);
});

test("a cascade names its loaders, its region and how long it took", () => {
  const report = audit([spin(100, 500, { selector: "#a" }), spin(600, 900, { selector: "#b" }), spin(910, 1400.6, { selector: "#c" })]);
  const [finding] = report.findings;
  assert.deepEqual(
    { ...finding, id: "" },
    {
      id: "",
      type: "spinner-cascade",
      severity: "critical",
      selector: "#main",
      message: "3 loaders one after another over 1301ms → load their data together, show one loader",
      weight: 18,
      depth: 3,
      durationMs: 1301,
      container: "#main",
      loaders: ["#a", "#b", "#c"],
    },
  );
  assert.equal(report.summary, "Loading UX is good. (3 loaders analyzed). 1 issue to address");
  assert.equal(report.score, 82);
  assert.equal(report.loadersAnalyzed, 3);
});

test("a cascade that ran twice says so, by its longest run", () => {
  const runs = [0, 5000].flatMap((at) => [spin(at, at + 100, { selector: "#a" }), spin(at + 150, at + 300 + at / 10, { selector: "#b" })]);
  const [finding] = audit(runs).findings;
  assert.equal(finding?.occurrences, 2);
  assert.equal(finding?.durationMs, 800);
});

test("ids do not depend on when or how long", () => {
  const ids = (shift: number): string[] =>
    audit([spin(shift, 300 + shift, { selector: "#a" }), spin(350 + shift, 600 + 2 * shift, { selector: "#b" }), spin(5000, 5300, { container: "#c" }), spin(5000, 5400, { container: "#c" }), spin(5000, 5500 + shift, { container: "#c" })]).findings.map((finding) => finding.id);
  assert.equal(ids(0).length, 2);
  assert.deepEqual(ids(0), ids(70));
});

test("nothing recorded is said, and no deduction", () => {
  const report = audit([]);
  assert.equal(report.summary, "Loading UX is good. (0 loaders analyzed). no loaders recorded — reload page then re-run");
  assert.equal(report.score, 100);
});

test("what the recorder dropped is said", () => {
  assert.equal(audit([spin(0, 10)], { dropped: 7 }).dropped, 7);
});

test("the same input, the same report; the input untouched", () => {
  const loaders = [spin(400, 700), spin(0, 390)];
  const before = JSON.stringify(loaders);
  assert.deepEqual(audit(loaders), audit(loaders.slice(1).concat(loaders.slice(0, 1))));
  assert.equal(JSON.stringify(loaders), before);
});
