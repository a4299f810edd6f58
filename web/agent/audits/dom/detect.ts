// The DOM audit's detectors: figures against limits. Pure.

import type { Fault } from "../fault";
import type { DomFacts, NestingFact, SizeFact } from "./facts";
import type { Rule } from "./rules";
import { DEPTH_MAX, ELEMENTS_CRITICAL, ELEMENTS_INFO, ELEMENTS_WARNING } from "./thresholds";

type Found = Fault<Rule>[];

export function detect(facts: DomFacts): Found {
  return [...size(facts), ...ids(facts), ...nesting(facts), ...elements(facts), ...pointers(facts), ...weight(facts)];
}

function size(facts: DomFacts): Found {
  const found: Found = [];
  if (facts.quirks) found.push({ rule: "quirks-mode", severity: "warning" });
  const severity = facts.elements > ELEMENTS_CRITICAL ? "critical" : facts.elements > ELEMENTS_WARNING ? "warning" : "info";
  if (facts.elements > ELEMENTS_INFO) found.push({ rule: "dom-size", severity, amount: facts.elements });
  if (facts.deepest !== undefined && facts.deepest.size > DEPTH_MAX) {
    found.push({ rule: "dom-depth", severity: "warning", refs: [facts.deepest.ref], count: 1, amount: facts.deepest.size });
  }
  const wide = largestFirst(facts.wide);
  const [widest] = wide;
  if (widest !== undefined) found.push({ rule: "many-children", severity: "info", refs: wide.map((item) => item.ref), amount: widest.size, name: widest.name });
  return found;
}

/** Drawings bring their own ids, often many times; it is harmless as long as they are alike. */
function ids(facts: DomFacts): Found {
  const found: Found = [];
  for (const drawn of [false, true]) {
    const shared = facts.sharedIds.filter((item) => item.drawn === drawn);
    const [first] = shared;
    if (first === undefined) continue;
    found.push({
      rule: "duplicate-id",
      severity: drawn ? "info" : "warning",
      refs: shared.flatMap((item) => item.refs.slice(1)),
      count: shared.length,
      name: first.id,
      amount: first.refs.length,
      key: drawn ? "drawings" : "",
    });
  }
  return found;
}

/** One finding for each pair: each is another mistake. */
function nesting(facts: DomFacts): Found {
  const pairs = new Map<string, NestingFact[]>();
  for (const item of facts.nested) {
    const key = `${item.inner} in ${item.outer}`;
    pairs.set(key, [...(pairs.get(key) ?? []), item]);
  }
  return [...pairs].map(([key, items]) => ({
    rule: "invalid-nesting",
    severity: "warning",
    refs: items.map((item) => item.ref),
    name: items[0]?.inner ?? "",
    other: items[0]?.outer ?? "",
    key,
  }));
}

function elements(facts: DomFacts): Found {
  const found: Found = [];
  if (facts.obsolete.length > 0) {
    const names = [...new Set(facts.obsolete.map((item) => `<${item.name}>`))];
    found.push({ rule: "obsolete-element", severity: "warning", refs: facts.obsolete.map((item) => item.ref), name: names.slice(0, 4).join(", ") });
  }
  if (facts.tabOrder.length > 0) found.push({ rule: "positive-tabindex", severity: "warning", refs: facts.tabOrder });
  if (facts.autofocus.length > 1) found.push({ rule: "several-autofocus", severity: "info", refs: facts.autofocus });
  if (facts.nameless.length > 0) found.push({ rule: "field-without-name", severity: "info", refs: facts.nameless });
  if (facts.emptySources.length > 0) found.push({ rule: "empty-src", severity: "warning", refs: facts.emptySources });
  return found;
}

function pointers(facts: DomFacts): Found {
  const found: Found = [];
  const [link] = facts.brokenFragments;
  if (link !== undefined) found.push({ rule: "broken-fragment", severity: "warning", refs: facts.brokenFragments.map((item) => item.ref), name: link.id });
  const [label] = facts.brokenLabels;
  if (label !== undefined) found.push({ rule: "label-for-nothing", severity: "warning", refs: facts.brokenLabels.map((item) => item.ref), name: label.id });
  return found;
}

function weight(facts: DomFacts): Found {
  const rules: readonly (readonly [Rule, readonly SizeFact[]])[] = [
    ["large-attribute", facts.bigAttributes],
    ["large-data-uri", facts.bigDataUris],
    ["large-inline-script", facts.bigScripts],
  ];
  const found: Found = [];
  for (const [rule, items] of rules) {
    const sorted = largestFirst(items);
    const [largest] = sorted;
    if (largest !== undefined) found.push({ rule, severity: "info", refs: sorted.map((item) => item.ref), amount: largest.size, name: largest.name });
  }
  return found;
}

function largestFirst(items: readonly SizeFact[]): SizeFact[] {
  return [...items].sort((a, b) => b.size - a.size);
}
