import assert from "node:assert/strict";
import { test } from "node:test";
import { Stacks } from "./stack";

const at = (fn: string, file: string, line: number): string => `    at ${fn} (http://app.test/src/${file}:${line}:9)`;

test("frames of application functions, in both notations", () => {
  const stacks = new Stacks();
  const v8 = stacks.of(
    [
      at("async loadUsers", "UserList.tsx?t=17", 48),
      "    at Object.get [as fetch] (http://app.test/src/http.ts:8:3)",
      "    at http://app.test/src/main.ts:3:1",
      "    at async Promise.all (index 0)",
      "    at commitHook (http://app.test/node_modules/.vite/deps/react-dom.js:1:2)",
      "    at <anonymous>",
    ].join("\n"),
  );
  assert.deepEqual(v8.frames.map((line) => line.frame?.name), ["loadUsers@http://app.test/src/UserList.tsx", "Object.get@http://app.test/src/http.ts"]);
  const gecko = stacks.of("loadUsers@http://app.test/src/UserList.tsx:48:15\nasync*get@http://app.test/src/http.ts:8:3\n@http://app.test/src/main.ts:1:1");
  assert.deepEqual(gecko.frames.map((line) => line.frame?.name), ["loadUsers@http://app.test/src/UserList.tsx", "get@http://app.test/src/http.ts"]);
  assert.equal(stacks.of(null).key, 0);
  assert.equal(stacks.of(" \n ").key, 0);
});

test("what ties two calls", () => {
  const stacks = new Stacks();
  const a = stacks.of(at("load", "a.ts", 4));
  const b = stacks.of(at("load", "a.ts", 9));
  const c = stacks.of(at("other", "c.ts", 4));
  const near = stacks.of("    at http://app.test/js/x.js:10:3");
  const by = stacks.of("    at http://app.test/js/x.js:14:3");
  const far = stacks.of("    at http://app.test/js/x.js:300:3");
  assert.equal(stacks.relation(a, b), 2);
  assert.equal(stacks.relation(a, c), 0);
  assert.equal(stacks.relation(a, stacks.of(null)), 1);
  assert.equal(stacks.relation(near, by), 2);
  assert.equal(stacks.relation(near, far), 1);
});

test("a wrapper that every call goes through ties nothing, unless from two of its lines", () => {
  const stacks = new Stacks();
  const made = Array.from({ length: 12 }, (_, index) => stacks.of(`${at("request", "http.ts", 8)}\n${at(`load${index}`, `f${index}.ts`, 3)}`));
  const other = stacks.of(`${at("request", "http.ts", 21)}\n${at("loadX", "x.ts", 3)}`);
  const [a, b] = made;
  assert.ok(a && b);
  assert.equal(stacks.relation(a, b), 0);
  assert.equal(stacks.relation(a, other), 2);
});

test("habits of frameworks", () => {
  const stacks = new Stacks();
  for (const name of ["doubleInvokeEffectsOnFiber", "commitDoubleInvokeEffectsInDEV", "invokeEffectsInDev", "recursivelyTraverseAndDoubleInvokeEffectsInDEV"]) {
    assert.equal(stacks.of(`${at("useX", "x.ts", 3)}\n    at ${name} (http://app.test/node_modules/react-dom.js:1:2)`).doubled, true, name);
  }
  assert.equal(stacks.of(at("onMouseEnter", "link.tsx", 3)).speculative, true);
  assert.equal(stacks.of(at("loadUsers", "users.tsx", 3)).speculative, false);
});
