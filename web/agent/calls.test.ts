import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "./call-record";
import { absolute, callAPI, CallBuffer, elapsed, isFailed, repeated, stats } from "./calls";
import type { CallStart } from "./calls";

const start = (over: Partial<CallStart> = {}): CallStart => ({
  kind: "fetch",
  method: "GET",
  url: "/a",
  base: "http://host/dir/page",
  trace: null,
  bodyKey: null,
  ...over,
});

const record = (over: Partial<CallRecord>): CallRecord => ({
  id: "c1",
  kind: "fetch",
  method: "GET",
  url: "http://host/a",
  start: 0,
  end: 10,
  duration: 10,
  timestamp: 0,
  status: 200,
  ok: true,
  error: null,
  aborted: false,
  initiator: null,
  bodyKey: null,
  ...over,
});

const done = { status: 200, ok: true, error: null, aborted: false };

test("the oldest call goes first, and how many went is known", () => {
  const buffer = new CallBuffer(3);
  for (let i = 0; i < 5; i++) buffer.begin(start({ url: `/${i}` }));
  assert.deepEqual(
    buffer.records().map((c) => c.url),
    ["http://host/2", "http://host/3", "http://host/4"],
  );
  assert.equal(buffer.dropped, 2);
  buffer.clear();
  assert.deepEqual(buffer.records(), []);
  assert.equal(buffer.dropped, 0);
  assert.equal(buffer.begin(start()).id, 6);
});

test("exactly full is not yet dropped", () => {
  const buffer = new CallBuffer(2);
  buffer.begin(start());
  buffer.begin(start());
  assert.equal(buffer.dropped, 0);
  assert.equal(buffer.records().length, 2);
});

test("a call in flight has no ending", () => {
  const buffer = new CallBuffer();
  buffer.begin(start());
  const [call] = buffer.records();
  assert.ok(call);
  assert.deepEqual([call.end, call.duration, call.status, call.ok, call.error, call.aborted], [null, null, null, null, null, false]);
});

test("the first ending counts", () => {
  const call = new CallBuffer().begin(start());
  call.finish({ status: 0, ok: false, error: "AbortError: x", aborted: true });
  call.finish(done);
  call.answer(200, true);
  const { status, aborted, error } = call.record();
  assert.deepEqual([status, aborted, error], [0, true, "AbortError: x"]);
});

test("an ending before the start is moved to the start", () => {
  const call = new CallBuffer().begin(start());
  call.finish(done, call.start - 50);
  assert.equal(call.record().duration, 0);
});

test("a body does not end before its head was seen", () => {
  const call = new CallBuffer().begin(start());
  call.answer(200, true);
  call.bodyEnd(call.start - 1);
  const { end, status } = call.record();
  assert.equal(end, call.answered);
  assert.equal(status, 200);
});

test("URLs are resolved as the platform does", () => {
  const cases: [string, string, string][] = [
    ["x?y=1#z", "http://host/dir/page", "http://host/dir/x?y=1"],
    ["//other/x", "https://host/", "https://other/x"],
    ["?q", "http://host/dir/page?old", "http://host/dir/page?q"],
    ["", "http://host/dir/page#part", "http://host/dir/page"],
    ["data:,a#b", "http://host/", "data:,a"],
    ["http://", "http://host/", "http://"],
    ["http://host/abs#x", "", "http://host/abs"],
    ["relative", "", "relative"],
  ];
  for (const [url, base, want] of cases) assert.equal(absolute(url, base), want, `${url} on ${base}`);
});

test("what counts as failed", () => {
  assert.equal(isFailed(record({})), false);
  assert.equal(isFailed(record({ status: 399, ok: false })), false);
  assert.equal(isFailed(record({ status: 400, ok: false })), true);
  assert.equal(isFailed(record({ status: 503, ok: false })), true);
  assert.equal(isFailed(record({ status: 0, ok: false, error: "TypeError: x" })), true);
  assert.equal(isFailed(record({ status: 0, ok: false })), false, "an opaque response");
  assert.equal(isFailed(record({ status: 0, ok: false, error: "AbortError", aborted: true })), false, "given up");
  assert.equal(isFailed(record({ status: null, ok: null, end: null, duration: null })), false, "in flight");
});

