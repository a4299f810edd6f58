import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, namesIn, nearest } from "./nearest";

test("distance counts changes, and a swap as one", () => {
  for (const [a, b, want] of [["", "", 0], ["abc", "abc", 0], ["abc", "", 3], ["save", "svae", 1], ["button", "botton", 1], ["kitten", "sitting", 3]] as const) {
    assert.equal(distance(a, b), want, `${a} ${b}`);
    assert.equal(distance(b, a), want);
  }
});

test("the names in a selector", () => {
  assert.deepEqual(namesIn("form#login .btn-primary[name='user']:not(.off)::before"), ["form", "login", "btn-primary", "name", "user"]);
  assert.deepEqual(namesIn("> *"), []);
});

test("the nearest come first, and what is unlike does not come", () => {
  const all = ["save", "saved", "cancel", "header", "x"].map((name) => ({ name, selector: `#${name}` }));
  assert.deepEqual(nearest(["svae"], all, 5), ["#save", "#saved"]);
  assert.deepEqual(nearest(["qqqqq"], all, 5), []);
  assert.deepEqual(nearest(["save"], [...all, ...all], 1), ["#save"]);
});
