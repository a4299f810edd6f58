// Whether the calls of a chain needed each other, as far as URLs and stacks can
// tell. The answers themselves are not in the buffer, so a doubt stays a doubt.

import type { Address, Call } from "./call";
import type { Calls } from "./calls";
import type { Chain } from "./chains";
import { isCursorParam, isIdLike, isNoiseParam } from "./id-like";
import type { Link } from "./links";
import { LINK_EARLY_MS } from "./thresholds";
import type { Parallelizable } from "./types";
import { clean, splitUrl, type UrlParts } from "./url";

export interface Dependency {
  readonly parallelizable: Parallelizable;
  readonly evidence: readonly string[];
}

/** Values longer than this are quoted in part. */
const MAX_VALUE = 40;

/** Knows when each id was first seen in a URL; looks only when asked. */
export class Dependencies {
  private readonly calls: Calls;
  private readonly pageUrl: string;
  private seen: Map<string, number> | undefined;

  constructor(calls: Calls, pageUrl: string) {
    this.calls = calls;
    this.pageUrl = pageUrl;
  }

  private firstSeen(): Map<string, number> {
    if (this.seen !== undefined) return this.seen;
    const seen = new Map<string, number>();
    const read = new Set<Address>();
    for (const value of idsOf(splitUrl(this.pageUrl))) seen.set(value, -Infinity);
    for (const call of this.calls.list) {
      const { url } = call.asks;
      if (read.has(url)) continue;
      read.add(url);
      for (const value of idsOf(url)) if (!seen.has(value)) seen.set(value, call.start);
    }
    this.seen = seen;
    return seen;
  }

  /** A chain can be shortened if any one of its links can be cut. */
  of(chain: Chain, nameOf: (call: Call) => string): Dependency {
    const links = chain.links.map((link) => this.ofLink(link, nameOf));
    const evidence: string[] = [];
    for (const link of links) evidence.push(...link.evidence);
    if (links.some((link) => link.parallelizable === "yes")) return { parallelizable: "yes", evidence };
    return { parallelizable: links.every((link) => link.parallelizable === "no") ? "no" : "unknown", evidence };
  }

  private ofLink(link: Link, nameOf: (call: Call) => string): Dependency {
    const { from, to } = link;
    const cursor = nextPage(from, to);
    if (cursor !== undefined) {
      return { parallelizable: "no", evidence: [`${nameOf(to)} takes its ${clean(cursor)} from the answer before`] };
    }
    const { asks } = to;
    if (from.asks.method === asks.method && from.asks.url.template.text === asks.url.template.text && from.asks.url.origin === asks.url.origin) {
      return { parallelizable: "yes", evidence: [`${nameOf(to)} asks the same endpoint as ${nameOf(from)}`] };
    }
    const fresh = idsOf(asks.url).find((value) => (this.firstSeen().get(value) ?? -Infinity) >= from.end - LINK_EARLY_MS);
    if (fresh !== undefined) {
      return { parallelizable: "no", evidence: [`"${brief(fresh)}" in ${nameOf(to)} is first seen after ${nameOf(from)} ended`] };
    }
    const shared = this.calls.stacks.shared(from.stack, to.stack);
    if (shared === undefined || asks.bodyKey !== null) return { parallelizable: "unknown", evidence: [] };
    const name = clean(shared.slice(0, shared.indexOf("@")));
    return { parallelizable: "yes", evidence: [`${name} awaits ${nameOf(from)} before ${nameOf(to)}, whose URL takes nothing from it`] };
  }
}

/** The cursor by which B continues A, if it does. */
function nextPage(from: Call, to: Call): string | undefined {
  const before = from.asks.url;
  const { path, origin, params } = to.asks.url;
  if (params.length === 0 || before.path !== path || before.origin !== origin) return undefined;
  const differs = params.find((param) => isCursorParam(param.name) && !/^[0-9]{1,6}$/.test(param.value) && !before.query.includes(param.value));
  return differs?.name;
}

function idsOf(url: UrlParts): string[] {
  const ids = /[0-9@]/.test(url.path) ? url.path.split("/").filter(isIdLike) : [];
  for (const param of url.params) if (!isNoiseParam(param.name) && isIdLike(param.value)) ids.push(param.value);
  return ids;
}

function brief(value: string): string {
  return clean(value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`);
}
