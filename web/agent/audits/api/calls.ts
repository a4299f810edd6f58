// The records made ready for the detectors: sorted, checked, split, and marked
// with what only the neighbours of a call can tell (retry, polling).

import type { CallRecord } from "../../call-record";
import type { Call } from "./call";
import { groupBy } from "./collect";
import { isCursorParam, isNoiseParam } from "./id-like";
import { markPolling } from "./polling";
import { Stacks, type Stack } from "./stack";
import { templateOf, type PathTemplate } from "./template";
import { LINK_EARLY_MS } from "./thresholds";
import { splitUrl, type UrlParts } from "./url";

export interface Calls {
  /** By start, then end, then id: the order of the input does not matter. */
  readonly list: readonly Call[];
  readonly stacks: Stacks;
}

const BODILESS = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

export function prepare(records: readonly CallRecord[]): Calls {
  const stacks = new Stacks();
  const urls = new Map<string, { url: UrlParts; template: PathTemplate; poll: string }>();
  const list: Call[] = [];
  for (const record of records) {
    if (!Number.isFinite(record.start)) continue;
    let parts = urls.get(record.url);
    if (parts === undefined) {
      const url = splitUrl(record.url);
      parts = { url, template: templateOf(url.segments), poll: pollUrl(url) };
      urls.set(record.url, parts);
    }
    if (parts.url.local) continue;
    list.push(callOf(record, parts.url, parts.template, parts.poll, stacks.of(record.initiator)));
  }
  list.sort((a, b) => a.start - b.start || compareEnds(a.end, b.end) || compareIds(a.id, b.id));
  for (const series of groupBy(list, (call) => call.key).values()) markRetries(series);
  for (const series of groupBy(list, (call) => call.pollKey).values()) markPolling(series);
  return { list, stacks };
}

function callOf(record: CallRecord, url: UrlParts, template: PathTemplate, poll: string, stack: Stack): Call {
  const method = record.method;
  // A clock that ran backwards makes the end unusable, not the call.
  const finished = record.end !== null && Number.isFinite(record.end) && record.end >= record.start;
  const end = finished && record.end !== null ? record.end : Infinity;
  const status = record.status ?? 0;
  const body = record.bodyKey ?? "";
  return {
    id: record.id,
    method,
    url,
    template,
    start: record.start,
    end,
    duration: end - record.start,
    finished,
    failed: !record.aborted && (status >= 400 || (record.error !== null && record.error !== "")),
    status,
    aborted: record.aborted,
    preflight: method === "OPTIONS",
    stack,
    bodyKey: record.bodyKey,
    key: `${method} ${url.origin}${url.path}${url.query} ${body}`,
    comparable: record.bodyKey !== null || BODILESS.has(method),
    pollKey: `${method} ${poll} ${body}`,
    retry: false,
    ticks: 0,
  };
}

function pollUrl(url: UrlParts): string {
  const kept = url.params.filter((param) => !isNoiseParam(param.name) && !isCursorParam(param.name));
  return `${url.origin}${url.path}?${kept.map((param) => `${param.name}=${param.value}`).join("&")}`;
}

function compareEnds(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/** Ids count up; a longer one is a later one. */
function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A call that starts when an identical one before it has failed or was given up is a retry. */
function markRetries(series: readonly Call[]): void {
  let before: Call | undefined;
  for (const call of series) {
    if (before !== undefined) {
      const over = before.aborted || (before.failed && before.end <= call.start + LINK_EARLY_MS);
      call.retry = over;
    }
    before = call;
  }
}
