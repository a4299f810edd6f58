import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyKey } from "./body-key";

test("equal bodies have equal keys, different bodies different ones", () => {
  const bodies = ["", "a", "b", "ab", "ba", '{"query":"{a}"}', '{"query":"{b}"}', "x".repeat(8192), "x".repeat(8193), `${"x".repeat(8192)}y`];
  const keys = bodies.map(bodyKey);
  assert.equal(new Set(keys).size, bodies.length);
  assert.deepEqual(bodies.map(bodyKey), keys);
  for (const key of keys) assert.match(String(key), /^[0-9a-f]{16}$/);
});

test("a long body's ends and length always count", () => {
  const long = "m".repeat(100_000);
  assert.notEqual(bodyKey(`${long}a`), bodyKey(`${long}b`));
  assert.notEqual(bodyKey(`a${long}`), bodyKey(`b${long}`));
  assert.notEqual(bodyKey(long), bodyKey(`${long}m`));
});

test("no key without a body that can be looked at for free", () => {
  for (const body of [null, undefined, 7, {}, [], new ReadableStream(), () => "x"]) assert.equal(bodyKey(body), null);
});

test("bytes, whatever they come in", () => {
  const bytes = new TextEncoder().encode("body");
  const padded = new Uint8Array([0, ...bytes, 0]);
  const key = bodyKey(bytes);
  assert.ok(key);
  assert.equal(bodyKey(bytes.buffer), key);
  assert.equal(bodyKey(padded.subarray(1, 5)), key);
  assert.equal(bodyKey(new DataView(bytes.buffer)), key);
  assert.notEqual(bodyKey(padded), key);
});

test("forms by their fields", () => {
  const form = (fields: Record<string, string | Blob>): FormData => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) made.append(name, value);
    return made;
  };
  assert.equal(bodyKey(form({ a: "1" })), bodyKey(form({ a: "1" })));
  assert.notEqual(bodyKey(form({ a: "1" })), bodyKey(form({ a: "2" })));
  assert.notEqual(bodyKey(form({ a: "1" })), bodyKey(form({ b: "1" })));
  assert.notEqual(bodyKey(form({ f: new Blob(["x"]) })), bodyKey(form({ f: new Blob(["xy"]) })));
  assert.equal(bodyKey(new URLSearchParams("a=1&b=2")), bodyKey("a=1&b=2"));
});

test("an object that resists has no key", () => {
  const hostile = new Proxy({}, {
    getPrototypeOf() {
      throw new Error("no");
    },
  });
  assert.equal(bodyKey(hostile), null);
});
