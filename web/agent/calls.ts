// The call buffer behind window.__devtool_api: the last 1,000 fetch and
// XMLHttpRequest calls of this page visit, in the order they were made. The
// taps write into it; readers get copies that survive JSON.

import type { CallRecord, UserAction } from "./call-record";
import { getActions } from "./actions";
import { now, parseURL, timeOrigin } from "./native";
import { formatTrace } from "./stack";
import type { Trace } from "./stack";

/** How many calls are kept; the oldest goes first. */
export const callCapacity = 1000;

/** What getSlowCalls calls slow when it is not told otherwise, in ms. */
export const slowCallMs = 2000;

/** How many of the last calls say whether the page is busy, and how long one can keep it so, in ms. */
const recentCalls = 50;
const longestWait = 30_000;

/** What a tap knows when a call is made. */
export interface CallStart {
  readonly kind: "fetch" | "xhr";
  readonly method: string;
  /** As the page wrote it. */
  readonly url: string;
  /** What it is relative to; "" when it is absolute already. */
  readonly base: string;
  readonly trace: Trace | null;
  readonly bodyKey: string | null;
}

/** How a call ended. */
export interface CallEnd {
  readonly status: number;
  readonly ok: boolean;
  readonly error: string | null;
  readonly aborted: boolean;
}

/** One call while it is being recorded. Its URL and stack become text only when they are read. */
export class Call {
  end: number | null = null;
  status: number | null = null;
  ok: boolean | null = null;
  error: string | null = null;
  aborted = false;
  /** When the response's head reached the page; the body may still be coming. */
  answered: number | null = null;
  /** Called once, when the call has ended. */
  onEnd: (() => void) | null = null;
  readonly id: number;
  readonly start: number;
  /** It ended, but how is not known yet. */
  private vague = false;
  private readonly from: CallStart;
  private resolved: string | null = null;
  private trace: Trace | null;
  private caller: string | null = null;

  constructor(id: number, from: CallStart) {
    this.id = id;
    this.from = from;
    this.trace = from.trace;
    this.start = now();
  }

  /** The absolute URL without its fragment, or the page's own text where that is no URL. */
  get url(): string {
    if (this.resolved === null) this.resolved = absolute(this.from.url, this.from.base);
    return this.resolved;
  }

  get initiator(): string | null {
    if (this.trace !== null) {
      this.caller = formatTrace(this.trace);
      this.trace = null;
    }
    return this.caller;
  }

  /** Does now what reading would do. */
  prepare(): void {
    void this.url;
    void this.initiator;
  }

  /** The response's head is here. */
  answer(status: number, ok: boolean): void {
    if (this.end !== null && !this.vague) return;
    this.answered = now();
    this.status = status;
    this.ok = ok;
    if (this.end !== null) this.bodyEnd(this.end);
  }

  /** Everything is here, or nothing more will come. The first ending counts. */
  finish(how: CallEnd, at: number = now()): void {
    if (this.end !== null && !this.vague) return;
    this.status = how.status;
    this.ok = how.ok;
    this.error = how.error;
    this.aborted = how.aborted;
    this.close(Math.max(at, this.start));
  }

  /** The body ended at `at`; never before the page could have seen the head. */
  bodyEnd(at: number): void {
    this.close(Math.max(at, this.answered ?? this.start));
  }

  /** The call is over, but the browser does not say how: an opaque response, or an error still to be told. */
  fade(at: number): void {
    if (this.end !== null) return;
    this.finish({ status: 0, ok: false, error: null, aborted: false }, at);
    this.vague = true;
  }

  private close(at: number): void {
    this.end = at;
    this.vague = false;
    const ended = this.onEnd;
    this.onEnd = null;
    ended?.();
  }

  record(): CallRecord {
    const { kind, method, bodyKey } = this.from;
    return {
      id: `c${this.id}`,
      kind,
      method,
      url: this.url,
      start: this.start,
      end: this.end,
      duration: this.end === null ? null : this.end - this.start,
      timestamp: timeOrigin + this.start,
      status: this.status,
      ok: this.ok,
      error: this.error,
      aborted: this.aborted,
      initiator: this.initiator,
      bodyKey,
    };
  }
}

