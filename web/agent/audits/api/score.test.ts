import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "../../call-record";
import { gradeOf } from "../score";
import { wordOf } from "../words";
import { THRESHOLDS } from "./thresholds";
import { audit, call, only, unrelated, word } from "./trace";

/** Well apart, so that one fault never touches the next. */
const LATER = 60_000;

const fanOut = (index: number): CallRecord[] =>
  Array.from({ length: 5 }, (_, id) => call(`n${index}.${id}`, `/api/${word(index)}/${id + 11}`, LATER * (index + 1) + id, 90));
const slowChain = (index: number): CallRecord[] => [
  call(`s${index}.a`, `/slow/${word(index)}/head`, LATER * (index + 31), 700),
  call(`s${index}.b`, `/slow/${word(index)}/tail`, LATER * (index + 31) + 703, 800),
];
const chain = (index: number): CallRecord[] =>
  ["head", "body", "tail"].map((part, step) => call(`w${index}.${step}`, `/chain/${word(index)}/${part}`, LATER * (index + 61) + step * 92, 90));
const twice = (index: number): CallRecord[] => [0, 1].map((step) => call(`d${index}.${step}`, `/twice/${word(index)}`, LATER * (index + 91) + step * 7, 90));
const chatty = (count: number): CallRecord[] => unrelated(count, 10, 3);
const times = (count: number, make: (index: number) => CallRecord[]): CallRecord[] => Array.from({ length: count }, (_, index) => make(index)).flat();

test("score, grade and summary at every edge", () => {
  const cases: [CallRecord[], number, string, string][] = [
    [times(1, fanOut), 90, "A", "good. (5 calls analyzed). 1 issue to address"],
    [[...times(1, twice), ...chatty(21)], 89, "B", "good. (23 calls analyzed). 2 issues to address"],
    [times(2, fanOut), 80, "B", "good. (10 calls analyzed). 2 issues to address"],
    [[...times(1, slowChain), ...chatty(21)], 79, "C", "moderate. (23 calls analyzed). 2 issues to address"],
    [[...times(1, slowChain), ...times(1, fanOut)], 72, "C", "moderate. (7 calls analyzed). 2 issues to address"],
    [[...times(1, chain), ...times(2, fanOut)], 70, "C", "moderate. (13 calls analyzed). 3 issues to address"],
    [[...times(1, slowChain), ...times(1, chain), ...chatty(21)], 69, "D", "moderate. (26 calls analyzed). 3 issues to address"],
    [times(5, twice), 60, "D", "moderate. (10 calls analyzed). 5 issues to address"],
    [[...times(1, slowChain), ...times(2, fanOut), ...chatty(21)], 59, "F", "needs attention. (33 calls analyzed). 4 issues to address"],
    [[...times(1, fanOut), ...chatty(41)], 84, "B", "good. (46 calls analyzed). 2 issues to address"],
    [[...times(1, fanOut), ...chatty(81)], 80, "B", "good. (86 calls analyzed). 2 issues to address"],
    [times(13, twice), 0, "F", "needs attention. (26 calls analyzed). 13 issues to address"],
  ];
  for (const [calls, score, grade, summary] of cases) {
    const report = audit(calls);
    assert.equal(report.score, score);
    assert.equal(report.grade, grade);
    assert.equal(report.summary, `API efficiency is ${summary}`);
  }
  assert.deepEqual([100, 90, 89, 80, 79, 70, 69, 60, 59, 0].map(gradeOf), ["A", "A", "B", "B", "C", "C", "D", "D", "F", "F"]);
  assert.deepEqual([100, 80, 79, 60, 59, 0].map(wordOf), ["good", "good", "moderate", "moderate", "needs attention", "needs attention"]);
});

test("an empty buffer", () => {
  assert.deepEqual(audit([], { dropped: 3 }), {
    audit: "api",
    score: 100,
    grade: "A",
    summary: "API efficiency is good. (0 calls analyzed). no API calls recorded — reload page then re-run",
    checkedAt: "2026-11-15T12:00:00.000Z",
    findings: [],
    findingSelectors: [],
    callsAnalyzed: 0,
    dropped: 3,
    thresholds: THRESHOLDS,
  });
});

test("all findings of a type are reported, in the order of the groups, with a selector each", () => {
  const report = audit([...times(6, twice), ...times(6, fanOut), ...times(6, chain), ...chatty(21)]);
  const types = report.findings.map((finding) => finding.type);
  assert.deepEqual(types, [
    ...Array.from({ length: 6 }, () => "waterfall"),
    ...Array.from({ length: 6 }, () => "n-plus-one"),
    ...Array.from({ length: 6 }, () => "duplicate-call"),
    "chatty-load",
    "over-fetch-unavailable",
  ]);
  assert.deepEqual(report.findingSelectors, report.findings.map((finding) => finding.selector));
  assert.equal(new Set(report.findings.map((finding) => finding.id)).size, report.findings.length);
  assert.equal(report.score, 0);
});

