import assert from "node:assert/strict";
import { test } from "node:test";
import { lateTolerance } from "./links";
import { audit, call, only, unrelated } from "./trace";

/** A chain of three whose second link has this gap. */
function withGap(duration: number, gap: number): number {
  const a = call("a", "/api/first", 100, duration);
  const b = call("b", "/api/second", 100 + duration + 2, duration);
  const c = call("c", "/api/third", 100 + duration + 2 + duration + gap, duration);
  return only(audit([a, b, c]), "waterfall")[0]?.chainLength ?? 0;
}

test("waterfall: B starts from 10 ms before A's end to a tolerance after it", () => {
  const cases = [
    { name: "10 ms early", duration: 80, gap: -10, linked: true },
    { name: "11 ms early", duration: 80, gap: -11, linked: false },
    { name: "least tolerance 20, at it", duration: 30, gap: 20, linked: true },
    { name: "least tolerance 20, below", duration: 30, gap: 19, linked: true },
    { name: "least tolerance 20, above", duration: 30, gap: 21, linked: false },
    { name: "half of 90, below", duration: 90, gap: 44, linked: true },
    { name: "half of 90, at it", duration: 90, gap: 45, linked: true },
    { name: "half of 90, above", duration: 90, gap: 46, linked: false },
    { name: "most tolerance 100, below", duration: 199, gap: 99, linked: true },
    { name: "most tolerance 100, at it", duration: 700, gap: 100, linked: true },
    { name: "most tolerance 100, above", duration: 700, gap: 101, linked: false },
  ];
  for (const { name, duration, gap, linked } of cases) {
    const length = withGap(duration, gap);
    // Slow calls make a pair worth a word, so an unlinked third leaves two.
    assert.equal(length === 3, linked, `${name}: chain of ${length}`);
  }
  assert.deepEqual([10, 40, 41, 200, 201, 5000].map(lateTolerance), [20, 20, 20.5, 100, 100, 100]);
});

test("waterfall: two calls from 200 ms wasted, critical from 500 ms", () => {
  const pair = (wasted: number): string | undefined => {
    // Wall minus longest: the first call and the gap are what is wasted.
    const found = only(audit([call("a", "/api/config", 50, wasted - 5), call("b", "/api/data", 50 + wasted, 900)]), "waterfall");
    return found[0] === undefined ? undefined : `${found[0].severity} ${found[0].wastedMs}`;
  };
  assert.equal(pair(199), undefined);
  assert.equal(pair(200), "warning 200");
  assert.equal(pair(499), "warning 499");
  assert.equal(pair(500), "critical 500");
});

test("waterfall: fields and words", () => {
  const report = audit([
    call("a", "/api/me?x=1", 100.25, 120, { method: "POST", bodyKey: "k" }),
    call("b", "http://other.test/orgs", 224.5, 80),
    call("c", "/api/teams", 307.5, 90.25),
  ]);
  const [found] = only(report, "waterfall");
  assert.ok(found);
  assert.equal(found.selector, "/api/me");
  assert.equal(found.message, "3 calls run serially, ~178ms wasted vs parallel");
  assert.deepEqual(found.urls, ["POST /api/me", "GET http://other.test/orgs", "GET /api/teams"]);
  assert.deepEqual([found.chainLength, found.serialWallMs, found.maxSingleMs, found.wastedMs], [3, 297.5, 120, 177.5]);
  assert.deepEqual(found.calls, ["a", "b", "c"]);
  assert.match(found.id, /^waterfall-[0-9a-f]{6}$/);
});

test("n-plus-one: five calls and three values", () => {
  const fan = (ids: readonly number[]): string[] =>
    only(audit(ids.map((id, index) => call(`c${index}`, `/api/users/${id}`, 100 + index, 90))), "n-plus-one").map((found) => found.message);
  assert.deepEqual(fan([1, 2, 3, 4]), []);
  assert.deepEqual(fan([1, 2, 3, 4, 5]), ["5× /api/users/{id} → batch"]);
  assert.deepEqual(fan([1, 2, 1, 2, 1]), []);
  assert.deepEqual(fan([1, 2, 3, 1, 2]), ["5× /api/users/{id} → batch"]);
});

test("n-plus-one: a serial one says so and what it cost, and is no waterfall", () => {
  const calls = Array.from({ length: 6 }, (_, index) => call(`c${index}`, `/api/users/${index + 7}`, 100 + index * 103, 100));
  const report = audit(calls);
  assert.deepEqual(only(report, "waterfall"), []);
  const [found] = only(report, "n-plus-one");
  assert.ok(found);
  assert.equal(found.message, "6× /api/users/{id} → batch (also run serially, ~515ms wasted vs parallel)");
  assert.deepEqual([found.chainLength, found.serialWallMs, found.maxSingleMs, found.wastedMs], [6, 615, 100, 515]);
  assert.deepEqual([found.method, found.count, found.distinct], ["GET", 6, 6]);
  assert.deepEqual(found.examples, ["/api/users/7", "/api/users/8", "/api/users/9", "/api/users/10", "/api/users/11"]);
  assert.equal(report.score, 90);
});

