import assert from "node:assert/strict";
import { test } from "node:test";
import { Cursor, lowerBound, orderBy, upperBound } from "./collect";
import { random } from "./trace";

test("bounds of a sorted list", () => {
  const sorted = [1, 3, 3, 7];
  assert.deepEqual([0, 1, 3, 4, 8].map((value) => lowerBound(sorted, value)), [0, 0, 1, 3, 4]);
  assert.deepEqual([0, 1, 3, 4, 8].map((value) => upperBound(sorted, value)), [0, 1, 3, 3, 4]);
});

test("orderBy keeps equals in their order, and big numbers too", () => {
  const next = random(3);
  for (const scale of [10, 5000, 1e9, 1e14]) {
    const items = Array.from({ length: 300 }, (_, place) => ({ place, value: Math.floor(next() * 40) * (scale / 40) }));
    const expected = [...items].sort((a, b) => a.value - b.value || a.place - b.place);
    assert.deepEqual(orderBy(items, (item) => item.value), expected, `scale ${scale}`);
  }
});

test("a cursor goes on from where it was", () => {
  const cursor = new Cursor(Float64Array.from([1, 3, 3, 7]));
  assert.deepEqual([0, 1, 2, 3, 6, 7, 100].map((most) => cursor.upTo(most)), [0, 1, 1, 3, 3, 4, 4]);
});
