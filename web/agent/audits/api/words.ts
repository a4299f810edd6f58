// The only place where the API audit's findings become words.

import type { Call } from "./call";
import { Dependencies } from "./dependency";
import type { Detection } from "./detect";
import type { Duplicate } from "./duplicate-call";
import { FindingIds } from "./finding-id";
import type { NPlusOne } from "./n-plus-one";
import type { Stack } from "./stack";
import type { ApiFinding, ChattyFinding, DuplicateFinding, NPlusOneFinding, OverFetchNote, WaterfallFinding } from "./types";
import { round } from "./chains";
import { clean, shownPath, shownQuery, shownUrl, splitUrl, withOrigin, type UrlParts } from "./url";
import type { Waterfall } from "./waterfall";

export const EMPTY_NOTE = "no API calls recorded — reload page then re-run";
const MAX_STACKS = 5;
const MAX_EXAMPLES = 5;

/** Findings in the order of their groups; within a group by time. */
export function wordFindings(detection: Detection, pageUrl: string): ApiFinding[] {
  return new Writer(detection, pageUrl).findings();
}

class Writer {
  private readonly detection: Detection;
  private readonly page: UrlParts;
  private readonly ids = new FindingIds();
  private readonly dependencies: Dependencies;

  constructor(detection: Detection, pageUrl: string) {
    this.detection = detection;
    this.page = splitUrl(pageUrl);
    this.dependencies = new Dependencies(detection.calls, pageUrl);
  }

  findings(): ApiFinding[] {
    const found: ApiFinding[] = [];
    const inChains = new Set<Call>();
    for (const chain of this.detection.waterfalls) for (const call of chain.calls) inChains.add(call);
    for (const finding of this.waterfalls()) found.push(finding);
    for (const fan of byTarget(this.detection.nPlusOnes, (fan) => fan.template)) found.push(this.nPlusOne(fan));
    for (const duplicate of byTarget(this.detection.duplicates, (duplicate) => duplicate.calls[0]?.asks.bodyKey ?? "")) {
      const finding = this.duplicate(duplicate, inChains);
      if (finding !== undefined) found.push(finding);
    }
    if (this.detection.chatty !== undefined) found.push(this.chatty(this.detection.chatty));
    found.push(this.overFetch());
    return found;
  }

  /** One finding for each chain; the same chain run again is the same fault, told by its worst run. */
  private waterfalls(): WaterfallFinding[] {
    const runs = new Map<string, Waterfall[]>();
    for (const chain of this.detection.waterfalls) {
      const route = chain.calls.map((call) => `${call.asks.method} ${call.asks.url.origin}${call.asks.url.template.text}`).join("\n");
      const known = runs.get(route);
      if (known === undefined) runs.set(route, [chain]);
      else known.push(chain);
    }
    // Ids by route and not by time, so that two chains from one root never swap theirs.
    const ids = new Map<string, string>();
    for (const route of [...runs.keys()].sort()) {
      const first = runs.get(route)?.[0]?.calls[0]?.asks;
      const target = first === undefined ? "" : withOrigin(first.url.template.text, first.url.origin, this.page.origin);
      ids.set(route, this.ids.id("waterfall", first?.method ?? "", target, route));
    }
    return [...runs].map(([route, chains]) => this.waterfall(chains, ids.get(route) ?? ""));
  }

  private waterfall(chains: readonly Waterfall[], id: string): WaterfallFinding {
    const worst = chains.reduce((a, b) => (b.wastedMs > a.wastedMs ? b : a));
    const first = worst.calls[0];
    const calls: Call[] = [];
    for (const chain of chains) calls.push(...chain.calls);
    const dependency = this.dependencies.of(worst, (call) => this.name(call));
    return {
      id,
      type: "waterfall",
      severity: worst.severity,
      selector: first === undefined ? "" : this.path(first),
      message: `${worst.chainLength} calls run serially, ~${Math.round(worst.wastedMs)}ms wasted vs parallel`,
      chainLength: worst.chainLength,
      serialWallMs: worst.serialWallMs,
      maxSingleMs: worst.maxSingleMs,
      wastedMs: worst.wastedMs,
      urls: worst.calls.map((call) => this.name(call)),
      parallelizable: dependency.parallelizable,
      evidence: dependency.evidence,
      occurrences: chains.length,
      calls: idsOf(calls),
      stacks: stacksOf(calls),
    };
  }

