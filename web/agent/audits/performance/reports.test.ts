import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { detect, report } from "./audit";
import { SELECTORS, situations } from "./situations";

const FOLDER = join("..", "contract", "reports");

test("the reports that the Go side reads are the ones this side writes", () => {
  const all = situations();
  const files = readdirSync(FOLDER).filter((file) => file.startsWith("performance-"));
  assert.deepEqual(files.sort(), [...all.keys()].map((name) => `${name}.json`).sort());
  for (const [name, facts] of all) {
    const kept: unknown = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"));
    assert.deepEqual(JSON.parse(JSON.stringify(report(facts, detect(facts), SELECTORS, Date.UTC(2026, 10, 15, 12)))), kept, name);
  }
});
