import assert from "node:assert/strict";
import { test } from "node:test";
import { auditCalls } from "./audit";
import { inputOf, readCorpus, type Expected } from "./corpus";
import type { ApiFinding } from "./types";

const BAR = 0.95;
const TYPES = ["waterfall", "n-plus-one", "duplicate-call", "chatty-load"];
const corpus = readCorpus();

function matches(finding: ApiFinding, expected: Expected): boolean {
  if (finding.type !== expected.type || finding.selector !== expected.target) return false;
  if (expected.severity !== undefined && finding.severity !== expected.severity) return false;
  if (expected.serial !== undefined && finding.type === "n-plus-one" && (finding.chainLength !== undefined) !== expected.serial) return false;
  const calls = [...finding.calls].sort();
  if (expected.calls !== undefined) return [...expected.calls].sort().join() === calls.join();
  const twins = expected.twins ?? [];
  return twins.length === calls.length && twins.every((set) => set.filter((id) => calls.includes(id)).length === 1);
}

function show(finding: ApiFinding): string {
  return `[${finding.severity}] ${finding.type} ${finding.selector} (${finding.calls.join(" ")}) ${finding.message}`;
}

/** What a trace gave against what it should give. */
function judge(expected: readonly Expected[], found: readonly ApiFinding[]): { hits: ApiFinding[]; missed: Expected[]; extra: ApiFinding[] } {
  const left = [...found];
  const hits: ApiFinding[] = [];
  const missed = expected.filter((want) => {
    const at = left.findIndex((finding) => matches(finding, want));
    const [hit] = at < 0 ? [] : left.splice(at, 1);
    if (hit !== undefined) hits.push(hit);
    return hit === undefined;
  });
  return { hits, missed, extra: left };
}

test("the corpus is big enough and has both kinds for every detector", () => {
  assert.ok(corpus.length >= 60, `${corpus.length} traces`);
  assert.ok(corpus.filter((trace) => trace.expect.length === 0).length >= 30);
  for (const type of TYPES) {
    const positive = corpus.filter((trace) => trace.expect.some((want) => want.type === type)).length;
    assert.ok(positive >= 4, `${type}: ${positive} traces`);
  }
});

test("precision and recall per detector", (t) => {
  const noise: string[] = [];
  const tally = new Map(TYPES.map((type) => [type, { hit: 0, missed: 0, extra: 0 }]));
  for (const trace of corpus) {
    const found = auditCalls(inputOf(trace)).findings.filter((finding) => finding.type !== "over-fetch-unavailable");
    const { hits, missed, extra } = judge(trace.expect, found);
    for (const hit of hits) count(hit.type, "hit");
    for (const want of missed) count(want.type, "missed", `${trace.name}: missed ${JSON.stringify(want)}`);
    for (const finding of extra) count(finding.type, "extra", `${trace.name}: extra ${show(finding)}`);
    if (trace.expect.length === 0) noise.push(...found.map((finding) => `${trace.name}: ${show(finding)}`));
  }
  assert.deepEqual(noise, [], "findings in traces that should be quiet");
  for (const [type, { hit, missed, extra }] of tally) {
    const precision = hit / Math.max(1, hit + extra);
    const recall = hit / Math.max(1, hit + missed);
    t.diagnostic(`${type.padEnd(15)} precision ${precision.toFixed(3)} recall ${recall.toFixed(3)} (${hit} found, ${missed} missed, ${extra} extra)`);
    assert.ok(precision >= BAR, `${type}: precision ${precision}`);
    assert.ok(recall >= BAR, `${type}: recall ${recall}`);
  }

  function count(type: string, what: "hit" | "missed" | "extra", note?: string): void {
    const counts = tally.get(type);
    if (counts !== undefined) counts[what]++;
    if (note !== undefined) t.diagnostic(note);
  }
});

test("no call is in two of waterfall, n-plus-one and duplicate-call", () => {
  for (const trace of corpus) {
    const seen = new Map<string, string>();
    for (const finding of auditCalls(inputOf(trace)).findings) {
      if (finding.type === "chatty-load") continue;
      for (const id of finding.calls) {
        assert.equal(seen.get(id), undefined, `${trace.name}: ${id} is in ${seen.get(id)} and ${finding.id}`);
        seen.set(id, finding.id);
      }
    }
  }
});
