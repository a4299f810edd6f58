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

import type { Call } from "./call";
import type { Calls } from "./calls";
import { apart, column, upperBound } from "./collect";
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
}

/** Ends looked at on each side of a start. */
const MAX_CANDIDATES = 32;
/** A start before the end is the less likely reading; it counts as this many times as far. */
const EARLY_COST = 2;
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

/** The trigger of each call that has one. */
export function linkCalls(calls: Calls, actions: readonly number[]): Map<Call, Link> {
  return new Linker(calls, actions).run();
}

class Linker {
  private readonly calls: Calls;
  private readonly actions: readonly number[];
  private readonly nodes: readonly Call[];
  private readonly byEnd: readonly Call[];
  private readonly ends: Float64Array;
  private readonly queued: Set<Call>;
  private readonly sites: Sites;
  private traffic: Traffic | undefined;
  private middle = 0;
  /** What is known of the start looked at last; all its candidates share it. */
  private busy: boolean | undefined;
  private density: number | undefined;
  private readonly links = new Map<Call, Link>();
  private readonly depth = new Map<Call, number>();
  private readonly released = new Map<Call, number>();

  constructor(calls: Calls, actions: readonly number[]) {
    this.calls = calls;
    this.actions = actions;
    this.nodes = calls.list.filter(mayLink);
    this.byEnd = calls.byEnd.filter(mayLink);
    this.ends = column(this.byEnd, (call) => call.end);
    this.queued = queuedCalls(calls.list);
    this.sites = new Sites(calls.list);
  }

  run(): Map<Call, Link> {
    // By start, so that the chain up to every candidate is already known.
    for (const call of this.nodes) {
      if (call.retry || this.queued.has(call)) continue;
      const link = this.triggerOf(call);
      if (link === undefined) continue;
      this.links.set(call, link);
      this.depth.set(call, (this.depth.get(link.from) ?? 1) + 1);
      this.released.set(link.from, call.start);
    }
    return this.links;
  }

  private triggerOf(call: Call): Link | undefined {
    let best: Link | undefined;
    this.busy = undefined;
    this.density = undefined;
    // Starts only grow, so the place among the ends is found by going on from the last.
    while ((this.ends[this.middle] ?? Infinity) < call.start) this.middle++;
    const middle = this.middle;
    const first = Math.max(0, middle - MAX_CANDIDATES);
    const last = Math.min(this.byEnd.length, middle + MAX_CANDIDATES);
    for (let index = middle; index < last; index++) {
      const from = this.byEnd[index];
      if (from === undefined || from.end > call.start + LINK_EARLY_MS) break;
      best = this.better(best, this.link(from, call));
    }
    for (let index = middle - 1; index >= first; index--) {
      const from = this.byEnd[index];
      if (from === undefined || from.end < call.start - LINK_LATE_MAX_MS) break;
      best = this.better(best, this.link(from, call));
    }
    return best;
  }

  /** The link between two calls, if there can be one. */
  private link(from: Call, to: Call): Link | undefined {
    const gap = apart(from.end, to.start);
    if (gap < -earlyTolerance(from.duration) || gap > lateTolerance(from.duration)) return undefined;
    if (from.key === to.key || reactsTo(from, to) || this.prompted(from, to)) return undefined;
    const relation = this.relation(from, to);
    const chance = relation === 0 ? this.chance(to, gap) : 0;
    return chance > MAX_CHANCE ? undefined : { from, to, gap, relation, chance };
  }

  private better(a: Link | undefined, b: Link | undefined): Link | undefined {
    if (a === undefined || b === undefined) return a ?? b;
    if ((a.relation === 2) !== (b.relation === 2)) return a.relation === 2 ? a : b;
    const costs = this.cost(a) - this.cost(b);
    if (Math.abs(costs) > TIE_MS) return costs < 0 ? a : b;
    const depths = (this.depth.get(a.from) ?? 1) - (this.depth.get(b.from) ?? 1);
    if (depths !== 0) return depths > 0 ? a : b;
    return costs <= 0 ? a : b;
  }

  private cost(link: Link): number {
    const distance = distanceOf(link.gap);
    const released = this.released.get(link.from);
    // An end that has already released something is a less likely cause of something later.
    const used = released !== undefined && link.to.start - released > TIE_MS;
    return used ? distance + TIE_MS : distance;
  }

  /** Whether the user did something in the gap, or right before B. */
  private prompted(from: Call, to: Call): boolean {
    if (this.actions.length === 0) return false;
    const action = this.actions[upperBound(this.actions, to.start) - 1];
    if (action === undefined || action <= from.start) return false;
    return action >= Math.min(from.end, to.start) || to.start - action <= LINK_EARLY_MS;
  }

  /** What ties two calls. A line of code that has others under way at the time does not wait for this one. */
  private relation(from: Call, to: Call): Relation {
    const relation = this.calls.stacks.relation(from.stack, to.stack);
    if (relation !== 2) return relation;
    this.busy ??= this.sites.busy(to);
    return this.busy ? 0 : 2;
  }

  /** How much likelier it is that something unrelated ended here than that this was waited for. */
  private chance(to: Call, gap: number): number {
    this.traffic ??= new Traffic(this.calls);
    this.density ??= this.traffic.density(to.start);
    return this.density / waitDensity(gap);
  }
}

/** How far a start is from an end; one before the end counts as farther. */
function distanceOf(gap: number): number {
  return gap >= 0 ? gap : -gap * EARLY_COST;
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
  return call.finished && !call.aborted && !call.preflight && call.ticks === 0 && call.duration > CACHE_HIT_MS && call.file !== "media";
}

/** Whether B answers A's failure instead of using A's result. */
function reactsTo(from: Call, to: Call): boolean {
  if (!from.failed) return false;
  if (from.status < 400 || from.status >= 500 || REACTED_TO.has(from.status)) return true;
  return from.method === to.method && from.url.path === to.url.path;
}