test("duplicate-call: starts at most 2,000 ms apart, densest cluster, one finding per key", () => {
  const twice = (apart: number): string[] => only(audit([call("a", "/api/x?y=1", 500.1, 90), call("b", "/api/x?y=1", 500.1 + apart, 90)]), "duplicate-call").map((f) => `${f.selector} — ${f.message}`);
  assert.deepEqual(twice(1999), ["/api/x?y=1 — GET /api/x fetched 2× in 1999ms → share one request"]);
  assert.deepEqual(twice(2000), ["/api/x?y=1 — GET /api/x fetched 2× in 2000ms → share one request"]);
  assert.deepEqual(twice(2001), []);
  const starts = [100, 1900, 8000, 8400, 9100, 30_000, 30_010];
  const dense = only(audit(starts.map((start, index) => call(`c${index}`, "/api/x", start, 50))), "duplicate-call");
  assert.deepEqual(dense.map((f) => [f.count, f.spanMs, f.calls]), [[3, 1100, ["c2", "c3", "c4"]]]);
});

test("duplicate-call: five regular turns of 500 ms are polling, four are not, nor are faster ones", () => {
  const turns = (count: number, interval: number, jitter: number): number => {
    const calls = Array.from({ length: count }, (_, index) => call(`c${index}`, "/api/poll", 100 + index * interval + (index % 2) * jitter, 60));
    return only(audit(calls), "duplicate-call").length;
  };
  assert.equal(turns(5, 500, 0), 0);
  assert.equal(turns(4, 500, 0), 1);
  assert.equal(turns(9, 499, 0), 1);
  assert.equal(turns(9, 1000, 60), 0);
  assert.equal(turns(9, 1000, 200), 1);
});

test("chatty-load: more than 20, 40 and 80 calls in the first 3,000 ms", () => {
  const load = (count: number): string | undefined => {
    const found = only(audit(unrelated(count, 100, 5)), "chatty-load")[0];
    return found === undefined ? undefined : `${found.severity}: ${found.selector} — ${found.message}`;
  };
  assert.equal(load(20), undefined);
  assert.equal(load(21), "info: /page — 21 calls in the first 3s of load → combine or defer");
  assert.equal(load(40), "info: /page — 40 calls in the first 3s of load → combine or defer");
  assert.equal(load(41), "warning: /page — 41 calls in the first 3s of load → combine or defer");
  assert.equal(load(80), "warning: /page — 80 calls in the first 3s of load → combine or defer");
  assert.equal(load(81), "critical: /page — 81 calls in the first 3s of load → combine or defer");
  const twenty = unrelated(20, 100, 5);
  const late = (start: number): number => only(audit([...twenty, call("last", "/api/last", start, 40)]), "chatty-load").length;
  assert.equal(late(3000), 1);
  assert.equal(late(3001), 0);
  const shifted = audit([...unrelated(20, 50_100, 5), call("last", "/api/last", 53_001, 40)], { navigationStart: 50_000 });
  assert.deepEqual(only(shifted, "chatty-load"), []);
});

test("over-fetch-unavailable: always there when calls were analysed, never an issue", () => {
  const report = audit([call("a", "/api/one", 100, 50)]);
  assert.deepEqual(report.findings.map((finding) => [finding.type, finding.severity, finding.selector, finding.message]), [
    ["over-fetch-unavailable", "info", "/page", "response sizes are not in the call buffer; payload over-fetch cannot be measured"],
  ]);
  assert.equal(report.score, 100);
  assert.equal(report.summary, "API efficiency is good. (1 calls analyzed)");
});

test("calls in flight, aborted, local and at broken times do no harm", () => {
  const report = audit([
    call("a", "/api/pending", 100, 0, { end: null, duration: null, status: null, ok: null }),
    call("b", "/api/back", 200, -50),
    call("c", "data:text/plain,hi", 210, 1),
    call("d", "/api/nan", Number.NaN, 10),
    call("e", "/api/gone", 220, 10, { aborted: true, status: 0, ok: false, error: "AbortError" }),
  ]);
  assert.equal(report.callsAnalyzed, 5);
  assert.deepEqual(report.findings.map((finding) => finding.type), ["over-fetch-unavailable"]);
});
