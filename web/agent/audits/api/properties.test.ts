import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallRecord } from "../../call-record";
import { auditCalls } from "./audit";
import { inputOf, readCorpus } from "./corpus";
import { random, word } from "./trace";
import type { ApiReport } from "./types";

const corpus = readCorpus();

function shuffled<T>(items: readonly T[], next: () => number): T[] {
  const out = [...items];
  for (let index = out.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    const a = out[index];
    const b = out[other];
    if (a === undefined || b === undefined) continue;
    out[index] = b;
    out[other] = a;
  }
  return out;
}

/** Findings that do not count calls of the page as a whole. */
function faults(report: ApiReport): string[] {
  return report.findings
    .filter((finding) => finding.type !== "chatty-load" && finding.type !== "over-fetch-unavailable")
    .map((finding) => `${finding.id} ${finding.severity} ${finding.message} ${finding.calls.join(" ")}`);
}

test("the order of the input does not matter", () => {
  const next = random(11);
  for (const trace of corpus) {
    const input = inputOf(trace);
    const report = auditCalls(input);
    for (let turn = 0; turn < 4; turn++) {
      const mixed = { ...input, calls: shuffled(input.calls, next), actions: shuffled(input.actions, next) };
      assert.deepEqual(auditCalls(mixed), report, trace.name);
    }
  }
});

test("the same trace gives the same report, and an unchanged input", () => {
  for (const trace of corpus) {
    const input = inputOf(trace);
    const before = JSON.stringify(input);
    assert.deepEqual(auditCalls(input), auditCalls(input), trace.name);
    assert.equal(JSON.stringify(input), before, trace.name);
  }
});

test("when everything happens later, only the load is judged differently", () => {
  for (const trace of corpus) {
    const input = inputOf(trace);
    const by = 4096;
    const calls = input.calls.map((record) => ({ ...record, start: record.start + by, end: record.end === null ? null : record.end + by }));
    const later = auditCalls({ ...input, calls, actions: input.actions.map((time) => time + by), navigationStart: by });
    assert.deepEqual(faults(later), faults(auditCalls(input)), trace.name);
  }
});

/** Long calls of other code across everything, that neither start nor end near any start or end of the trace. */
function across(records: readonly CallRecord[], count: number, next: () => number, initiator: boolean): CallRecord[] {
  const times = records.flatMap((record) => (record.end === null ? [record.start] : [record.start, record.end]));
  const first = Math.min(...times);
  const last = Math.max(...times);
  return Array.from({ length: count }, (_, index): CallRecord => {
    const start = first - 500 - next() * 2000;
    const end = last + 500 + next() * 2000;
    return {
      id: `across${index}`,
      kind: "fetch",
      method: "GET",
      url: `https://elsewhere.test/${word(index)}/stream`,
      start,
      end,
      duration: end - start,
      timestamp: 0,
      status: 200,
      ok: true,
      error: null,
      aborted: false,
      initiator: initiator ? `    at stream${word(index)} (https://elsewhere.test/${word(index)}.js:3:9)` : null,
      bodyKey: null,
    };
  });
}

test("unrelated calls across a trace change nothing", () => {
  const next = random(23);
  for (const trace of corpus) {
    const input = inputOf(trace);
    const expected = faults(auditCalls(input));
    for (const count of [1, 5, 6, 12]) {
      const noise = across(input.calls, count, next, input.calls.some((record) => record.initiator !== null));
      assert.deepEqual(faults(auditCalls({ ...input, calls: [...input.calls, ...noise] })), expected, `${trace.name} with ${count} more`);
    }
  }
});

// Chains across components hang together by time alone and lose weight as the
// traffic grows, on purpose; they are left out here.
const TIME_ALONE = ["waterfall-parent-then-child-render", "waterfall-busy-main-thread", "waterfall-branches", "waterfall-in-a-chatty-page"];

test("short unrelated calls between the starts and ends of a chain change nothing", () => {
  const next = random(37);
  for (const trace of corpus.filter((one) => one.name.startsWith("waterfall-") && !TIME_ALONE.includes(one.name))) {
    const input = inputOf(trace);
    const expected = faults(auditCalls(input));
    const noise: CallRecord[] = [];
    // Out of reach of the widest tolerance, in both directions.
    const startsClear = (time: number): boolean => input.calls.every((record) => record.end === null || time < record.end - 12 || time > record.end + 105);
    const endsClear = (time: number): boolean => input.calls.every((record) => record.start < time - 12 || record.start > time + 105);
    for (let index = 0; index < 400 && noise.length < 8; index++) {
      const span = across(input.calls, 1, next, trace.stacks !== undefined)[0];
      const start = 100 + next() * 1500;
      const end = start + 20 + next() * 60;
      if (span === undefined || !startsClear(start) || !endsClear(end) || noise.some((other) => Math.abs(other.start - start) < 250)) continue;
      noise.push({ ...span, id: `between${index}`, url: `https://elsewhere.test/${word(index)}`, start, end, duration: end - start });
    }
    assert.deepEqual(faults(auditCalls({ ...input, calls: [...input.calls, ...noise] })), expected, `${trace.name} with ${noise.length} more`);
  }
});
