// The records made ready for the detectors: sorted, checked, split, and marked
// with what only the neighbours of a call can tell (retry, polling).
//
// An audit runs once, in an engine that has not compiled any of it yet, or
// never will. What counts there is how little is done for each call: URLs,
// questions and stacks are read once and shared, and the groups that detectors
// need fall out of that instead of being looked up again.

import type { CallRecord } from "../../call-record";
import { Addresses } from "./addresses";
import { ABORTED, COMPARABLE, FAILED, FILE, MEDIA, PREFLIGHT, READS, RETRY, type Address, type Call, type Kind, type Question, type Series } from "./call";
import { groupBy, orderByEnd } from "./collect";
import { isCursorParam, isNoiseParam } from "./id-like";
import { markPolling } from "./polling";
import { Stacks } from "./stack";
import { fileKindOf } from "./template";
import { LINK_EARLY_MS } from "./thresholds";
import type { UrlParts } from "./url";

export interface Calls {
  /** By start, then end, then id: the order of the input does not matter. */
  readonly list: readonly Call[];
  /** Those that ended, by when. */
  readonly byEnd: readonly Call[];
  /** The calls that asked the same, where more than one did. */
  readonly repeats: readonly (readonly Call[])[];
  readonly stacks: Stacks;
}

export function prepare(records: readonly CallRecord[]): Calls {
  const stacks = new Stacks();
  const list = callsOf(records, stacks);
  const ended: Call[] = [];
  const repeated: Series[] = [];
  let count = 0;
  for (let index = 0, total = list.length; index < total; index++) {
    const call = list[index];
    if (call === undefined) continue;
    const asks = call.asks;
    const stack = call.stack;
    call.at = index;
    if (call.end !== Infinity) ended[count++] = call;
    stack.calls[stack.calls.length] = call;
    const series = asks.series ?? asks;
    if (series.first === undefined) series.first = call;
    else if (series.calls === undefined) {
      series.calls = [series.first, call];
      repeated.push(series);
    } else series.calls[series.calls.length] = call;
  }
  // By their first calls.
  repeated.sort((a, b) => (a.first?.at ?? 0) - (b.first?.at ?? 0));
  return { list, byEnd: orderByEnd(ended), repeats: markSeries(repeated), stacks };
}

/** The records that count, as calls, in order. */
function callsOf(records: readonly CallRecord[], stacks: Stacks): Call[] {
  const questions = new Questions();
  const list: Call[] = [];
  let count = 0;
  let sorted = true;
  let before: Call | undefined;
  let last = -Infinity;
  for (let index = 0, total = records.length; index < total; index++) {
    const record = records[index];
    if (record === undefined) continue;
    const start = record.start;
    if (!Number.isFinite(start)) continue;
    const asks = questions.of(record);
    if (asks === undefined) continue;
    // A clock that ran backwards makes the end unusable, not the call.
    const ended = record.end;
    const end = ended !== null && ended >= start && ended < Infinity ? ended : Infinity;
    const call: Call = { record, asks, stack: stacks.of(record.initiator), start, end, state: asks.traits | outcomeOf(record), at: 0, link: undefined };
    if (start <= last && sorted && before !== undefined && compare(before, call) > 0) sorted = false;
    list[count++] = call;
    before = call;
    last = start;
  }
  return sorted ? list : list.sort(compare);
}

function outcomeOf(record: CallRecord): number {
  if (record.aborted) return ABORTED;
  const status = record.status;
  const error = record.error;
  return (status !== null && status >= 400) || (error !== null && error !== "") ? FAILED : 0;
}

/** Marks retries and polling, and gives back what was asked more than once. */
function markSeries(all: readonly Series[]): Call[][] {
  const repeats: Call[][] = [];
  for (let index = 0, total = all.length; index < total; index++) {
    const calls = all[index]?.calls;
    if (calls === undefined) continue;
    markPolling(calls);
    if (areOne(calls)) {
      markRetries(calls);
      repeats.push(calls);
      continue;
    }
    for (const alike of groupBy(calls, questionOf).values()) {
      if (alike.length < 2) continue;
      markRetries(alike);
      repeats.push(alike);
    }
  }
  return repeats;
}

