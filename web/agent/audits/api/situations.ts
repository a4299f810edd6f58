// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { CallRecord } from "../../call-record";
import { inputOf, readCorpus } from "./corpus";
import { call, PAGE, unrelated, word } from "./trace";
import type { AuditInput } from "./types";

const NOW = Date.UTC(2026, 10, 15, 12);

function page(calls: readonly CallRecord[], more: Partial<AuditInput> = {}): AuditInput {
  return { calls, actions: [], pageUrl: PAGE, dropped: 0, now: NOW, ...more };
}

function at(fn: string, file: string, line: number): { initiator: string } {
  return { initiator: `    at ${fn} (http://app.test/src/${file}:${line}:15)` };
}

const users = (count: number, start: number, step: number): CallRecord[] =>
  Array.from({ length: count }, (_, index) => call(`u${index + 1}`, `/api/users/${index + 1}`, start + index * step, 90, at("loadUsers", "UserList.tsx", 48)));

const slowChain = (): CallRecord[] => [
  call("w1", "/api/session", 120, 310, at("boot", "main.ts", 12)),
  call("w2", "/api/region", 433, 290, at("boot", "main.ts", 13)),
  call("w3", "/api/catalog", 727, 340, at("boot", "main.ts", 14)),
];

const chain = (index: number): CallRecord[] =>
  ["head", "body", "tail"].map((part, step) => call(`w${index}.${step + 1}`, `/api/${word(index)}/${part}`, 10_000 * (index + 1) + step * 94, 90));

/** By file name. */
export function situations(): Map<string, AuditInput> {
  const all = new Map<string, AuditInput>([
    ["empty", page([])],
    ["clean", page([call("c1", "/api/me", 100, 80), call("c2", "/api/cart", 101, 95)])],
    ["waterfall-critical", page(slowChain())],
    ["n-plus-one", page(users(12, 150, 1))],
    ["n-plus-one-serial", page(users(6, 150, 93))],
    ["n-plus-one-other-origin", page(users(5, 150, 1).map((record) => ({ ...record, url: record.url.replace("app.test", "api.test:8443") })))],
    ["duplicate-call", page([0, 4, 131].map((after, index) => call(`d${index + 1}`, "/api/config?scope=ui&token=secret", 200 + after, 80, at(`Widget${index}`, "widgets.tsx", 20 + index))))],
    ["chatty-info", page(unrelated(21, 100, 4))],
    ["chatty-warning", page(unrelated(41, 100, 4))],
    ["chatty-critical", page(unrelated(81, 100, 4))],
    // The contract's example: 100 - 18 - 10 = 72, moderate.
    ["moderate", page([...slowChain(), ...users(12, 5000, 1)])],
    ["six-of-a-type", page([0, 1, 2, 3, 4, 5].map(chain).flat())],
    ["dropped", page(users(5, 150, 1), { dropped: 234 })],
  ]);
  const corpus = new Map(readCorpus().map((trace) => [trace.name, trace]));
  for (const name of ["page-with-everything", "waterfall-await-chain", "waterfall-with-a-duplicate-inside", "waterfall-cursor-pages", "waterfall-ran-twice", "duplicate-strict-mode"]) {
    const trace = corpus.get(name);
    if (trace === undefined) throw new Error(`no trace named ${name}`);
    all.set(name, inputOf(trace));
  }
  return all;
}
