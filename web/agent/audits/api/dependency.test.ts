import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "../../call-record";
import { audit, call, only } from "./trace";

const at = (fn: string, line: number): Partial<CallRecord> => ({ initiator: `    at ${fn} (http://app.test/src/a.ts:${line}:9)` });

/** Three calls in a row. */
function chain(urls: readonly [string, string, string], more: readonly Partial<CallRecord>[] = []): { parallelizable: string; evidence: readonly string[] } {
  const [found] = only(audit(urls.map((url, step) => call(`c${step}`, url, 100 + step * 94, 90, more[step]))), "waterfall");
  assert.ok(found);
  return { parallelizable: found.parallelizable, evidence: found.evidence };
}

test("independent URLs awaited by one function could run at once", () => {
  assert.deepEqual(chain(["/api/me", "/api/menu", "/api/news"], [at("load", 4), at("load", 5), at("load", 6)]), {
    parallelizable: "yes",
    evidence: ["load awaits GET /api/me before GET /api/menu, whose URL takes nothing from it", "load awaits GET /api/menu before GET /api/news, whose URL takes nothing from it"],
  });
});

test("an id that is first seen after the answer came from the answer", () => {
  assert.deepEqual(chain(["/api/me", "/api/carts/8812", "/api/carts/8812/items/55"], [at("load", 4), at("load", 5), at("load", 6)]), {
    parallelizable: "no",
    evidence: ['"8812" in GET /api/carts/8812 is first seen after GET /api/me ended', '"55" in GET /api/carts/8812/items/55 is first seen after GET /api/carts/8812 ended'],
  });
});

test("an id that the page already had is no dependency, and without stacks a doubt stays a doubt", () => {
  assert.equal(chain(["/api/me", "/api/menu", "/api/news"]).parallelizable, "unknown");
  const calls = ["/api/me", "/api/carts/8812", "/api/news"].map((url, step) => call(`c${step}`, url, 100 + step * 94, 90, at("load", step + 3)));
  const [found] = only(audit(calls, { pageUrl: "http://app.test/cart/8812" }), "waterfall");
  assert.equal(found?.parallelizable, "yes");
});

test("pages by cursor need each other, pages by number do not", () => {
  assert.equal(chain(["/api/rows", "/api/rows?cursor=a1b2", "/api/rows?cursor=c3d4"]).parallelizable, "no");
  assert.equal(chain(["/api/rows?page=1", "/api/rows?page=2", "/api/rows?page=3"]).parallelizable, "yes");
});

test("a body that is sent on may hold anything", () => {
  assert.equal(chain(["/api/me", "/api/quote", "/api/book"], [at("buy", 4), { ...at("buy", 5), method: "POST", bodyKey: "a" }, { ...at("buy", 6), method: "POST", bodyKey: "b" }]).parallelizable, "unknown");
});
