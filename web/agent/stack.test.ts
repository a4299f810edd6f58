import assert from "node:assert/strict";
import { test } from "node:test";
import { captureTrace, formatTrace, frameLines, traceDepth } from "./stack";

function application(skip: (run: () => unknown) => unknown): unknown {
  return skip(() => null);
}

test("the stack begins with the caller of what is skipped", () => {
  let text: string | null = null;
  const wrapper = (): unknown => {
    text = formatTrace(captureTrace(wrapper));
    return null;
  };
  application(wrapper);
  assert.match(String(text), /^at application \(/);
});

test("a deep stack is kept deep, and the page's limit is put back", () => {
  const before = Error.stackTraceLimit;
  const dive = (n: number): string | null => (n === 0 ? formatTrace(captureTrace(undefined)) : dive(n - 1));
  const text = dive(60);
  assert.equal(String(text).split("\n").length, traceDepth);
  assert.equal(Error.stackTraceLimit, before);
});

test("a limit that the page chose is left alone", () => {
  const before = Error.stackTraceLimit ?? 10;
  Error.stackTraceLimit = 3;
  const text = formatTrace(captureTrace(undefined));
  assert.equal(Error.stackTraceLimit, 3);
  Error.stackTraceLimit = 0;
  const none = formatTrace(captureTrace(undefined));
  Error.stackTraceLimit = before;
  assert.equal(String(text).split("\n").length, 3);
  assert.equal(none, null);
});

test("a page's own formatter is not run", () => {
  const before = Object.getOwnPropertyDescriptor(Error, "prepareStackTrace");
  const trace = captureTrace(undefined);
  let runs = 0;
  const mine = (): string => `${++runs}`;
  Error.prepareStackTrace = mine;
  const text = formatTrace(trace);
  const after = Error.prepareStackTrace;
  if (before === undefined) delete Error.prepareStackTrace;
  else Object.defineProperty(Error, "prepareStackTrace", before);
  assert.match(String(text), /^at /);
  assert.equal(runs, 0);
  assert.equal(after, mine);
});

test("frames without what precedes them", () => {
  assert.equal(frameLines("Error: a\nb\n    at f (x.js:1:2)\n    at y.js:3:4"), "at f (x.js:1:2)\nat y.js:3:4");
  assert.equal(frameLines("f@http://host/x.js:1:2\n@http://host/y.js:3:4"), "f@http://host/x.js:1:2\n@http://host/y.js:3:4");
  assert.equal(frameLines("Error"), "");
  assert.equal(frameLines(""), "");
});