test("a full buffer says how many calls it no longer holds", () => {
  const calls = Array.from({ length: 1000 }, (_, index) => call(`c${index}`, `/api/${word(index)}/list`, 5000 + index * 700, 40));
  const report = audit(calls, { dropped: 234 });
  assert.equal(report.dropped, 234);
  assert.equal(report.callsAnalyzed, 1000);
  assert.equal(report.summary, "API efficiency is good. (1000 calls analyzed)");
});

test("ids rest on type, method and target only", () => {
  const first = audit(times(1, fanOut)).findings[0];
  const later = audit(fanOut(0).concat([call("x", "/api/waaax/99", LATER + 50, 70)]).map((record) => ({ ...record, id: `z${record.id}`, start: record.start + 123.4, end: (record.end ?? 0) + 200 }))).findings[0];
  assert.ok(first && later);
  assert.equal(later.message, "6× /api/waaax/{id} → batch");
  assert.equal(first.id, later.id);
  const put = audit(fanOut(0).map((record) => ({ ...record, method: "PUT" }))).findings[0];
  assert.notEqual(put?.id, first.id);
  const other = audit(fanOut(0).map((record) => ({ ...record, url: record.url.replace("app.test", "api.test") }))).findings[0];
  assert.equal(other?.selector, "http://api.test/api/waaax/{id}");
  assert.notEqual(other?.id, first.id);
});

test("a chain keeps its id for other users and other lengths, and runs of one chain are one finding", () => {
  const run = (user: number, parts: readonly string[], start: number): CallRecord[] =>
    parts.map((part, step) => call(`${user}.${start}.${step}`, `/users/${user}/${part}`, start + step * 92, 90));
  const three = only(audit(run(4, ["a", "b", "c"], 100)), "waterfall");
  const four = only(audit(run(77, ["a", "b", "c", "d"], 100)), "waterfall");
  assert.deepEqual(three.map((found) => found.id), four.map((found) => found.id));
  const again = only(audit([...run(4, ["a", "b", "c"], 100), ...run(4, ["a", "b", "c"], 9000)]), "waterfall");
  assert.deepEqual(again.map((found) => [found.occurrences, found.calls.length, found.chainLength]), [[2, 6, 3]]);
  const two = only(audit([...run(4, ["a", "b", "c"], 100), ...run(4, ["a", "x", "y"], 9000)]), "waterfall");
  const swapped = only(audit([...run(4, ["a", "x", "y"], 100), ...run(4, ["a", "b", "c"], 9000)]), "waterfall");
  assert.equal(new Set(two.map((found) => found.id)).size, 2);
  assert.deepEqual(two.map((found) => found.id).sort(), swapped.map((found) => found.id).sort());
  assert.equal(two[0]?.id, swapped[1]?.id);
});

test("StrictMode's doubling is told but not counted", () => {
  const frame = "    at useUser (http://app.test/src/user.ts:4:3)";
  const report = audit([
    call("a", "/api/user", 100, 80, { initiator: frame }),
    call("b", "/api/user", 102, 80, { initiator: `${frame}\n    at doubleInvokeEffectsOnFiber (http://app.test/node_modules/react-dom.js:9:9)` }),
  ]);
  const [found] = only(report, "duplicate-call");
  assert.ok(found);
  assert.equal(found.message, "GET /api/user fetched 2× in 2ms → React StrictMode runs effects twice in development only");
  assert.deepEqual([found.severity, found.strictMode, report.score], ["info", true, 100]);
  assert.equal(report.summary, "API efficiency is good. (2 calls analyzed)");
});

test("what a page writes into a URL never reads as ours, and secrets stay out", () => {
  const url = "/api/x\u0007\u2028\u202e?access_token=hunter2&note=a%0A===%20API";
  const report = audit([call("a", url, 100, 80), call("b", url, 110, 80)]);
  const [found] = only(report, "duplicate-call");
  assert.equal(found?.selector, "/api/x?access_token=[redacted]&note=a%0A===%20API");
  assert.ok(!JSON.stringify(report).includes("hunter2"));
  const long = audit([call("a", `/${"y".repeat(5000)}`, 100, 80), call("b", `/${"y".repeat(5000)}`, 110, 80)]);
  assert.ok((long.findings[0]?.selector.length ?? 0) <= 300);
});