/** Resolves a URL as the platform does and drops its fragment. */
export function absolute(url: string, base: string): string {
  let resolved = url;
  try {
    resolved = parseURL(url, base === "" ? undefined : base).href;
  } catch {
    return url;
  }
  const hash = resolved.indexOf("#");
  return hash < 0 ? resolved : resolved.slice(0, hash);
}

/** Totals over the buffer. */
export interface CallStats {
  readonly total: number;
  readonly inFlight: number;
  readonly failed: number;
  readonly aborted: number;
  readonly slow: number;
  readonly byKind: { readonly fetch: number; readonly xhr: number };
  readonly byMethod: Readonly<Record<string, number>>;
  readonly averageMs: number | null;
  readonly slowestMs: number | null;
  /** Calls that no longer fit. */
  readonly dropped: number;
  readonly capacity: number;
}

/** Calls that asked for the same thing more than once. */
export interface RepeatedCalls {
  readonly method: string;
  readonly url: string;
  readonly bodyKey: string | null;
  readonly count: number;
  readonly ids: readonly string[];
  readonly firstStart: number;
  readonly lastStart: number;
}

/** A ring of calls. */
export class CallBuffer {
  readonly capacity: number;
  /** Called whenever a call begins. */
  onBegin: (() => void) | null = null;
  private ring: Call[] = [];
  private made = 0;
  private kept = 0;
  private lost = 0;
  private worded = 0;
  private scheduled = false;
  private readonly idle: (work: () => boolean) => void;

  /** `idle` runs work when nothing else is to be done, again and again until it returns false. */
  constructor(capacity: number = callCapacity, idle: (work: () => boolean) => void = () => {}) {
    this.capacity = capacity;
    this.idle = idle;
  }

  /** Adds a call that begins now. */
  begin(from: CallStart): Call {
    const call = new Call(++this.made, from);
    this.ring[this.kept % this.capacity] = call;
    if (this.kept >= this.capacity) this.lost++;
    this.kept++;
    this.onBegin?.();
    if (!this.scheduled) {
      this.scheduled = true;
      this.idle(() => this.putIntoWords());
    }
    return call;
  }

  /** Words one call's stack ahead of its readers; a stack not worded keeps the functions in it alive. */
  private putIntoWords(): boolean {
    this.worded = Math.max(this.worded, this.kept - this.capacity);
    this.scheduled = this.worded < this.kept;
    if (this.scheduled) this.ring[this.worded++ % this.capacity]?.prepare();
    return this.scheduled;
  }

  /** Whether, since then, a call has ended and another begun after it: what came was used to ask for more. */
  turned(since: number): boolean {
    let ended = Infinity;
    let begun = -Infinity;
    for (let i = this.kept - 1; i >= 0 && i >= this.kept - recentCalls; i--) {
      const call = this.ring[i % this.capacity];
      if (call === undefined) continue;
      begun = Math.max(begun, call.start);
      if (call.end !== null && call.end >= since) ended = Math.min(ended, call.end);
    }
    return begun >= ended;
  }

  /** Whether one of the last calls is in flight, or ended less than `ms` ago. One that has run for half a minute is a stream. */
  busy(ms: number): boolean {
    const clock = now();
    for (let i = this.kept - 1; i >= 0 && i >= this.kept - recentCalls; i--) {
      const call = this.ring[i % this.capacity];
      if (call !== undefined && clock - (call.end ?? clock) < ms && clock - call.start < longestWait) return true;
    }
    return false;
  }

  /** How many calls fell out of the buffer. */
  get dropped(): number {
    return this.lost;
  }

  /** The calls, oldest first, those in flight among them. */
  records(): CallRecord[] {
    const out: CallRecord[] = [];
    for (let i = Math.max(0, this.kept - this.capacity); i < this.kept; i++) {
      const call = this.ring[i % this.capacity];
      if (call !== undefined) out[out.length] = call.record();
    }
    return out;
  }

