import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "./encode";
import { maxDepth, write } from "./values";

const big = 1_000_000;
const json = (value: unknown, limit = big): string => write(value, limit).json;

test("what JSON can carry is copied as JSON.stringify does", () => {
  const values: unknown[] = [
    0, -1.5, 1e21, true, null, "", "text \"\\\n\u2028\ud800 😀", [], {}, [1, [2, [3]]], { a: { b: [null, false] }, "": 1, "k\"": 2 },
    { u: undefined, n: 1 }, new Date(0), Object.create(null), { toJSON: () => [1] }, [undefined], { date: new Date(5) },
    new (class Point { x = 1; y = 2 })(),
  ];
  for (const value of values) {
    assert.equal(json(value), JSON.stringify(value));
    assert.ok(write(value, big).exact, JSON.stringify(value));
  }
});

test("what it cannot carry gets a readable form and is not exact", () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const table: [unknown, string, string][] = [
    [NaN, '"NaN"', "number"],
    [-Infinity, '"-Infinity"', "number"],
    [10n, '"10n"', "bigint"],
    [Symbol("x"), '"Symbol(x)"', "symbol"],
    [() => 1, '"[function]"', "function"],
    [function f() {}, '"[function f]"', "function"],
    [class C { x = 1 }, '"[class C]"', "function"],
    [loop, '{"self":"[circular]"}', "object"],
    [new Map([[{ k: 1 }, "v"]]), '{"[Map]":[[{"k":1},"v"]]}', "Map"],
    [new Set([1]), '{"[Set]":[1]}', "Set"],
    [new WeakMap(), '"[WeakMap]"', "WeakMap"],
    [Promise.resolve(), '"[Promise]"', "Promise"],
    [/x/g, '"/x/g"', "RegExp"],
    [new Float32Array([1.5]), "[1.5]", "Float32Array"],
  ];
  for (const [value, want, type] of table) {
    const got = write(value, big);
    assert.equal(got.json, want);
    assert.equal(got.type, type);
    assert.equal(got.exact, false, want);
  }
  assert.equal(write(undefined, big).type, "undefined");
  const failed = write(Object.assign(new TypeError("bad"), { cause: "why" }), big).json;
  assert.match(failed, /^\{"\[error\]":"TypeError: bad","stack":"TypeError: bad/);
});

test("the same object twice is no circle", () => {
  const shared = { a: 1 };
  assert.equal(json([shared, shared]), '[{"a":1},{"a":1}]');
});

test("nothing a page does can make it throw", () => {
  const refuse = (): never => {
    throw new Error("no");
  };
  const traps = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const evil: unknown[] = [
    new Proxy({}, traps),
    new Proxy([], traps),
    new Proxy(() => {}, traps),
    revoked.proxy,
    { get a() { return refuse(); } },
    { toJSON: refuse },
    { [Symbol.toStringTag]: "Map" },
    { [Symbol.toStringTag]: "Set" },
    { get [Symbol.toStringTag]() { return refuse(); } },
    Object.defineProperty(() => {}, "name", { get: refuse }),
    { nodeType: 1, nodeName: "X", ownerDocument: null, get id() { return refuse(); }, classList: new Proxy({}, traps) },
    { length: 1e9, [Symbol.iterator]: refuse, [Symbol.toStringTag]: "List" },
    Object.assign(new Error("x"), { stack: { toString: refuse } }),
  ];
  for (const value of evil) JSON.parse(json(value, 10_000));
  JSON.parse(json(evil, 10_000));
});

test("an answer is bounded, stays JSON, and says what is missing", () => {
  const table: [string, unknown][] = [
    ["string", "x".repeat(500_000)],
    ["escapes", "\u0001".repeat(500_000)],
    ["array", Array(1_000_000).fill(0)],
    ["holes", Array(4_000_000_000)],
    ["objects", Array.from({ length: 50_000 }, (_, i) => ({ i, name: `n${i}` }))],
    ["strings", Array.from({ length: 50_000 }, () => "some text")],
    ["keys", Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))],
    ["map", new Map(Array.from({ length: 50_000 }, (_, i) => [i, i]))],
  ];
  for (const [name, value] of table) {
    const got = write(value, 10_000);
    JSON.parse(got.json);
    assert.ok(got.json.length < 10_200, `${name}: ${got.json.length}`);
    assert.ok(got.json.length > 5_000, `${name}: ${got.json.length}`);
    assert.ok(got.cut !== null && got.cut.items + got.cut.chars > 0, name);
    assert.equal(got.exact, false, name);
  }
  assert.deepEqual(write("abcdef", 5).cut, { items: 0, chars: 3 });
  assert.equal(json([1, 2, 3, 4, 5, 6], 8), '[1,2,3,"… 3 more"]');
});

test("what is shared again and again takes no longer than it is shown", () => {
  let shared: unknown = 1;
  for (let i = 0; i < 50; i++) shared = { a: shared, b: shared };
  const got = write(shared, 10_000);
  JSON.parse(got.json);
  assert.ok(got.json.length < 20_000, `${got.json.length}`);
  assert.ok(got.cut !== null);
});

test("depth is bounded", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 100_000; i++) deep = [deep];
  const got = write(deep, big);
  assert.equal(got.json, `${"[".repeat(maxDepth + 1)}"[too deep]"${"]".repeat(maxDepth + 1)}`);
  assert.deepEqual(got.cut, { items: 1, chars: 0 });
});

test("messages are whole, whatever toJSON the page has made", () => {
  for (const owner of [Object.prototype, Array.prototype]) {
    Reflect.defineProperty(owner, "toJSON", { value: () => "hijacked", configurable: true });
  }
  try {
    assert.equal(encode({ t: "events", events: [{ at: 1 }], text: "x".repeat(3) }), '{"t":"events","events":[{"at":1}],"text":"xxx"}');
  } finally {
    Reflect.deleteProperty(Object.prototype, "toJSON");
    Reflect.deleteProperty(Array.prototype, "toJSON");
  }
});
