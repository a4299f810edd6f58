// Reads the labelled traces in contract/corpus. For tests only; nothing that is
// bundled imports it.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { CallRecord } from "../../call-record";
import type { AuditInput } from "./types";

/** One call of a trace; what is left out is what most calls have. */
interface TraceCall {
  readonly id: string;
  readonly kind?: "fetch" | "xhr";
  readonly method?: string;
  /** Absolute, or relative to the page's origin. */
  readonly url: string;
  readonly start: number;
  readonly end: number | null;
  readonly status?: number;
  readonly error?: string;
  readonly aborted?: boolean;
  readonly bodyKey?: string;
  /** Name of an entry in the trace's stacks. */
  readonly stack?: string;
}

/** A finding that a trace must give. */
export interface Expected {
  readonly type: string;
  readonly target: string;
  readonly severity?: string;
  /** Exactly these calls. */
  readonly calls?: readonly string[];
  /** Or one of each of these sets, where identical calls cannot be told apart. */
  readonly twins?: readonly (readonly string[])[];
  /** Whether a fan-out also ran serially. */
  readonly serial?: boolean;
}

export interface Trace {
  readonly name: string;
  readonly about: string;
  readonly page: string;
  readonly actions?: readonly number[];
  readonly stacks?: Readonly<Record<string, readonly string[]>>;
  readonly calls: readonly TraceCall[];
  readonly expect: readonly Expected[];
}

const FOLDER = join("..", "contract", "corpus");

export function readCorpus(): Trace[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(".json"));
  return files.sort().map((file): Trace => JSON.parse(readFileSync(join(FOLDER, file), "utf8")));
}

export function inputOf(trace: Trace): AuditInput {
  return {
    calls: trace.calls.map((call) => recordOf(trace, call)),
    actions: trace.actions ?? [],
    pageUrl: trace.page,
    dropped: 0,
    now: Date.UTC(2026, 10, 15, 12),
  };
}

function recordOf(trace: Trace, call: TraceCall): CallRecord {
  const status = call.status ?? (call.end === null ? null : 200);
  const origin = /^[a-z]+:\/\/[^/]+/.exec(trace.page)?.[0] ?? "";
  const stack = call.stack === undefined ? undefined : trace.stacks?.[call.stack];
  if (call.stack !== undefined && stack === undefined) throw new Error(`${trace.name}: no stack named ${call.stack}`);
  return {
    id: call.id,
    kind: call.kind ?? "fetch",
    method: call.method ?? "GET",
    url: call.url.startsWith("/") ? origin + call.url : call.url,
    start: call.start,
    end: call.end,
    duration: call.end === null ? null : call.end - call.start,
    timestamp: Date.UTC(2026, 10, 15, 11) + call.start,
    status,
    ok: status === null ? null : status >= 200 && status < 300,
    error: call.error ?? null,
    aborted: call.aborted ?? false,
    initiator: stack === undefined ? null : stack.map((line) => `    ${line}`).join("\n"),
    bodyKey: call.bodyKey ?? null,
  };
}