  private nPlusOne(fan: NPlusOne): NPlusOneFinding {
    const selector = clean(withOrigin(fan.template, fan.origin, this.page.origin));
    const serially = fan.serial === undefined ? "" : ` (also run serially, ~${Math.round(fan.serial.wastedMs)}ms wasted vs parallel)`;
    return {
      id: this.ids.id("n-plus-one", fan.method, withOrigin(fan.template, fan.origin, this.page.origin), ""),
      type: "n-plus-one",
      severity: "warning",
      selector,
      message: `${fan.calls.length}× ${selector} → batch${serially}`,
      method: fan.method,
      count: fan.calls.length,
      distinct: fan.distinct,
      examples: this.examples(fan.calls),
      ...fan.serial,
      calls: idsOf(fan.calls),
      stacks: stacksOf(fan.calls),
    };
  }

  /** The first different URLs. */
  private examples(calls: readonly Call[]): string[] {
    const urls: string[] = [];
    for (let index = 0; index < calls.length && urls.length < MAX_EXAMPLES; index++) {
      const url = calls[index]?.asks.url;
      const text = url === undefined ? "" : shownUrl(url, this.page.origin);
      if (text !== "" && !urls.includes(text)) urls.push(text);
    }
    return urls;
  }

  /** Undefined when every one of the calls is already part of a chain. */
  private duplicate(duplicate: Duplicate, inChains: ReadonlySet<Call>): DuplicateFinding | undefined {
    const first = duplicate.calls[0];
    const own = duplicate.calls.filter((call) => !inChains.has(call));
    if (first === undefined || own.length === 0) return undefined;
    const shared = duplicate.calls.find((call) => inChains.has(call));
    const count = duplicate.calls.length;
    const advice = duplicate.strictMode ? "React StrictMode runs effects twice in development only" : "share one request";
    const { method, url, bodyKey } = first.asks;
    return {
      id: this.ids.id("duplicate-call", method, withOrigin(url.path + shownQuery(url.params), url.origin, this.page.origin), bodyKey ?? ""),
      type: "duplicate-call",
      severity: duplicate.strictMode ? "info" : "warning",
      selector: shownUrl(url, this.page.origin),
      message: `${this.name(first)} fetched ${count}× in ${Math.round(duplicate.spanMs)}ms → ${advice}`,
      method,
      count,
      spanMs: round(duplicate.spanMs),
      strictMode: duplicate.strictMode,
      ...(shared === undefined ? {} : { sharedWith: shared.record.id }),
      calls: idsOf(own),
      stacks: stacksOf(own),
    };
  }

  private chatty(chatty: { readonly calls: readonly Call[]; readonly severity: ChattyFinding["severity"] }): ChattyFinding {
    const count = chatty.calls.length;
    return {
      id: this.ids.id("chatty-load", "", this.page.path, ""),
      type: "chatty-load",
      severity: chatty.severity,
      selector: clean(this.page.path),
      message: `${count} calls in the first 3s of load → combine or defer`,
      count,
      calls: idsOf(chatty.calls),
      stacks: stacksOf(chatty.calls),
    };
  }

  private overFetch(): OverFetchNote {
    return {
      id: this.ids.id("over-fetch-unavailable", "", this.page.path, ""),
      type: "over-fetch-unavailable",
      severity: "info",
      selector: clean(this.page.path),
      message: "response sizes are not in the call buffer; payload over-fetch cannot be measured",
      calls: [],
      stacks: [],
    };
  }

  private path(call: Call): string {
    const { url } = call.asks;
    url.shown ??= shownPath(url, this.page.origin);
    return url.shown;
  }

  private name(call: Call): string {
    return `${clean(call.asks.method)} ${this.path(call)}`;
  }
}

function idsOf(calls: readonly Call[]): string[] {
  const ids: string[] = [];
  for (let index = 0, total = calls.length; index < total; index++) ids.push(calls[index]?.record.id ?? "");
  return ids;
}

/** Who made the calls: their first different stacks. */
function stacksOf(calls: readonly Call[]): string[] {
  const texts: string[] = [];
  let before: Stack | undefined;
  for (let index = 0; index < calls.length && texts.length < MAX_STACKS; index++) {
    const stack = calls[index]?.stack;
    if (stack === undefined || stack === before) continue;
    before = stack;
    if (stack.key !== 0 && !texts.includes(stack.text)) texts.push(stack.text);
  }
  return texts;
}

function byTarget<T extends { readonly calls: readonly Call[] }>(items: readonly T[], target: (item: T) => string): T[] {
  const startOf = (item: T): number => item.calls[0]?.start ?? 0;
  return [...items].sort((a, b) => startOf(a) - startOf(b) || (target(a) < target(b) ? -1 : 1));
}
