import assert from "node:assert/strict";
import { test } from "node:test";
import { reportOf } from "./report";
import type { Draft } from "./report";
import { clip, oneLine, quoted, shownAddress } from "./words";

const draft = (more: Partial<Draft>): Draft => ({ type: "rule", severity: "warning", selector: "#a", message: "wrong → right", weight: 5, ...more });

const report = (drafts: readonly Draft[], analyzed = 10) =>
  reportOf({ audit: "css", quality: "CSS", things: "rules", analyzed, drafts, thresholds: { most: 1 }, now: Date.UTC(2026, 0, 2) });

test("a report starts at 100 and takes off each weight; notes are no issues", () => {
  const made = report([draft({}), draft({ type: "other", weight: 7 }), draft({ type: "note", severity: "info", weight: 0 })]);
  assert.equal(made.score, 88);
  assert.equal(made.grade, "B");
  assert.equal(made.summary, "CSS is good. (10 rules analyzed). 2 issues to address");
  assert.equal(made.rulesAnalyzed, 10);
  assert.equal(made.checkedAt, "2026-01-02T00:00:00.000Z");
  assert.deepEqual(made.findingSelectors, ["#a", "#a", "#a"]);
});

test("an id rests on type and key, not on the element that comes first", () => {
  const [before] = report([draft({ selector: "#a" })]).findings;
  const [after] = report([draft({ selector: "#b", count: 3 })]).findings;
  assert.equal(before?.id, after?.id);
  assert.match(before?.id ?? "", /^rule-[0-9a-f]{6}$/);
  const two = report([draft({ key: "x" }), draft({ key: "y" })]).findings;
  assert.notEqual(two[0]?.id, two[1]?.id);
});

test("nothing analyzed, nothing held against the page", () => {
  const made = report([draft({ weight: 50 })], 0);
  assert.equal(made.score, 100);
  assert.deepEqual(made.findings, []);
});

test("examples are five at most, messages one line", () => {
  const [made] = report([draft({ examples: ["1", "2", "3", "4", "5", "6"], message: `a\nb\u202e${"x".repeat(300)}` })]).findings;
  assert.equal(made?.examples?.length, 5);
  assert.equal(made?.message.length, 160);
  assert.match(made?.message ?? "", /^a b x+…$/);
});

test("the page's words are cut and cannot end our quotes", () => {
  assert.equal(quoted('say "yes"\u0000\nnow'), "\"say 'yes' now\"");
  assert.equal(clip("ab😀cd", 4), "ab…");
  assert.equal(oneLine(" a \t\u2028 b "), "a b");
});

test("addresses: the page's own without their origin, none with a query", () => {
  assert.equal(shownAddress("http://a.test/x/y.png?token=1#z", "http://a.test"), "/x/y.png");
  assert.equal(shownAddress("https://cdn.test/lib.js", "http://a.test"), "https://cdn.test/lib.js");
  assert.equal(shownAddress("http://a.test.evil/x", "http://a.test"), "http://a.test.evil/x");
  assert.equal(shownAddress(`http://a.test/${"d/".repeat(80)}end.js`, "http://a.test", 40).length, 40);
});
