// Call records for tests, made by hand. Nothing that is bundled imports it.

import type { CallRecord } from "../../call-record";
import { auditCalls } from "./audit";
import type { ApiFinding, ApiFindingType, ApiReport, AuditInput } from "./types";

export const PAGE = "http://app.test/page";

/** A finished GET of the page's own origin, unless told otherwise. */
export function call(id: string, url: string, start: number, duration: number, more: Partial<CallRecord> = {}): CallRecord {
  return {
    id,
    kind: "fetch",
    method: "GET",
    url: url.startsWith("/") ? `http://app.test${url}` : url,
    start,
    end: start + duration,
    duration,
    timestamp: 1_794_722_400_000 + start,
    status: 200,
    ok: true,
    error: null,
    aborted: false,
    initiator: null,
    bodyKey: null,
    ...more,
  };
}

export function audit(calls: readonly CallRecord[], more: Partial<AuditInput> = {}): ApiReport {
  return auditCalls({ calls, actions: [], pageUrl: PAGE, dropped: 0, now: Date.UTC(2026, 10, 15, 12), ...more });
}

/** Findings of one type. */
export function only<T extends ApiFindingType>(report: ApiReport, type: T): Extract<ApiFinding, { type: T }>[] {
  return report.findings.filter((finding): finding is Extract<ApiFinding, { type: T }> => finding.type === type);
}

/** Different calls that no detector but chatty-load has a word for. */
export function unrelated(count: number, start: number, step: number): CallRecord[] {
  return Array.from({ length: count }, (_, index) => call(`u${index}`, `/api/${word(index)}`, start + index * step, 4000 + index));
}

/** A word without digits, different for each number. */
export function word(index: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyz";
  return `w${letters[index % 26] ?? ""}${letters[Math.floor(index / 26) % 26] ?? ""}${letters[Math.floor(index / 676) % 26] ?? ""}x`;
}

/** Numbers that look random and are the same each time. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}
