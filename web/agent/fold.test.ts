import assert from "node:assert/strict";
import { test } from "node:test";
import { Folder, foldKeys, foldWindow } from "./fold";
import type { ConsoleFact, ErrorFact } from "./wire";

type Fact = ConsoleFact | ErrorFact;

/** A folder whose window closes when the test says so. */
function setUp(): { folder: Folder; out: Fact[]; close: () => void; armed: () => number } {
  const out: Fact[] = [];
  let waiting: (() => void)[] = [];
  const folder = new Folder(
    (event) => out.push(event),
    (run, ms) => {
      assert.equal(ms, foldWindow);
      waiting.push(run);
    },
  );
  const close = (): void => {
    const ready = waiting;
    waiting = [];
    for (const run of ready) run();
  };
  return { folder, out, close, armed: () => waiting.length };
}

const line = (text: string, at = 0): ConsoleFact => ({ kind: "console", level: "log", text, at });
const failure = (message: string, over: Partial<ErrorFact> = {}): ErrorFact => ({ kind: "error", source: "error", message, at: 0, ...over });

test("the first goes out at once, its repetitions together when the window closes", () => {
  const { folder, out, close } = setUp();
  for (let i = 0; i < 50_000; i++) folder.add(line("again", i));
  assert.deepEqual(out, [line("again", 0)]);
  close();
  assert.deepEqual(out, [line("again", 0), { ...line("again", 49_999), count: 49_999 }]);
});

test("after the window a repetition is news again", () => {
  const { folder, out, close } = setUp();
  folder.add(line("x"));
  close();
  folder.add(line("x", 5));
  assert.deepEqual(out, [line("x"), line("x", 5)]);
});

test("nothing is said twice when nothing was repeated", () => {
  const { folder, out, close } = setUp();
  folder.add(line("x"));
  folder.add(line("y"));
  close();
  close();
  assert.equal(out.length, 2);
});

test("lines that take turns are folded too", () => {
  const { folder, out, close } = setUp();
  for (let i = 0; i < 10; i++) {
    folder.add(line("tick"));
    folder.add(line("tock"));
  }
  close();
  assert.deepEqual(out.map((e) => e.count ?? 1), [1, 1, 9, 9]);
});

test("a count that an event brings along is kept", () => {
  const { folder, out, close } = setUp();
  folder.add({ ...line("x"), count: 3 });
  folder.add({ ...line("x"), count: 4 });
  close();
  assert.deepEqual(out.map((e) => e.count), [3, 4]);
});

test("what differs is not folded", () => {
  const { folder, out } = setUp();
  folder.add(line("x"));
  folder.add({ ...line("x"), level: "warn" });
  folder.add(failure("x"));
  folder.add(failure("x", { source: "rejection" }));
  folder.add(failure("x", { url: "a.js" }));
  folder.add(failure("x", { url: "a.js", line: 1 }));
  folder.add(failure("x", { url: "a.js", line: 1, column: 2 }));
  assert.equal(out.length, 7);
});

test("one timer at a time, and the memory stays small", () => {
  const { folder, out, armed } = setUp();
  for (let i = 0; i < 10 * foldKeys; i++) {
    folder.add(line(`line ${i}`));
    folder.add(line(`line ${i}`));
  }
  assert.equal(armed(), 1);
  const told = out.reduce((sum, e) => sum + (e.count ?? 1), 0);
  folder.flush();
  const all = out.reduce((sum, e) => sum + (e.count ?? 1), 0);
  assert.equal(all, 20 * foldKeys);
  assert.ok(all - told <= foldKeys);
});
