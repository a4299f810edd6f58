import assert from "node:assert/strict";
import { test } from "node:test";
import { loaderCapacity, LoaderLog, outermost } from "./loader-log";
import type { Seen } from "./loader-log";

interface Thing {
  readonly name: string;
}

const seen = (thing: Thing): Seen => ({ selector: `#${thing.name}`, region: "main", kind: "spinner", container: "#list" });
const spans = (log: LoaderLog<Thing>): string[] => log.read().records.map((r) => `${r.selector} ${r.start}-${r.end ?? ""}`);

test("a record from the first sight to the first sample without it", () => {
  const log = new LoaderLog<Thing>();
  const [a, b] = [{ name: "a" }, { name: "b" }];
  log.sample(10, [a], seen);
  log.sample(20, [a, b], seen);
  log.sample(30, [b], seen);
  assert.deepEqual(spans(log), ["#a 10-30", "#b 20-"]);
  assert.equal(log.count, 1);
  log.sample(40, [a], seen);
  log.sample(50, [], seen);
  assert.deepEqual(spans(log), ["#a 10-30", "#b 20-40", "#a 40-50"]);
  assert.deepEqual(log.read().records.map((r) => r.id), [1, 2, 3]);
});

test("an element put in the place of another is the same loader", () => {
  const log = new LoaderLog<Thing>();
  log.sample(10, [{ name: "a" }], seen);
  log.sample(20, [{ name: "a" }], seen);
  log.sample(30, [{ name: "c" }], seen);
  assert.deepEqual(spans(log), ["#a 10-30", "#c 30-"]);
});

test("an element put in the place of another when more was asked for is the next loader", () => {
  const log = new LoaderLog<Thing>();
  log.sample(10, [{ name: "a" }], seen);
  log.sample(20, [{ name: "a" }], seen, true);
  log.sample(30, [], seen);
  assert.deepEqual(spans(log), ["#a 10-20", "#a 20-30"]);
});

test("bounded, and what no longer fits is counted", () => {
  const log = new LoaderLog<Thing>();
  const stays = { name: "stays" };
  for (let i = 0; i < loaderCapacity + 9; i++) log.sample(i, [stays, { name: `n${i}` }], seen);
  const { records, dropped } = log.read();
  assert.equal(records.length, loaderCapacity);
  assert.equal(dropped, 10);
  assert.equal(records[0]?.selector, "#stays");
});

test("readers get copies", () => {
  const log = new LoaderLog<Thing>();
  log.sample(1, [{ name: "a" }], seen);
  assert.notEqual(log.read().records[0], log.read().records[0]);
});

test("nested loaders are one", () => {
  const parents = new Map<string, string>([["row", "list"], ["line", "row"], ["list", "main"], ["other", "main"]]);
  const things = new Map(["main", "list", "row", "line", "other"].map((name) => [name, { name }]));
  const parentOf = (thing: Thing): Thing | null => things.get(parents.get(thing.name) ?? "") ?? null;
  const pick = (...names: string[]): string[] =>
    outermost(new Map(names.flatMap((name) => (things.get(name) === undefined ? [] : [[things.get(name) ?? { name }, name] as const]))), parentOf).map((t) => t.name);
  assert.deepEqual(pick("list", "line", "other"), ["list", "other"]);
  assert.deepEqual(pick("line", "other"), ["line", "other"]);
  assert.deepEqual(pick("row", "main"), ["main"]);
  assert.deepEqual(pick(), []);
});
