import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { detect, report } from "./audit";
import { WEIGHTS } from "./rules";
import { LOCATED, situations } from "./situations";
import { WORDS } from "./words";

const FOLDER = join("..", "contract", "reports");

test("the reports that the Go side reads are the ones this side writes", () => {
  const all = situations();
  const files = readdirSync(FOLDER).filter((file) => file.startsWith("seo-"));
  assert.deepEqual(files.sort(), [...all.keys()].map((name) => `${name}.json`).sort());
  for (const [name, facts] of all) {
    const kept: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"));
    assert.deepEqual(JSON.parse(JSON.stringify(report(facts, detect(facts), LOCATED, Date.UTC(2026, 10, 15, 12)))), kept, name);
  }
});

test("every rule has words, a weight, and pages for and against it", () => {
  const pages = readFileSync(join("..", "e2e", "testdata", "audits", "seo", "pages.txtar"), "utf8");
  assert.deepEqual(Object.keys(WORDS), Object.keys(WEIGHTS));
  for (const rule of Object.keys(WEIGHTS)) {
    assert.ok(pages.includes(`-- ${rule}/bad`) && pages.includes(`-- ${rule}/good`), rule);
  }
});
