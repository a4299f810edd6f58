import assert from "node:assert/strict";
import { test } from "node:test";
import { clip } from "./clip";
import { reasonText } from "./reason";

test("anything can be thrown", () => {
  const cases: [unknown, string, string][] = [
    [new RangeError("deep"), "RangeError", "RangeError: deep"],
    [new Error(), "Error", "Error"],
    [{ message: "only words" }, "", "only words"],
    [{ name: "AbortError", message: "gone" }, "AbortError", "AbortError: gone"],
    [{ code: 7 }, "", "{code: 7}"],
    ["words", "", "words"],
    [7, "", "7"],
    [10n, "", "10n"],
    [undefined, "", "undefined"],
    [null, "", "null"],
    [Symbol("s"), "", "Symbol(s)"],
    [{ name: 1, message: {} }, "", "{name: 1, message: {}}"],
  ];
  for (const [value, name, full] of cases) {
    const reason = reasonText(value);
    assert.deepEqual([reason.name, reason.full], [name, full]);
  }
});

test("accessors that throw are not the agent's problem", () => {
  const hostile = {
    get message(): string {
      throw new Error("no");
    },
    get name(): string {
      throw new Error("no");
    },
  };
  assert.equal(reasonText(hostile).full, "{message: (…), name: (…)}");
});

test("long texts are cut and say so", () => {
  assert.equal(clip("abcdef", 6), "abcdef");
  assert.equal(clip("abcdefg", 6), "abcdef… (1 more characters)");
  assert.ok(reasonText(new Error("x".repeat(100_000))).full.length < 2100);
});
