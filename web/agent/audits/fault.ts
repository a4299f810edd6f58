// Between the detectors and the report. Detectors are pure and know elements
// by number; only the few that end up in a finding get a selector.

import { sourceOf } from "./place";
import { EXAMPLES_MAX } from "./report";
import type { Draft } from "./report";
import { selectorOf } from "./selector";
import type { Slice } from "./slice";
import type { Place, Severity, Source } from "./types";

/** What a detector found: a rule, the elements, and what its words need. */
export interface Fault<Rule extends string = string> {
  readonly rule: Rule;
  readonly severity: Severity;
  /** The elements at fault, in the order of the document; none: the whole page. */
  readonly refs?: readonly number[];
  /** How many there are, where it is not the number of elements. */
  readonly count?: number;
  /** The page's own word for it: a cookie, a header, an id. Untrusted. */
  readonly name?: string;
  /** A second word. Untrusted. */
  readonly other?: string;
  /** The figure that broke the limit. */
  readonly amount?: number;
  /** What tells it from other faults of its rule, run after run. */
  readonly key?: string;
  readonly place?: Place;
}

/** What a rule takes off the score, by severity; a severity that is not there takes nothing. */
export type Weights<Rule extends string> = Readonly<Record<Rule, Readonly<Partial<Record<Severity, number>>>>>;

/** What a rule says: what is wrong → what to change. */
export type Words<Rule extends string> = Readonly<Record<Rule, (fault: Fault<Rule>) => string>>;

/** The rest of what makes faults into drafts. */
export interface Telling<Rule extends string> {
  readonly weights: Weights<Rule>;
  readonly words: Words<Rule>;
  readonly help?: Readonly<Partial<Record<Rule, string>>>;
  /** The page's path: the selector of what is about the whole page. */
  readonly path: string;
  readonly located: Located;
}

/** What is known of the elements that findings show. */
export interface Located {
  readonly selectors: ReadonlyMap<number, string>;
  /** Where they were written, if a development build tells. */
  readonly sources: ReadonlyMap<number, Source>;
}

/** One draft for each fault, in the order in which the weights name the rules. */
export function draftsOf<Rule extends string>(faults: readonly Fault<Rule>[], telling: Telling<Rule>): Draft[] {
  const order = new Map(Object.keys(telling.weights).map((rule, index) => [rule, index]));
  const sorted = [...faults].sort((a, b) => (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0));
  return sorted.map((fault) => {
    const { selectors, sources } = telling.located;
    const [selector = telling.path, ...examples] = shown(fault.refs ?? [], selectors);
    const source = fault.place === undefined ? sources.get(fault.refs?.[0] ?? -1) : { place: fault.place };
    const count = fault.count ?? fault.refs?.length;
    const help = telling.help?.[fault.rule];
    return {
      type: fault.rule,
      severity: fault.severity,
      selector,
      message: telling.words[fault.rule](fault),
      weight: telling.weights[fault.rule][fault.severity] ?? 0,
      key: fault.key ?? "",
      ...(count === undefined ? {} : { count }),
      ...(examples.length === 0 ? {} : { examples }),
      ...(help === undefined ? {} : { help }),
      ...source,
    };
  });
}

/** The selectors of the first elements that have one. */
function shown(refs: readonly number[], selectors: ReadonlyMap<number, string>): string[] {
  const out: string[] = [];
  for (const ref of refs) {
    const selector = selectors.get(ref);
    if (selector !== undefined && selector !== "") out.push(selector);
  }
  return out;
}

/** Numbers for elements, and back. */
export class Elements {
  private readonly list: Element[] = [];

  /** The element's number; each call gives a new one. */
  add(element: Element): number {
    return this.list.push(element) - 1;
  }

  get(ref: number): Element | undefined {
    return this.list[ref];
  }

  /** Selectors of the elements that findings will show, and where each one's first was written, in slices. */
  async locate(faults: readonly Fault[], slice: Slice): Promise<Located> {
    const selectors = new Map<number, string>();
    const sources = new Map<number, Source>();
    for (const fault of faults) {
      for (const [index, ref] of (fault.refs ?? []).slice(0, 1 + EXAMPLES_MAX).entries()) {
        const element = this.list[ref];
        if (element === undefined || selectors.has(ref)) continue;
        await slice.rest();
        selectors.set(ref, selectorOf(element));
        if (index === 0 && fault.place === undefined) sources.set(ref, sourceOf(element));
      }
    }
    return { selectors, sources };
  }
}
