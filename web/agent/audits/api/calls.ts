// The records made ready for the detectors: sorted, checked, split, and marked
// with what only the neighbours of a call can tell (retry, polling).
//
// An audit runs once, in an engine that has not compiled any of it yet, or
// never will. What counts there is how little is done for each call: URLs,
// questions and stacks are read once and shared, and the groups that detectors
// need fall out of that instead of being looked up again.

import type { CallRecord } from "../../call-record";
import type { Address, Call, Kind, Place, Question, Series } from "./call";
import { orderByEnd } from "./collect";
import { isCursorParam, isNoiseParam } from "./id-like";
import { markPolling } from "./polling";
import { Stacks } from "./stack";
import { fileKindOf, templateOf } from "./template";
import { LINK_EARLY_MS } from "./thresholds";
import { splitUrl, type UrlParts } from "./url";

export interface Calls {
  /** By start, then end, then id: the order of the input does not matter. */
  readonly list: readonly Call[];
  /** Those that ended, by when. */
  readonly byEnd: readonly Call[];
  /** The calls that asked the same, where more than one did. */
  readonly repeats: readonly (readonly Call[])[];
  readonly stacks: Stacks;
}

const NO_PLACES: readonly Place[] = [];

export function prepare(records: readonly CallRecord[]): Calls {
  const stacks = new Stacks();
  const questions = new Questions();
  const list: Call[] = [];
  let sorted = true;
  let before: Call | undefined;
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (record === undefined || !Number.isFinite(record.start)) continue;
    const asks = questions.of(record);
    if (asks === undefined) continue;
    const call = callOf(record, asks, stacks);
    if (before !== undefined && sorted && (call.start < before.start || (call.start === before.start && compare(before, call) > 0))) sorted = false;
    list.push(call);
    before = call;
  }
  if (!sorted) list.sort(compare);
  const ended: Call[] = [];
  const series: Series[] = [];
  for (let index = 0; index < list.length; index++) {
    const call = list[index];
    if (call === undefined) continue;
    call.at = index;
    if (call.end !== Infinity) ended.push(call);
    join(call, series);
    call.stack.calls.push(call);
  }
  return { list, byEnd: orderByEnd(ended), repeats: markSeries(series), stacks };
}

function join(call: Call, all: Series[]): void {
  const series = call.asks.series;
  if (series.calls !== undefined) series.calls.push(call);
  else if (series.first !== undefined) series.calls = [series.first, call];
  else {
    series.first = call;
    all.push(series);
  }
}

/** Marks retries and polling, and gives back what was asked more than once. */
function markSeries(all: readonly Series[]): Call[][] {
  const repeats: Call[][] = [];
  for (let index = 0; index < all.length; index++) {
    const calls = all[index]?.calls;
    if (calls === undefined) continue;
    markPolling(calls);
    for (const alike of byQuestion(calls)) {
      if (alike.length < 2) continue;
      markRetries(alike);
      repeats.push(alike);
    }
  }
  return repeats;
}

function byQuestion(calls: Call[]): Iterable<Call[]> {
  const question = calls[0]?.asks;
  if (calls.every((call) => call.asks === question)) return [calls];
  const groups = new Map<Question, Call[]>();
  for (const call of calls) {
    const group = groups.get(call.asks);
    if (group === undefined) groups.set(call.asks, [call]);
    else group.push(call);
  }
  return groups.values();
}

/** Every URL and every question, each once. */
class Questions {
  private readonly addresses = new Map<string, Address>();
  private readonly series = new Map<string, Series>();
  private readonly kinds = new Map<string, Kind>();

  /** Undefined for what never leaves the page. */
  of(record: CallRecord): Question | undefined {
    let address = this.addresses.get(record.url);
    if (address === undefined) {
      address = addressOf(record.url);
      this.addresses.set(record.url, address);
    }
    const known = address.question;
    if (known === undefined) {
      if (address.local) return undefined;
      address.question = this.make(address, record.method, record.bodyKey);
      return address.question;
    }
    if (known.method === record.method && known.bodyKey === record.bodyKey) return known;
    return this.another(address, known, record);
  }

  private another(address: Address, known: Question, record: CallRecord): Question {
    address.questions ??= new Map([[way(known.method, known.bodyKey), known]]);
    const text = way(record.method, record.bodyKey);
    let question = address.questions.get(text);
    if (question === undefined) {
      question = this.make(address, record.method, record.bodyKey);
      address.questions.set(text, question);
    }
    return question;
  }

  private make(url: Address, method: string, bodyKey: string | null): Question {
    const reads = method === "GET" || method === "HEAD" || method === "OPTIONS";
    return {
      url,
      method,
      bodyKey,
      reads,
      comparable: bodyKey !== null || reads || method === "DELETE",
      series: url.params.length === 0 ? { first: undefined, calls: undefined } : this.seriesOf(url, way(method, bodyKey)),
      kind: url.params.length === 0 && url.template.places === 0 ? undefined : this.kindOf(url, method),
      places: url.params.length === 0 ? NO_PLACES : undefined,
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
    const text = `${method} ${url.origin}${url.template.text}`;
    let kind = this.kinds.get(text);
    if (kind === undefined) {
      kind = { number: this.kinds.size, template: url.template.text, calls: [] };
      this.kinds.set(text, kind);
    }
    return kind;
  }
}

function way(method: string, bodyKey: string | null): string {
  return bodyKey === null ? method : `${method} ${bodyKey}`;
}

function addressOf(text: string): Address {
  const { origin, path, query, params, local } = splitUrl(text);
  return { origin, path, query, params, local, template: templateOf(path), file: fileKindOf(path, query), question: undefined, questions: undefined, segments: undefined, shown: undefined };
}

function callOf(record: CallRecord, asks: Question, stacks: Stacks): Call {
  const { start, aborted } = record;
  // A clock that ran backwards makes the end unusable, not the call.
  const end = record.end !== null && record.end >= start && record.end < Infinity ? record.end : Infinity;
  const status = record.status ?? 0;
  return {
    id: record.id,
    asks,
    stack: stacks.of(record.initiator),
    start,
    end,
    duration: end - start,
    status,
    failed: !aborted && (status >= 400 || (record.error !== null && record.error !== "")),
    aborted,
    retry: false,
    ticks: 0,
    at: 0,
    link: undefined,
    next: undefined,
    taken: false,
  };
}

/** Ids count up; a longer one is a later one. */
function compare(a: Call, b: Call): number {
  if (a.start !== b.start) return a.start - b.start;
  if (a.end !== b.end) return a.end - b.end;
  if (a.id.length !== b.id.length) return a.id.length - b.id.length;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** A call that starts when an identical one before it has failed or was given up is a retry. */
function markRetries(series: readonly Call[]): void {
  let before: Call | undefined;
  for (let index = 0; index < series.length; index++) {
    const call = series[index];
    if (call === undefined) break;
    if (before !== undefined) call.retry = before.aborted || (before.failed && before.end <= call.start + LINK_EARLY_MS);
    before = call;
  }
}
