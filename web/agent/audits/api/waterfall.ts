// Calls that ran one after the other, each started when the one before ended.

import type { Severity } from "../types";
import type { Call } from "./call";
import { chainFrom, chainsOf, type Chain } from "./chains";
import type { Duplicate } from "./duplicate-call";
import type { Link } from "./links";
import { CHAIN_MIN_CALLS, PAIR_MIN_WASTED_MS, WATERFALL_CRITICAL_MS } from "./thresholds";

export interface Waterfall extends Chain {
  readonly severity: Severity;
}

/** A chain held together by time alone must be less likely by chance than this. */
const MAX_CHAIN_CHANCE = 0.1;

/**
 * Every chain worth a word; no call is in two. Of identical calls only one is
 * in any chain: the others are the duplicate's affair, or a doubled page would
 * show every chain twice.
 */
export function findWaterfalls(calls: readonly Call[], links: ReadonlyMap<Call, Link>, without: ReadonlySet<Call>, duplicates: readonly Duplicate[]): Waterfall[] {
  const twins = new Map<Call, Duplicate>();
  for (const duplicate of duplicates) for (const call of duplicate.calls) twins.set(call, duplicate);
  const gone = new Set<Call>();
  const found: Waterfall[] = [];
  const chains = chainsOf(calls, links, without).sort((a, b) => b.chainLength - a.chainLength || startOf(a) - startOf(b));
  for (const chain of chains) {
    for (const part of cutAt(chain, gone)) {
      if (!isWorthIt(part)) continue;
      found.push({ ...part, severity: part.wastedMs >= WATERFALL_CRITICAL_MS ? "critical" : "warning" });
      for (const call of part.calls) {
        for (const twin of twins.get(call)?.calls ?? []) if (!part.calls.includes(twin)) gone.add(twin);
      }
    }
  }
  return found.sort((a, b) => startOf(a) - startOf(b));
}

function isWorthIt(chain: Chain): boolean {
  if (chain.chainLength < 2) return false;
  if (chain.chainLength < CHAIN_MIN_CALLS && chain.wastedMs < PAIR_MIN_WASTED_MS) return false;
  if (chain.links.some((link) => link.relation > 0)) return true;
  return chain.links.reduce((chance, link) => chance * link.chance, 1) <= MAX_CHAIN_CHANCE;
}

/** What remains of a chain without some of its calls. */
function cutAt(chain: Chain, gone: ReadonlySet<Call>): Chain[] {
  if (!chain.calls.some((call) => gone.has(call))) return [chain];
  const parts: Chain[] = [];
  let calls: Call[] = [];
  let links: Link[] = [];
  for (const [index, call] of chain.calls.entries()) {
    const link = chain.links[index - 1];
    if (gone.has(call)) {
      parts.push(chainFrom(calls, links));
      calls = [];
      links = [];
      continue;
    }
    if (calls.length > 0 && link !== undefined) links.push(link);
    calls.push(call);
  }
  parts.push(chainFrom(calls, links));
  return parts;
}

function startOf(chain: Chain): number {
  return chain.calls[0]?.start ?? 0;
}
