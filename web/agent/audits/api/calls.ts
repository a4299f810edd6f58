// The records made ready for the detectors: sorted, checked, split, and marked
// with what only the neighbours of a call can tell (retry, polling).

import type { CallRecord } from "../../call-record";
import type { Call } from "./call";
import { groupBy, orderBy } from "./collect";
import { isCursorParam, isNoiseParam } from "./id-like";
import { markPolling } from "./polling";
import { Stacks, type Stack } from "./stack";
import { fileKindOf, templateOf, type FileKind, type PathTemplate } from "./template";
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

const BODILESS = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);

/** What is known of a URL, read once however often it was asked for. */
interface Address {
  readonly url: UrlParts;
  readonly template: PathTemplate;
  readonly file: FileKind;
  readonly whole: number;
  readonly poll: number;
  readonly kind: number;
}

/** Gives equal things equal small numbers, counting down from -1, so that they are hashed once. */
class Numbers<T> {
  private readonly known = new Map<T, number>();

  of(thing: T): number {
    let number = this.known.get(thing);
    if (number === undefined) {
      number = -1 - this.known.size;
      this.known.set(thing, number);
    }
    return number;
  }
}

/** More than there are different methods and bodies in any buffer; keeps two numbers apart in one. */
const APART = 1e7;

/** What makes two calls ask the same: the address, and how it was asked. */
class Questions {
  private readonly ways = new Numbers<string>();
  private readonly pairs = new Numbers<number>();

  way(method: string, bodyKey: string | null): number {
    return this.ways.of(bodyKey === null ? method : `${method} ${bodyKey}`);
  }

  /** Equal for equal address and way. The first way there is, mostly GET, costs no look-up. */
  number(address: number, way: number): number {
    return way === -1 ? address : this.pairs.of(address * APART + way) - APART;
  }
}

export function prepare(records: readonly CallRecord[]): Calls {
  const stacks = new Stacks();
  const urls = new Numbers<string>();
  const questions = new Questions();
  const addresses = new Map<string, Address>();
  const list: Call[] = [];
  for (const record of records) {
    if (!Number.isFinite(record.start)) continue;
    let address = addresses.get(record.url);
    if (address === undefined) {
      address = addressOf(record.url, addresses.size + 1, urls);
      addresses.set(record.url, address);
    }
    if (address.url.local) continue;
    list.push(callOf(record, address, questions, stacks.of(record.initiator)));
  }
  list.sort((a, b) => a.start - b.start || compareEnds(a.end, b.end) || compareIds(a.id, b.id));
  const ended = list.filter((call) => call.finished);
  return { list, byEnd: orderBy(ended, (call) => call.end), repeats: markSeries(list), stacks };
}

/** Marks retries and polling, and gives back what was asked more than once. */
function markSeries(list: readonly Call[]): Call[][] {
  const repeats: Call[][] = [];
  for (const turns of groupBy(list, (call) => call.pollKey).values()) {
    if (turns.length < 2) continue;
    markPolling(turns);
    const key = turns[0]?.key;
    const alike = turns.every((call) => call.key === key) ? [turns] : groupBy(turns, (call) => call.key).values();
    for (const series of alike) {
      if (series.length < 2) continue;
      markRetries(series);
      repeats.push(series);
    }
  }
  return repeats;
}

function addressOf(text: string, number: number, urls: Numbers<string>): Address {
  const url = splitUrl(text);
  const template = templateOf(url.path);
  const plain = url.params.length === 0;
  return {
    url,
    template,
    file: fileKindOf(url.path),
    whole: number,
    poll: plain ? number : urls.of(pollUrl(url)),
    // Grouped by only where there is a place for an id.
    kind: plain && template.places === 0 ? number : urls.of(url.origin + template.text),
  };
}

function callOf(record: CallRecord, address: Address, questions: Questions, stack: Stack): Call {
  const method = record.method;
  // A clock that ran backwards makes the end unusable, not the call.
  const finished = record.end !== null && Number.isFinite(record.end) && record.end >= record.start;
  const end = finished && record.end !== null ? record.end : Infinity;
  const status = record.status ?? 0;
  const plain = questions.way(method, null);
  const way = record.bodyKey === null ? plain : questions.way(method, record.bodyKey);
  return {
    id: record.id,
    method,
    url: address.url,
    template: address.template,
    file: address.file,
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
    key: questions.number(address.whole, way),
    comparable: record.bodyKey !== null || BODILESS.has(method),
    pollKey: questions.number(address.poll, way),
    templateKey: questions.number(address.kind, plain),
    retry: false,
    ticks: 0,
  };
}

function pollUrl(url: UrlParts): string {
  if (url.params.length === 0) return url.origin + url.path;
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
