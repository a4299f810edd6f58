// Which call made which other call wait.
//
// A link A → B says that B started about when A ended. Every B has at most one
// trigger, so that links form a forest: a batch released by one end hangs on
// that one end, and cannot be braided into several chains. The trigger is
// chosen among all calls that ended near B's start, whatever else ran at the
// time: one that shares a function with B before one that does not, then the
// nearest end, and between ends too close to tell apart the longer chain.
//
// Sorted ends and a bounded look around each start keep this near-linear.

import { ABORTED, FAILED, MEDIA, PREFLIGHT, RETRY, TICK, type Call } from "./call";
import type { Calls } from "./calls";
import { upperBound } from "./collect";
import { queuedCalls } from "./pools";
import { Sites, TIE_MS, Traffic } from "./traffic";
import type { Relation } from "./stack";
import { CACHE_HIT_MS, LINK_EARLY_MS, LINK_LATE_MAX_MS, LINK_LATE_MIN_MS, LINK_LATE_RATIO } from "./thresholds";

export interface Link {
  readonly from: Call;
  readonly to: Call;
  /** B's start minus A's end; negative when B did not wait for the body. */
  readonly gap: number;
  readonly relation: Relation;
  /** Odds that the two met by chance; 0 when something besides time ties them, or nothing but time is known. */
  readonly chance: number;
  /** Calls in the chain up to and with B. */
  readonly depth: number;
}

/** Ends looked at on each side of a start. */
const MAX_CANDIDATES = 32;
/** A start before the end is the less likely reading; it counts as this many times as far. */
const EARLY_COST = 2;
/** What is this much farther than the best is so by more than a tie and the dust of decimals. */
const TOO_FAR_MS = TIE_MS + 0.01;
/** Share of A that must be over before B can be its follower, seen from the end. */
const EARLY_RATIO = 0.25;
/** A tie of time alone is no link when chance would bring it about this often. */
const MAX_CHANCE = 1;
/** After these statuses what follows is a reaction: sign in again, wait, retry. */
const REACTED_TO = new Set([401, 403, 407, 408, 419, 425, 429]);

/** How long after A's end B may start and still be its follower. */
export function lateTolerance(duration: number): number {
  return Math.min(LINK_LATE_MAX_MS, Math.max(LINK_LATE_MIN_MS, duration * LINK_LATE_RATIO));
}

/** How long before A's end B may start: short calls side by side end near each other's start without following it. */
export function earlyTolerance(duration: number): number {
  return Math.min(LINK_EARLY_MS, duration * EARLY_RATIO);
}

/** Finds the trigger of each call that has one. Takes actions by time. */
export function linkCalls(calls: Calls, actions: readonly number[]): void {
  new Linker(calls, actions).run();
}

class Linker {
  private readonly calls: Calls;
  private readonly actions: readonly number[];
  /** By end, those that can be part of a chain. */
  private readonly byEnd: readonly Call[];
  private readonly ends: number[] = [];
  /** By place, whether a call can be part of a chain. */
  private readonly linkable: Uint8Array;
  private readonly sites = new Sites();
  private traffic: Traffic | undefined;
  /** Whether the start looked at has no stack. */
  private bare = false;
  /** The first end at or after the start looked at. */
  private middle = 0;
  /** What is known of the start looked at; all its candidates share it. */
  private busy: boolean | undefined;
  private density = -1;
  /** The best candidate for it so far. */
  private best: Call | undefined;
  private gap = 0;
  private relation: Relation = 0;
  private chance = 0;
  private cost = 0;
  /** When the end of each call last released another, by place. */
  private readonly released: Float64Array;

  constructor(calls: Calls, actions: readonly number[]) {
    this.calls = calls;
    this.actions = actions;
    const byEnd: Call[] = [];
    const ends = this.ends;
    const linkable = new Uint8Array(calls.list.length);
    let count = 0;
    for (let index = 0, total = calls.byEnd.length; index < total; index++) {
      const call = calls.byEnd[index];
      if (call === undefined || !mayLink(call)) continue;
      byEnd[count] = call;
      ends[count++] = call.end;
      linkable[call.at] = 1;
    }
    this.byEnd = byEnd;
    this.linkable = linkable;
    this.released = new Float64Array(calls.list.length).fill(Infinity);
  }

  run(): void {
    if (this.byEnd.length < 2) return;
    const queued = queuedCalls(this.calls);
    // By start, so that the chain up to every candidate is already known.
    const list = this.calls.list;
    const linkable = this.linkable;
    for (let index = 0, total = list.length; index < total; index++) {
      if (linkable[index] === 0 || queued[index] === 1) continue;
      const call = list[index];
      if (call === undefined || (call.state & RETRY) !== 0) continue;
      this.look(call);
      const from = this.best;
      if (from === undefined) continue;
      call.link = { from, to: call, gap: this.gap, relation: this.relation, chance: this.chance, depth: depthOf(from) + 1 };
      this.released[from.at] = call.start;
    }
  }