  /** Forgets everything, the count of dropped calls too. Ids go on. */
  clear(): void {
    this.ring = [];
    this.kept = 0;
    this.lost = 0;
    this.worded = 0;
  }
}

/** A call went wrong when it got no response or a 4xx or 5xx; an opaque response or a call given up did not. */
export function isFailed(call: CallRecord): boolean {
  return !call.aborted && (call.error !== null || (call.status !== null && call.status >= 400));
}

/** How long a call took, or has been taking. */
export function elapsed(call: CallRecord, clock: number): number {
  return (call.end ?? clock) - call.start;
}

export function stats(calls: readonly CallRecord[], clock: number, dropped: number, capacity: number): CallStats {
  const byKind = { fetch: 0, xhr: 0 };
  const methods = new Map<string, number>();
  let inFlight = 0;
  let failed = 0;
  let aborted = 0;
  let slow = 0;
  let ended = 0;
  let sum = 0;
  let slowest: number | null = null;
  for (const call of calls) {
    byKind[call.kind]++;
    methods.set(call.method, (methods.get(call.method) ?? 0) + 1);
    if (isFailed(call)) failed++;
    if (call.aborted) aborted++;
    if (elapsed(call, clock) >= slowCallMs) slow++;
    if (call.duration === null) {
      inFlight++;
      continue;
    }
    ended++;
    sum += call.duration;
    slowest = Math.max(slowest ?? 0, call.duration);
  }
  const byMethod = Object.fromEntries(methods);
  const averageMs = ended === 0 ? null : sum / ended;
  return { total: calls.length, inFlight, failed, aborted, slow, byKind, byMethod, averageMs, slowestMs: slowest, dropped, capacity };
}

/** Groups of two or more calls with one method, URL and body, the largest first. */
export function repeated(calls: readonly CallRecord[]): RepeatedCalls[] {
  const groups = new Map<string, CallRecord[]>();
  for (const call of calls) {
    const key = `${call.method} ${call.url} ${call.bodyKey ?? ""}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  const out: RepeatedCalls[] = [];
  for (const group of groups.values()) {
    const first = group[0];
    const last = group[group.length - 1];
    if (first === undefined || last === undefined || group.length < 2) continue;
    out.push({
      method: first.method,
      url: first.url,
      bodyKey: first.bodyKey,
      count: group.length,
      ids: group.map((call) => call.id),
      firstStart: first.start,
      lastStart: last.start,
    });
  }
  return out.sort((a, b) => b.count - a.count || a.firstStart - b.firstStart);
}

/** What the page, exec and the audits see as window.__devtool_api. */
export interface CallAPI {
  getCalls(): CallRecord[];
  getStats(): CallStats;
  getFailedCalls(): CallRecord[];
  getSlowCalls(ms?: number): CallRecord[];
  getRepeatedCalls(): RepeatedCalls[];
  clear(): void;
  /** The user's last actions, on the clock of the calls. */
  getActions(): UserAction[];
  /** How many calls no longer fit; the same as in getStats, without going through the buffer. */
  getDropped(): number;
}

/** The API over a buffer; `settle` brings the endings of bodies up to date before every read. */
export function callAPI(buffer: CallBuffer, settle: () => void): CallAPI {
  const read = (): CallRecord[] => {
    settle();
    return buffer.records();
  };
  return Object.freeze({
    getCalls: read,
    getStats: () => stats(read(), now(), buffer.dropped, buffer.capacity),
    getFailedCalls: () => read().filter(isFailed),
    getSlowCalls: (ms: number = slowCallMs) => {
      const clock = now();
      return read()
        .filter((call) => elapsed(call, clock) >= ms)
        .sort((a, b) => elapsed(b, clock) - elapsed(a, clock));
    },
    getRepeatedCalls: () => repeated(read()),
    clear: () => {
      buffer.clear();
    },
    getActions,
    getDropped: () => buffer.dropped,
  });
}
