import assert from "node:assert/strict";
import { test } from "node:test";
import { consoleText, preview } from "./preview";

class Point {
  x = 1;
  #hidden = 2;
  sum(): number {
    return this.x + this.#hidden;
  }
}

test("values in a few words", () => {
  const cases: [unknown, string][] = [
    ["text", '"text"'],
    [1.5, "1.5"],
    [-0, "-0"],
    [Number.NaN, "NaN"],
    [10n, "10n"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [function named() {}, "ƒ named()"],
    [[], "[]"],
    [[1, "two", [3, [4]]], '[1, "two", [3, Array(1)]]'],
    [{}, "{}"],
    [{ a: 1, b: { c: { d: 1 } } }, "{a: 1, b: {c: {…}}}"],
    [Object.create(null), "{}"],
    [new Point(), "Point {x: 1}"],
    [new Map([[1, 2]]), "Map(1)"],
    [new Set([1, 2]), "Set(2)"],
    [new Date(0), "1970-01-01T00:00:00.000Z"],
    [new Date(Number.NaN), "Invalid Date"],
    [/a+/gi, "/a+/gi"],
    [Promise.resolve(1), "Promise"],
  ];
  for (const [value, want] of cases) assert.equal(preview(value), want);
});

test("an error is its stack, or its name and message", () => {
  assert.match(preview(new RangeError("deep")), /^RangeError: deep\n\s+at /);
  const bare = new TypeError("bare");
  Object.defineProperty(bare, "stack", { value: "" });
  assert.equal(preview(bare), "TypeError: bare");
});

test("holes, many items, many keys, long text", () => {
  const holes: unknown[] = [1];
  holes[2] = 3;
  assert.equal(preview(holes), "[1, empty, 3]");
  assert.match(preview(Array.from({ length: 100 }, (_, i) => i)), /19, … 80 more\]$/);
  assert.match(preview(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, i]))), /k11: 11, … 8 more\}$/);
  assert.ok(preview("x".repeat(10_000)).length < 600);
});

test("no accessor, toString or toJSON of the page runs", () => {
  let runs = 0;
  const spy = {
    get a(): number {
      return ++runs;
    },
    toString(): string {
      return `${++runs}`;
    },
    toJSON(): number {
      return ++runs;
    },
    get [Symbol.toStringTag](): string {
      return `${++runs}`;
    },
  };
  assert.match(preview(spy), /^\{a: \(…\), toString: ƒ toString\(\), toJSON/);
  consoleText(["%s %d %o", spy, spy, spy]);
  assert.equal(runs, 0);
});

test("what cannot be looked at does not throw", () => {
  const hostile = new Proxy({}, {
    ownKeys() {
      throw new Error("no");
    },
    getPrototypeOf() {
      throw new Error("no");
    },
  });
  assert.equal(preview(hostile), "[object]");
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  assert.equal(preview(cycle), "{self: {self: {…}}}");
});

test("console directives", () => {
  const cases: [unknown[], string][] = [
    [[], ""],
    [["plain"], "plain"],
    [["a", "b", 1], "a b 1"],
    [[{ a: 1 }, "b"], "{a: 1} b"],
    [["%s-%s", "x"], "x-%s"],
    [["%d %i %f", 3.9, "4.2", 1.5], "3 4 1.5"],
    [["%d", {}], "NaN"],
    [["100%", 5], "100% 5"],
    [["%%s", 1], "%s 1"],
    [["%cred%c plain", "color: red", ""], "red plain"],
    [["%o and more", [1], "tail"], "[1] and more tail"],
    [["%s", "%s"], "%s"],
    [["%j", 1], "%j 1"],
  ];
  for (const [args, want] of cases) assert.equal(consoleText(args), want);
});