test("a call in flight lasts until now", () => {
  assert.equal(elapsed(record({ start: 100, end: null, duration: null }), 350), 250);
  assert.equal(elapsed(record({ start: 100, end: 120, duration: 20 }), 350), 20);
});

test("totals", () => {
  const calls = [
    record({ duration: 10, end: 10 }),
    record({ kind: "xhr", method: "POST", duration: 30, end: 30, status: 500, ok: false }),
    record({ start: 0, end: null, duration: null, status: null, ok: null }),
    record({ aborted: true, error: "AbortError", status: 0, ok: false, duration: 20, end: 20 }),
  ];
  assert.deepEqual(stats(calls, 2000, 7, 1000), {
    total: 4,
    inFlight: 1,
    failed: 1,
    aborted: 1,
    slow: 1,
    byKind: { fetch: 3, xhr: 1 },
    byMethod: { GET: 3, POST: 1 },
    averageMs: 20,
    slowestMs: 30,
    dropped: 7,
    capacity: 1000,
  });
  assert.equal(stats([], 0, 0, 10).averageMs, null);
});

test("a method named like a property of every object is only a method", () => {
  assert.deepEqual(stats([record({ method: "constructor" })], 0, 0, 1).byMethod, { constructor: 1 });
});

test("repetition needs the same method, URL and body", () => {
  const groups = repeated([
    record({ id: "c1", start: 1 }),
    record({ id: "c2", start: 2, method: "POST", bodyKey: "a" }),
    record({ id: "c3", start: 3, method: "POST", bodyKey: "b" }),
    record({ id: "c4", start: 4 }),
    record({ id: "c5", start: 5, method: "POST", bodyKey: "b" }),
    record({ id: "c6", start: 6, method: "POST", bodyKey: "b" }),
    record({ id: "c7", start: 7, url: "http://other/a" }),
  ]);
  assert.deepEqual(
    groups.map((g) => [g.method, g.bodyKey, g.count, g.ids, g.firstStart, g.lastStart]),
    [
      ["POST", "b", 3, ["c3", "c5", "c6"], 3, 6],
      ["GET", null, 2, ["c1", "c4"], 1, 4],
    ],
  );
});

test("the API hands out copies and settles before each read", () => {
  const buffer = new CallBuffer();
  let settled = 0;
  const api = callAPI(buffer, () => settled++);
  buffer.begin(start()).finish(done);
  const [first] = api.getCalls();
  const [second] = api.getCalls();
  assert.ok(first !== second);
  assert.deepEqual(first, second);
  assert.deepEqual(JSON.parse(JSON.stringify(first)), first);
  api.getStats();
  api.getFailedCalls();
  api.getSlowCalls();
  api.getRepeatedCalls();
  assert.equal(settled, 6);
  assert.equal(api.getSlowCalls(0).length, 1);
  api.clear();
  assert.deepEqual(api.getCalls(), []);
});

test("stacks are worded in idle moments, each call once", () => {
  const pending: (() => boolean)[] = [];
  const buffer = new CallBuffer(3, (work) => {
    pending.push(work);
  });
  const reads: number[] = [];
  const trace = (n: number): { readonly stack: string } => ({
    get stack() {
      reads.push(n);
      return `at f${n} (x.js:1:1)`;
    },
  });
  const drain = (): void => {
    for (const work of pending.splice(0)) {
      let more = true;
      while (more) more = work();
    }
  };
  for (let i = 0; i < 5; i++) buffer.begin(start({ trace: trace(i) }));
  assert.deepEqual(reads, []);
  drain();
  assert.deepEqual(reads, [2, 3, 4]);
  buffer.begin(start({ trace: trace(5) }));
  drain();
  assert.deepEqual(reads, [2, 3, 4, 5]);
  assert.deepEqual(buffer.records().map((c) => c.initiator), ["at f3 (x.js:1:1)", "at f4 (x.js:1:1)", "at f5 (x.js:1:1)"]);
  buffer.clear();
  drain();
  buffer.begin(start({ trace: trace(6) }));
  drain();
  assert.deepEqual(reads, [2, 3, 4, 5, 6]);
});
