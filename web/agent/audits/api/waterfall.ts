// Calls that ran one after the other, each started when the one before ended.

import type { Severity } from "../types";
import type { Call, Question } from "./call";
import { chainFrom, chainsOf, type Chain } from "./chains";
import { lowerBound, startsOf, upperBound } from "./collect";
import type { Duplicate } from "./duplicate-call";
import type { Link } from "./links";
import { CHAIN_MIN_CALLS, PAIR_MIN_WASTED_MS, WATERFALL_CRITICAL_MS } from "./thresholds";

export interface Waterfall extends Chain {
  readonly severity: Severity;
}

/** Links held together by time alone must be less to be expected by chance than this. */
const MAX_CHANCE = 0.1;

/**
 * Every chain worth a word; no call is in two. Of identical calls only one is
 * in any chain: the others are the duplicate's affair, or a doubled page would
 * show every chain twice.
 */
export function findWaterfalls(calls: readonly Call[], duplicates: readonly Duplicate[]): Waterfall[] {
  const starts = new Starts(calls);
  const parts: Chain[] = [];
  for (const chain of chainsOf(calls)) {
    // No part of what is not worth it is.
    if (!isWorthIt(chain)) continue;
    for (const part of credible(chain, starts)) for (const once of unrepeated(part)) parts.push(once);
  }
  parts.sort((a, b) => b.chainLength - a.chainLength || startOf(a) - startOf(b));
  const twins = new Map<Call, Duplicate>();
  if (parts.length > 0) for (const duplicate of duplicates) for (const call of duplicate.calls) twins.set(call, duplicate);
  const gone = new Set<Call>();
  const found: Waterfall[] = [];
  for (const chain of parts) {
    for (const part of gone.size === 0 ? [chain] : split(chain, () => false, gone)) {
      if (!isWorthIt(part)) continue;
      found.push({ ...part, severity: part.wastedMs >= WATERFALL_CRITICAL_MS ? "critical" : "warning" });
      for (const call of part.calls) {
        for (const twin of twins.get(call)?.calls ?? []) if (twin !== call) gone.add(twin);
      }
    }
  }
  return found.sort((a, b) => startOf(a) - startOf(b));
}

/** Long enough or costly enough to be worth a word. */
function isWorthIt(chain: Chain): boolean {
  if (chain.chainLength < 2) return false;
  return chain.chainLength >= CHAIN_MIN_CALLS || chain.wastedMs >= PAIR_MIN_WASTED_MS;
}

/**
 * The parts of a chain that are more than coincidence. Links that something
 * besides time vouches for stand by themselves; links of time alone must
 * together be unlikelier than chance, given how much else went on meanwhile.
 */
function credible(chain: Chain, starts: Starts): Chain[] {
  if (!chain.links.some((link) => link.chance > 0)) return [chain];
  const vouched = chain.links.some((link) => link.chance === 0);
  if (!vouched && jointChance(chain.links, starts) <= MAX_CHANCE) return [chain];
  const weak = new Set(chain.links.filter((link) => jointChance([link], starts) > MAX_CHANCE).map((link) => link.to));
  return split(chain, (call) => weak.has(call)).filter((part) => part.links.some((link) => link.chance === 0) || jointChance(part.links, starts) <= MAX_CHANCE);
}

/** When calls started; nothing is looked up before somebody asks. */
class Starts {
  private readonly calls: readonly Call[];
  private times: Float64Array | undefined;

  constructor(calls: readonly Call[]) {
    this.calls = calls;
  }

  /** How many from one time to another, both included. */
  within(from: number, to: number): number {
    this.times ??= startsOf(this.calls);
    return upperBound(this.times, to) - lowerBound(this.times, from);
  }
}

/** How many such runs of links one would expect by chance among the calls that started meanwhile. */
function jointChance(links: readonly Link[], starts: Starts): number {
  const first = links[0];
  const last = links[links.length - 1];
  if (first === undefined || last === undefined) return 0;
  const meanwhile = starts.within(first.from.start, last.to.start) - links.length - 1;
  return links.reduce((chance, link) => chance * link.chance, Math.max(1, meanwhile));
}

/** Begins a new part where a question comes back. */
function unrepeated(chain: Chain): Chain[] {
  const asked = new Set<Question>();
  for (const call of chain.calls) asked.add(call.asks);
  if (asked.size === chain.calls.length) return [chain];
  asked.clear();
  return split(chain, (call) => {
    const again = asked.has(call.asks);
    if (again) asked.clear();
    asked.add(call.asks);
    return again;
  });
}

/** Cuts a chain before each call that begins a new part, and leaves out calls that are gone. */
function split(chain: Chain, begins: (call: Call) => boolean, gone: ReadonlySet<Call> = new Set()): Chain[] {
  const parts: Chain[] = [];
  let calls: Call[] = [];
  let links: Link[] = [];
  for (const [index, call] of chain.calls.entries()) {
    const link = chain.links[index - 1];
    if (gone.has(call) || begins(call)) {
      if (calls.length > 1) parts.push(chainFrom(calls, links));
      calls = [];
      links = [];
    }
    if (gone.has(call)) continue;
    if (calls.length > 0 && link !== undefined) links.push(link);
    calls.push(call);
  }
  if (calls.length > 1) parts.push(chainFrom(calls, links));
  return parts;
}

function startOf(chain: Chain): number {
  return chain.calls[0]?.start ?? 0;
}
