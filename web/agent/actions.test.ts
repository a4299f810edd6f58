import assert from "node:assert/strict";
import { test } from "node:test";
import { actionLimit, getActions, noteAction } from "./actions";

test("the last actions are kept, oldest first, as copies", () => {
  for (let i = 0; i < actionLimit + 10; i++) noteAction(i % 2 === 0 ? "click" : "key", i);
  const actions = getActions();
  assert.equal(actions.length, actionLimit);
  assert.deepEqual(actions[0], { type: "click", time: 10 });
  assert.deepEqual(actions[actionLimit - 1], { type: "key", time: actionLimit + 9 });
  assert.ok(getActions()[0] !== actions[0]);
});
