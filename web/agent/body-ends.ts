// When a fetch ends: with the last byte of its body, which the page's promise
// does not tell (it is fulfilled by the head). Reading, cloning or teeing the
// body would change bodyUsed, memory and timing; wrapping the Response's
// methods would only see bodies that the page reads. The browser itself knows:
// each fetch leaves a resource-timing entry when its body has ended, delivered
// to an observer whatever the page does to its own timing buffer. An entry
// carries the requested URL and a start time on the same clock, and is matched
// with the call that started last before it.

import type { Call } from "./calls";
import { isCallable, quietly } from "./native";

/** The part of a resource-timing entry that is used. */
export interface ResourceEntry {
  readonly name: string;
  readonly initiatorType: string;
  readonly startTime: number;
  readonly responseEnd: number;
  /** 0 or absent when the browser does not say. */
  readonly responseStatus?: number;
}

/** Clocks are coarsened: an entry may seem to start this much before its call, in ms. */
const clockSlack = 1;

interface Waiting {
  readonly call: Call;
  /** Lets go of the Response; undefined once it has been collected. */
  readonly response: WeakRef<object> | null;
}

const Ref = typeof WeakRef === "undefined" ? undefined : WeakRef;

/** Matches calls whose body has not ended with resource-timing entries. */
export class BodyEnds {
  private readonly limit: number;
  private readonly waiting: Waiting[] = [];
  private observer: PerformanceObserver | null = null;
  private supported: boolean | null = null;

  /** Waits for at most `limit` calls at a time; the oldest is given up first. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether this browser reports resource timing; asked first when the first call is made. */
  get works(): boolean {
    this.supported ??= quietly(() => this.observe()) ?? false;
    return this.supported;
  }

  /** Waits for the entry of a call that has just been made. */
  expect(call: Call): void {
    if (!this.works) return;
    this.add({ call, response: null });
  }

  /** Remembers the response, so that a body nobody can read any more does not stay in flight. */
  answered(call: Call, response: object): void {
    if (Ref === undefined || !this.works) return;
    for (let i = this.waiting.length - 1; i >= 0; i--) {
      if (this.waiting[i]?.call === call) this.waiting[i] = { call, response: new Ref(response) };
    }
  }

  /** Takes what the observer has but has not delivered yet, and gives up on bodies that were thrown away. */
  settle(): void {
    const entries = this.observer?.takeRecords();
    if (entries !== undefined) this.take(entries);
    for (const { call, response } of this.waiting) {
      if (response !== null && call.answered !== null && call.end === null && response.deref() === undefined) call.bodyEnd(call.answered);
    }
  }

  /** Gives an entry to the call it belongs to. */
  match(entry: ResourceEntry): void {
    if (entry.initiatorType !== "fetch") return;
    const hash = entry.name.indexOf("#");
    const url = hash < 0 ? entry.name : entry.name.slice(0, hash);
    let best = -1;
    for (let i = 0; i < this.waiting.length; i++) {
      const call = this.waiting[i]?.call;
      if (call === undefined || call.start > entry.startTime + clockSlack) continue;
      const other = this.waiting[best]?.call;
      // Of calls made in the same instant the first one is meant: entries come in the order of their starts.
      if ((other === undefined || call.start > other.start) && call.url === url) best = i;
    }
    const call = this.waiting[best]?.call;
    if (call === undefined) return;
    this.remove(best);
    const status = entry.responseStatus ?? 0;
    if (call.answered !== null) call.bodyEnd(entry.responseEnd);
    else if (status > 0) call.finish({ status, ok: status >= 200 && status < 300, error: null, aborted: false }, entry.responseEnd);
    else call.fade(entry.responseEnd);
  }

  /** Stops waiting for a call that ended otherwise. */
  forget(call: Call): void {
    for (let i = this.waiting.length - 1; i >= 0; i--) {
      if (this.waiting[i]?.call === call) this.remove(i);
    }
  }

  private add(waiting: Waiting): void {
    if (this.waiting.length >= this.limit) this.remove(0);
    this.waiting[this.waiting.length] = waiting;
  }

  private remove(index: number): void {
    const list = this.waiting;
    for (let i = index; i + 1 < list.length; i++) {
      const later = list[i + 1];
      if (later !== undefined) list[i] = later;
    }
    list.length -= 1;
  }

  private take(entries: readonly PerformanceEntry[]): void {
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      if (entry instanceof PerformanceResourceTiming) this.match(entry);
    }
  }

  private observe(): boolean {
    if (typeof PerformanceObserver === "undefined" || !isCallable(PerformanceObserver)) return false;
    if (!PerformanceObserver.supportedEntryTypes.includes("resource")) return false;
    this.observer = new PerformanceObserver((list) => {
      quietly(() => this.take(list.getEntries()));
    });
    this.observer.observe({ type: "resource" });
    return true;
  }
}
