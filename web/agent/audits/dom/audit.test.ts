import assert from "node:assert/strict";
import { test } from "node:test";
import { report } from "./audit";
import { detect } from "./detect";
import type { DomFacts } from "./facts";
import { misplacedIn } from "./nesting";
import type { Kind } from "./nesting";
import { LOCATED, page } from "./situations";

const told = (facts: DomFacts): string[] => detect(facts).map((fault) => `${fault.rule} ${fault.severity}`);
const kind = (name: string, detail = ""): Kind => ({ name, detail });

test("a sound page has nothing to hear", () => {
  assert.deepEqual(told(page()), []);
  assert.deepEqual(told(page({ deepest: undefined })), []);
});

test("sizes on both sides of each limit", () => {
  const sizes: [number, string[]][] = [
    [800, []],
    [801, ["dom-size info"]],
    [1500, ["dom-size info"]],
    [1501, ["dom-size warning"]],
    [3000, ["dom-size warning"]],
    [3001, ["dom-size critical"]],
  ];
  for (const [elements, want] of sizes) assert.deepEqual(told(page({ elements })), want, String(elements));
  assert.deepEqual(told(page({ deepest: { ref: 0, size: 32, name: "i" } })), []);
  assert.deepEqual(told(page({ deepest: { ref: 0, size: 33, name: "i" } })), ["dom-depth warning"]);
});

test("what may be inside what", () => {
  const a = kind("a", "/x");
  const cases: [Kind, string, Kind[], string | undefined][] = [
    [kind("button"), "a", [a], "a"],
    [kind("button"), "span", [a], "a"],
    [kind("button"), "a", [], undefined],
    [a, "button", [kind("button")], "button"],
    [kind("a"), "button", [kind("button")], undefined],
    [kind("input", "hidden"), "a", [a], undefined],
    [kind("input", "text"), "a", [a], "a"],
    [kind("span"), "a", [a], undefined],
    [kind("input", "text"), "form", [kind("form")], undefined],
    [kind("form"), "div", [kind("form")], "form"],
    [kind("div"), "p", [kind("p")], "p"],
    [kind("div"), "span", [kind("p")], undefined],
    [kind("span"), "p", [kind("p")], undefined],
    [kind("div"), "td", [], undefined],
    [kind("div"), "tr", [], "tr"],
    [kind("tr"), "table", [], undefined],
    [kind("form"), "tbody", [], "tbody"],
    [kind("script"), "tbody", [], undefined],
    [kind("label"), "a", [a], undefined],
  ];
  for (const [element, parent, above, want] of cases) assert.equal(misplacedIn(element, parent, above), want, `${element.name} in ${parent}`);
});

test("each wrong pair is one finding, however often it is there", () => {
  const nested = [
    { ref: 1, inner: "button", outer: "a" },
    { ref: 2, inner: "div", outer: "p" },
    { ref: 3, inner: "button", outer: "a" },
  ];
  const made = report(page({ nested }), detect(page({ nested })), LOCATED, 0);
  assert.deepEqual(made.findings.map((finding) => [finding.count, finding.selector, finding.examples]), [[2, "#e1", ["#e3"]], [1, "#e2", undefined]]);
  assert.equal(new Set(made.findings.map((finding) => finding.id)).size, 2);
});

test("ids of drawings are a note apart", () => {
  const sharedIds = [
    { id: "g", refs: [1, 2], drawn: true },
    { id: "x", refs: [3, 4], drawn: false },
  ];
  assert.deepEqual(told(page({ sharedIds })), ["duplicate-id warning", "duplicate-id info"]);
  const [first] = report(page({ sharedIds }), detect(page({ sharedIds })), LOCATED, 0).findings;
  assert.deepEqual([first?.selector, first?.message], ["#e4", 'id "x" is on 2 elements: labels, links and scripts find the first only → make ids unique']);
});

test("one autofocus is no fault; the largest comes first", () => {
  assert.deepEqual(told(page({ autofocus: [1] })), []);
  const wide = [
    { ref: 1, size: 70, name: "div" },
    { ref: 2, size: 90, name: "div" },
  ];
  assert.equal(report(page({ wide }), detect(page({ wide })), LOCATED, 0).findings[0]?.selector, "#e2");
});

test("an empty document is not judged", () => {
  const made = report(page({ elements: 0, quirks: true }), detect(page({ quirks: true })), LOCATED, 0);
  assert.deepEqual([made.score, made.findings.length, made.elementsAnalyzed], [100, 0, 0]);
});
