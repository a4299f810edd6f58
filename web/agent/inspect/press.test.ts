import assert from "node:assert/strict";
import { test } from "node:test";
import { stackPlace, typeName } from "./component";
import { chord } from "./press";

test("keys are read as people write them", () => {
  const plain = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  for (const [text, want] of [
    ["Enter", { key: "Enter", code: "Enter", ...plain }],
    ["enter", { key: "Enter", code: "Enter", ...plain }],
    ["a", { key: "a", code: "KeyA", ...plain }],
    ["Space", { key: " ", code: "Space", ...plain }],
    ["+", { key: "+", code: "", ...plain }],
    ["f5", { key: "F5", code: "F5", ...plain }],
    ["Control+Shift+K", { key: "K", code: "KeyK", ...plain, ctrlKey: true, shiftKey: true }],
    ["7", { key: "7", code: "Digit7", ...plain }],
  ] as const) {
    assert.deepEqual(chord(text), want, text);
  }
  assert.throws(() => chord("Hyper+a"), /unknown modifier "Hyper"/);
  assert.throws(() => chord("Entre"), /unknown key "Entre"/);
  assert.throws(() => chord(""), /unknown key/);
});

test("a component's name, however it is wrapped", () => {
  function Card(): void {}
  const wrapped = { $$typeof: 1, type: { render: Card } };
  assert.equal(typeName(Card), "Card");
  assert.equal(typeName(wrapped), "Card");
  assert.equal(typeName({ displayName: "Fancy", render: Card }), "Fancy");
  for (const none of ["div", null, undefined, 3, {}]) assert.equal(typeName(none), "");
});

test("the application's own line of a stack", () => {
  const stack = "Error: react-stack-top-frame\n    at jsxDEV (http://x/node_modules/.vite/deps/react_jsx-dev-runtime.js?v=1:2:3)\n    at App (http://127.0.0.1:3000/src/App.jsx?t=12:20:5)\n    at other (http://x/src/other.js:1:1)";
  assert.deepEqual(stackPlace(stack), { source: "src/App.jsx:20:5 (compiled)" });
  assert.deepEqual(stackPlace("Error: x"), {});
  assert.deepEqual(stackPlace(""), {});
});
