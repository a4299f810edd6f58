import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PageMessage, ServerMessage } from "./wire";

// Written out with their types: a change of the types that the fixtures do not
// follow does not compile, a change of the fixtures that is not made here fails.
const state = { url: "http://127.0.0.1:4000/shop", title: "Shop", width: 1280, height: 720, ratio: 2, visible: true, focused: true, loaded: false };
const cart = "http://127.0.0.1:4000/cart";

const page: Record<string, PageMessage> = {
  hello: { t: "hello", v: 1, now: 1794744000500.5, opened: 1794744000000, state, focusedAgo: 0 },
  "hello again": {
    t: "hello",
    v: 1,
    now: 1794744000500.5,
    opened: 1794744000000,
    state: { ...state, visible: false, focused: false, loaded: true },
    focusedAgo: 1500.25,
    page: "pabcdefgh",
    ticket: "dGlja2V0",
    files: true,
  },
  state: { t: "state", state: { title: "Cart (2)", focused: false } },
  parent: { t: "parent", page: "pabcdefgh" },
  ping: { t: "ping" },
  events: {
    t: "events",
    lost: 3,
    events: [
      {
        kind: "error",
        at: 1794744000100,
        source: "rejection",
        message: "boom",
        stack: "Error: boom\n    at f (http://127.0.0.1:4000/a.js:3:7)",
        url: "http://127.0.0.1:4000/a.js",
        line: 3,
        column: 7,
        count: 2,
      },
      { kind: "error", at: 1794744000110, source: "resource", message: "img failed to load" },
      { kind: "console", at: 1794744000120, level: "warn", text: "careful", stack: "at g", count: 4 },
      { kind: "navigation", at: 1794744000130, type: "push", from: "http://127.0.0.1:4000/shop", to: cart },
      { kind: "performance", at: 1794744000140, name: "LCP", value: 812.5, rating: "good", target: "<img#hero>" },
      { kind: "action", at: 1794744000150, type: "click", target: '<button#buy "Buy">' },
    ],
  },
  shot: { t: "shot", id: 1, name: "checkout", scale: 0.8, parts: 3 },
  value: { t: "result", id: 7, ok: true, type: "array", exact: false, parts: 2, cut: { items: 12, chars: 345 } },
  failure: { t: "result", id: 8, ok: false, why: "syntax", name: "SyntaxError", message: "Unexpected token ';'", line: 2, column: 11, form: 1 },
  threw: { t: "result", id: 9, ok: false, why: "threw", name: "TypeError", message: "bad", stack: "TypeError: bad\n    at oriel-exec.js:2:7", form: 0 },
};

const server: Record<string, ServerMessage> = {
  welcome: { t: "welcome", page: "pabcdefgh", ticket: "dGlja2V0" },
  exec: { t: "exec", id: 7, forms: ["document.currentScript.o(async()=>(\n1\n))"], limit: 1048576 },
  "exec files": { t: "exec", id: 8, forms: ["/__devtool/x/ABC.js"], files: true, limit: 1048576 },
  navigate: { t: "navigate", url: "/cart" },
  reload: { t: "navigate", reload: true },
  kept: { t: "kept", id: 1, seq: 42, path: "/state/screenshots/a.png" },
  "not kept": { t: "kept", id: 2, error: "too many pictures at once" },
  pong: { t: "pong" },
};

test("the messages are those of the contract", () => {
  const fixtures: unknown = JSON.parse(readFileSync("../contract/wire.json", "utf8"));
  assert.deepEqual(fixtures, { page, server });
});