/** Whether all ask the same. */
function areOne(calls: readonly Call[]): boolean {
  const question = calls[0]?.asks;
  for (let index = 1, total = calls.length; index < total; index++) if (calls[index]?.asks !== question) return false;
  return true;
}

function questionOf(call: Call): Question {
  return call.asks;
}

/** Every URL and every question, each once. */
class Questions {
  private readonly addresses = new Addresses();
  private readonly series = new Map<string, Series>();
  private readonly kinds = new Map<string, Kind>();

  /** Undefined for what never leaves the page. */
  of(record: CallRecord): Question | undefined {
    const method = record.method;
    const bodyKey = record.bodyKey;
    const address = this.addresses.of(record.url);
    const known = address.question;
    if (known === undefined) {
      if (address.local) return undefined;
      address.question = this.make(address, method, bodyKey);
      return address.question;
    }
    if (known.method === method && known.bodyKey === bodyKey) return known;
    return this.another(address, known, method, bodyKey);
  }

  private another(address: Address, known: Question, method: string, bodyKey: string | null): Question {
    address.questions ??= new Map([[way(known.method, known.bodyKey), known]]);
    const text = way(method, bodyKey);
    let question = address.questions.get(text);
    if (question === undefined) {
      question = this.make(address, method, bodyKey);
      address.questions.set(text, question);
    }
    return question;
  }

  private make(url: Address, method: string, bodyKey: string | null): Question {
    const fixed = url.params.length === 0;
    return {
      url,
      method,
      bodyKey,
      traits: traitsOf(url, method, bodyKey),
      series: fixed ? undefined : this.seriesOf(url, way(method, bodyKey)),
      kind: fixed && url.template.places === 0 ? undefined : this.kindOf(url, method),
      first: undefined,
      calls: undefined,
    };
  }

  private seriesOf(url: UrlParts, how: string): Series {
    let kept = "";
    for (const param of url.params) if (!isNoiseParam(param.name) && !isCursorParam(param.name)) kept += `&${param.name}=${param.value}`;
    const text = `${how}\n${url.origin}${url.path}?${kept}`;
    let series = this.series.get(text);
    if (series === undefined) {
      series = { first: undefined, calls: undefined };
      this.series.set(text, series);
    }
    return series;
  }

  private kindOf(url: Address, method: string): Kind {
    const text = url.template.text;
    const kinds = url.template.kinds;
    for (let index = 0, total = kinds.length; index < total; index++) {
      const kind = kinds[index];
      if (kind !== undefined && kind.method === method) return kind;
    }
    const key = `${method} ${url.origin}${text}`;
    let kind = this.kinds.get(key);
    if (kind === undefined) {
      kind = { number: this.kinds.size, method, template: text, calls: [] };
      this.kinds.set(key, kind);
    }
    kinds.push(kind);
    return kind;
  }
}

function traitsOf(url: UrlParts, method: string, bodyKey: string | null): number {
  const file = fileKindOf(url.path, url.query);
  let traits = 0;
  if (file !== "") traits = file === "media" ? FILE | MEDIA : FILE;
  if (method === "GET" || method === "HEAD") return traits | READS | COMPARABLE;
  if (method === "OPTIONS") return traits | READS | COMPARABLE | PREFLIGHT;
  return bodyKey !== null || method === "DELETE" ? traits | COMPARABLE : traits;
}

function way(method: string, bodyKey: string | null): string {
  return bodyKey === null ? method : `${method} ${bodyKey}`;
}

/** Ids count up; a longer one is a later one. */
function compare(a: Call, b: Call): number {
  if (a.start !== b.start) return a.start - b.start;
  if (a.end !== b.end) return a.end - b.end;
  const x = a.record.id;
  const y = b.record.id;
  if (x.length !== y.length) return x.length - y.length;
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

/** A call that starts when an identical one before it has failed or was given up is a retry. */
function markRetries(series: readonly Call[]): void {
  let before: Call | undefined;
  let state = 0;
  for (let index = 0, total = series.length; index < total; index++) {
    const call = series[index];
    if (call === undefined) break;
    if (before !== undefined && (state & (ABORTED | FAILED)) !== 0 && ((state & ABORTED) !== 0 || before.end <= call.start + LINK_EARLY_MS)) call.state |= RETRY;
    before = call;
    state = call.state;
  }
}