  /** Looks for the trigger among the ends around a start. */
  private look(call: Call): void {
    const start = call.start;
    const stack = call.stack;
    const byEnd = this.byEnd;
    const ends = this.ends;
    const count = byEnd.length;
    // Starts only grow, so the place among the ends is found by going on from the last.
    let middle = this.middle;
    while (middle < count && (ends[middle] ?? 0) < start) middle++;
    this.middle = middle;
    this.best = undefined;
    this.busy = undefined;
    this.density = -1;
    this.bare = stack.key === 0;
    const last = Math.min(count, middle + MAX_CANDIDATES);
    for (let index = middle; index < last; index++) {
      const end = ends[index] ?? 0;
      if (end > start + LINK_EARLY_MS) break;
      const from = byEnd[index];
      if (from !== undefined) this.consider(from, call, start, end);
    }
    const first = Math.max(0, middle - MAX_CANDIDATES);
    const earliest = start - LINK_LATE_MAX_MS;
    for (let index = middle - 1; index >= first; index--) {
      const end = ends[index] ?? 0;
      if (end < earliest) break;
      const from = byEnd[index];
      if (from === undefined) break;
      // Too far to be better by distance: only what shares a function can be.
      if (this.best !== undefined && start - end > this.cost + TOO_FAR_MS) {
        if (this.relation === 2 || this.isBusy(call)) break;
        if (this.calls.stacks.relation(from.stack, stack) !== 2) continue;
      }
      this.consider(from, call, start, end);
    }
  }

  /** Whether nothing can be told from B's stack: it has none, or its line has others under way at the time. */
  private isBusy(call: Call): boolean {
    this.busy ??= this.bare || this.sites.busy(call);
    return this.busy;
  }

  /** Takes A for B's trigger if it can be, and is likelier than the best so far. */
  private consider(from: Call, to: Call, start: number, end: number): void {
    // Free of the dust that subtracting decimals leaves.
    const gap = Math.round((start - end) * 1000) / 1000;
    if (gap < 0 ? -gap > earlyTolerance(end - from.start) : gap > LINK_LATE_MIN_MS && gap > lateTolerance(end - from.start)) return;
    if (from.asks === to.asks || ((from.state & FAILED) !== 0 && reactsTo(from, to)) || (this.actions.length > 0 && this.prompted(from, to))) return;
    let relation = this.bare ? 1 : this.calls.stacks.relation(from.stack, to.stack);
    if (relation === 2) {
      // A line of code that has others under way does not wait for this one.
      if (this.isBusy(to)) relation = 0;
    }
    const chance = relation === 0 ? this.chanceOf(to, gap) : 0;
    if (chance > MAX_CHANCE) return;
    const cost = this.costOf(from, start, gap);
    if (this.best !== undefined && !this.isBetter(from, relation, cost, this.best)) return;
    this.best = from;
    this.gap = gap;
    this.relation = relation;
    this.chance = chance;
    this.cost = cost;
  }

  private isBetter(from: Call, relation: Relation, cost: number, best: Call): boolean {
    if ((this.relation === 2) !== (relation === 2)) return relation === 2;
    const costs = this.cost - cost;
    if (costs > TIE_MS || costs < -TIE_MS) return costs > 0;
    const depths = depthOf(best) - depthOf(from);
    return depths === 0 ? costs > 0 : depths < 0;
  }

  private costOf(from: Call, start: number, gap: number): number {
    // A start before the end counts as farther.
    const distance = gap >= 0 ? gap : -gap * EARLY_COST;
    // An end that has already released something is a less likely cause of something later.
    return start - (this.released[from.at] ?? Infinity) > TIE_MS ? distance + TIE_MS : distance;
  }

  /** Whether the user did something in the gap, or right before B. */
  private prompted(from: Call, to: Call): boolean {
    const action = this.actions[upperBound(this.actions, to.start) - 1];
    if (action === undefined || action <= from.start) return false;
    return action >= Math.min(from.end, to.start) || to.start - action <= LINK_EARLY_MS;
  }

  /** How much likelier it is that something unrelated ended here than that this was waited for. */
  private chanceOf(to: Call, gap: number): number {
    if (this.density < 0) {
      this.traffic ??= new Traffic(this.calls);
      this.density = this.traffic.density(to.start);
    }
    return this.density / waitDensity(gap);
  }
}

/** Calls in the chain up to and with this one. */
function depthOf(call: Call): number {
  return call.link === undefined ? 1 : call.link.depth;
}

/**
 * How gaps between an answer and what waited for it are spread, per
 * millisecond: mostly a few milliseconds, now and then a long render, seldom
 * before the end.
 */
function waitDensity(gap: number): number {
  return gap >= 0 ? 0.5 * (Math.exp(-gap / 6) / 6) + 0.5 / LINK_LATE_MAX_MS : 0.03 * Math.exp(gap / 3) + 0.002;
}

/** Whether a call can be part of a chain at all. */
function mayLink(call: Call): boolean {
  const state = call.state;
  const end = call.end;
  return (state & (ABORTED | MEDIA | PREFLIGHT)) === 0 && state < TICK && end !== Infinity && end - call.start > CACHE_HIT_MS;
}

/** Whether B answers A's failure instead of using A's result. */
function reactsTo(from: Call, to: Call): boolean {
  const status = from.record.status ?? 0;
  if (status < 400 || status >= 500 || REACTED_TO.has(status)) return true;
  return from.asks.method === to.asks.method && from.asks.url.path === to.asks.url.path;
}
