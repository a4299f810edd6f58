import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyEnds } from "./body-ends";
import type { ResourceEntry } from "./body-ends";
import { CallBuffer } from "./calls";
import type { Call } from "./calls";

// Node has no resource timing for these calls: entries are handed over by hand, and whatever waits, waits.
class Ends extends BodyEnds {
  override get works(): boolean {
    return true;
  }
}

const begin = (buffer: CallBuffer, url = "http://host/a"): Call =>
  buffer.begin({ kind: "fetch", method: "GET", url, base: "", trace: null, bodyKey: null });

const entry = (call: Call, over: Partial<ResourceEntry> = {}): ResourceEntry => ({
  name: call.url,
  initiatorType: "fetch",
  startTime: call.start,
  responseEnd: call.start + 500,
  responseStatus: 200,
  ...over,
});

test("an entry ends the body of the call that it belongs to", () => {
  const ends = new Ends(10);
  const call = begin(new CallBuffer());
  ends.expect(call);
  call.answer(200, true);
  assert.equal(call.end, null);
  ends.match(entry(call));
  assert.equal(call.end, call.start + 500);
});

test("entries of other kinds, other URLs and earlier times do not", () => {
  const ends = new Ends(10);
  const call = begin(new CallBuffer());
  ends.expect(call);
  call.answer(200, true);
  ends.match(entry(call, { initiatorType: "img" }));
  ends.match(entry(call, { initiatorType: "xmlhttprequest" }));
  ends.match(entry(call, { name: "http://host/b" }));
  ends.match(entry(call, { startTime: call.start - 5 }));
  assert.equal(call.end, null);
});

test("a fragment in the entry's name does not matter", () => {
  const ends = new Ends(10);
  const call = begin(new CallBuffer());
  ends.expect(call);
  call.answer(200, true);
  ends.match(entry(call, { name: "http://host/a#part" }));
  assert.equal(call.end, call.start + 500);
});

test("a response that the page never looked at is known from its entry", () => {
  const ends = new Ends(10);
  const call = begin(new CallBuffer());
  ends.expect(call);
  ends.match(entry(call, { responseStatus: 404 }));
  assert.deepEqual([call.status, call.ok, call.error], [404, false, null]);
});

test("an entry without a status ends an unanswered call until more is known", () => {
  const ends = new Ends(10);
  const buffer = new CallBuffer();
  const [opaque, failed, late] = [begin(buffer), begin(buffer), begin(buffer)];
  for (const call of [opaque, failed, late]) {
    ends.expect(call);
    ends.match(entry(call, { responseStatus: 0 }));
  }
  failed.finish({ status: 0, ok: false, error: "TypeError: x", aborted: false });
  failed.finish({ status: 200, ok: true, error: null, aborted: false });
  late.answer(204, true);
  assert.deepEqual([opaque.status, opaque.error, opaque.end], [0, null, opaque.start + 500]);
  assert.deepEqual([failed.status, failed.error], [0, "TypeError: x"]);
  assert.deepEqual([late.status, late.ok, late.end], [204, true, late.start + 500]);
});

test("each entry serves one call", () => {
  const ends = new Ends(10);
  const buffer = new CallBuffer();
  const first = begin(buffer);
  const second = begin(buffer);
  for (const call of [first, second]) {
    ends.expect(call);
    call.answer(200, true);
  }
  ends.match(entry(second));
  ends.match(entry(second, { responseEnd: second.start + 900 }));
  assert.ok(first.end !== null && second.end !== null);
  ends.match(entry(second, { responseEnd: second.start + 5000 }));
  assert.ok(first.end < 5000 + first.start && second.end < 5000 + second.start);
});

test("a call that ended otherwise is forgotten", () => {
  const ends = new Ends(10);
  const call = begin(new CallBuffer());
  ends.expect(call);
  call.finish({ status: 0, ok: false, error: "TypeError: x", aborted: false }, call.start + 3);
  ends.forget(call);
  ends.match(entry(call));
  assert.equal(call.end, call.start + 3);
});

test("no more than the limit wait", () => {
  const ends = new Ends(2);
  const buffer = new CallBuffer();
  const calls = ["a", "b", "c"].map((name) => begin(buffer, `http://host/${name}`));
  for (const call of calls) {
    ends.expect(call);
    call.answer(200, true);
  }
  for (const call of calls) ends.match(entry(call));
  assert.deepEqual(calls.map((call) => call.end !== null), [false, true, true]);
});
