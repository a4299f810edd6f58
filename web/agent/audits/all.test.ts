import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { overall, runAll } from "./all";
import type { Audit, Measured, Overall } from "./all";
import { reportOf } from "./report";

interface Cases {
  readonly cases: readonly { readonly name: string; readonly audits: readonly Measured[]; readonly want: Overall }[];
}

function cases(): Cases["cases"] {
  const read: Cases = JSON.parse(readFileSync(join("..", "contract", "overall.json"), "utf8"));
  return read.cases;
}

test("the overall score is the one the Go side computes", () => {
  assert(cases().length > 0);
  for (const { name, audits, want } of cases()) assert.deepEqual(overall(audits), want, name);
});

const empty = { thresholds: {}, now: 0, drafts: [] };

const good: Audit = {
  name: "dom",
  helper: "auditDom",
  help: "",
  run: () => reportOf({ ...empty, audit: "dom", quality: "DOM", things: "elements", analyzed: 3 }),
};

test("an audit that fails takes no other down, and says why", async () => {
  const throws: Audit = { ...good, name: "security", run: () => { throw new Error("no headers"); } };
  const rejects: Audit = { ...good, name: "seo", run: () => Promise.reject(new TypeError("gone")) };
  const result = await runAll([throws, rejects, good], {});
  assert.deepEqual(result.failed, [{ audit: "security", error: "no headers" }, { audit: "seo", error: "gone" }]);
  assert.deepEqual(result.audits.map((report) => report.audit), ["dom"]);
  assert.equal(result.score, 100);
  assert.deepEqual(result.measured, ["dom"]);
  assert.deepEqual(Object.keys(result.ms), ["security", "seo", "dom"]);
});

test("an audit without anything to judge is left out of the mean", async () => {
  const nothing: Audit = {
    ...good,
    name: "loading",
    run: () => reportOf({ ...empty, audit: "loading", quality: "Loading UX", things: "loaders", analyzed: 0, empty: "no loaders recorded — reload page then re-run" }),
  };
  const result = await runAll([good, nothing], {});
  assert.deepEqual(result.measured, ["dom"]);
  assert(result.unmeasured.includes("loading"));
  assert.equal(result.audits[1]?.summary, "Loading UX is good. (0 loaders analyzed). no loaders recorded — reload page then re-run");
});
