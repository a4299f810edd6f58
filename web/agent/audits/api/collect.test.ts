import assert from "node:assert/strict";
import { test } from "node:test";
import { prepare } from "./calls";
import { lowerBound, onward, orderByEnd, upperBound } from "./collect";
import { call, random } from "./trace";

test("bounds of a sorted list", () => {
  const sorted = [1, 3, 3, 7];
  assert.deepEqual([0, 1, 3, 4, 8].map((value) => lowerBound(sorted, value)), [0, 0, 1, 3, 4]);
  assert.deepEqual([0, 1, 3, 4, 8].map((value) => upperBound(sorted, value)), [0, 1, 3, 3, 4]);
});

test("by end, equals in their order, and big numbers too", () => {
  const next = random(3);
  for (const scale of [10, 5000, 1e9, 1e14]) {
    const records = Array.from({ length: 300 }, (_, place) => call(`c${place}`, "/x", -1000, 1000 + Math.floor(next() * 40) * (scale / 40)));
    const calls = [...prepare(records).list].sort((a, b) => a.record.id.length - b.record.id.length || (a.record.id < b.record.id ? -1 : 1));
    const expected = [...calls].sort((a, b) => a.end - b.end || calls.indexOf(a) - calls.indexOf(b));
    assert.deepEqual(orderByEnd(calls).map((one) => one.record.id), expected.map((one) => one.record.id), `scale ${scale}`);
  }
});

test("a search goes on from where it was", () => {
  let place = 0;
  const places = [0, 1, 2, 3, 6, 7, 100].map((most) => (place = onward([1, 3, 3, 7], place, most)));
  assert.deepEqual(places, [0, 1, 1, 3, 3, 4, 4]);
});
