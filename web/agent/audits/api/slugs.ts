// Names instead of numbers: `/articles/first-steps`. They can only be told from
// the names of endpoints by who asks: one line of code that asks for all of
// them, and a path in which nothing but the name changes.

import type { Call } from "./call";
import { groupBy } from "./collect";
import type { Stack } from "./stack";
import { PLACE } from "./template";
import { N_PLUS_ONE_MIN_CALLS, N_PLUS_ONE_MIN_VALUES } from "./thresholds";
import { decode } from "./url";

export interface SlugGroup {
  readonly template: string;
  readonly calls: readonly Call[];
  /** What stood in the place, for each call. */
  readonly valueOf: (call: Call) => string;
}

/** Beneath these come parts of a system, not things of one kind. */
const NAMESPACE =
  /^(?:|api|apis|rest|rpc|trpc|graphql|admin|internal|public|private|v[0-9.]+|dashboard|settings|config|system|app|web|services?|functions?|actions?|auth|account|me|locales?|i18n|l10n|lang|langs|translations?|messages|static|assets|public|widgets|metrics|stats|analytics)$/i;
const LOCALE = /^[a-z]{2}(?:[-_][A-Za-z]{2,4})?$/;
const PROCEDURE = /^(?:get|list|fetch|find|create|update|delete|set|load|search|count|check)[A-Z_]|^[a-z]+\.[a-zA-Z]+$/;
const PLURAL = /^[a-z]+s$/i;

/** Calls of one call site whose paths differ in one name. */
export function slugGroups(stacks: readonly Stack[], taken: Uint8Array): SlugGroup[] {
  const sites: Call[][] = [];
  for (let index = 0, total = stacks.length; index < total; index++) {
    const calls = stacks[index]?.calls;
    if (calls === undefined || calls.length < N_PLUS_ONE_MIN_CALLS) continue;
    const left = calls.filter((call) => taken[call.at] === 0);
    if (left.length >= N_PLUS_ONE_MIN_CALLS) sites.push(left);
  }
  sites.sort((a, b) => (a[0]?.at ?? 0) - (b[0]?.at ?? 0));
  const groups: SlugGroup[] = [];
  for (const site of sites) {
    for (const group of groupBy(site, shapeOf).values()) {
      const found = group.length < N_PLUS_ONE_MIN_CALLS ? undefined : slugGroup(group);
      if (found !== undefined) groups.push(found);
    }
  }
  return groups;
}

function shapeOf(call: Call): string {
  return `${call.asks.method} ${call.asks.url.origin} ${segmentsOf(call).length}`;
}

function segmentsOf(call: Call): readonly string[] {
  const { template } = call.asks.url;
  template.segments ??= template.text.split("/");
  return template.segments;
}

function slugGroup(calls: readonly Call[]): SlugGroup | undefined {
  const place = placeIn(calls);
  const first = calls[0];
  if (place < 0 || first === undefined) return undefined;
  const segments = segmentsOf(first);
  const valueOf = (call: Call): string => segmentsOf(call)[place] ?? "";
  const inOrder = calls.map(valueOf);
  const values = [...new Set(inOrder)];
  if (values.length < N_PLUS_ONE_MIN_VALUES || !areNames(values.map(decode), segments[place - 1] ?? "", inOrder)) return undefined;
  return { template: segments.map((segment, index) => (index === place ? PLACE : segment)).join("/"), calls, valueOf };
}

/** The one segment that is not the same in all paths; -1 when there is none or more than one. */
function placeIn(calls: readonly Call[]): number {
  let first: readonly string[] | undefined;
  let place = -1;
  for (const call of calls) {
    const segments = segmentsOf(call);
    first ??= segments;
    if (segments === first) continue;
    for (let index = 0, total = segments.length; index < total; index++) {
      if (segments[index] === first[index] || index === place) continue;
      if (place >= 0) return -1;
      place = index;
    }
  }
  return place;
}

/** Whether the values name things of one kind, and not parts of an API, languages, files, or a word being typed. */
function areNames(values: readonly string[], before: string, inOrder: readonly string[]): boolean {
  if (NAMESPACE.test(before)) return false;
  const most = (test: (value: string) => boolean): boolean => values.filter(test).length * 2 > values.length;
  if (values.some((value) => value === "" || value === PLACE)) return false;
  // Numbers that are no ids by themselves say where or when.
  if (most((value) => /^[0-9.,-]+$/.test(value))) return false;
  if (most((value) => LOCALE.test(value) && value.length > 2) || most((value) => /\.[a-z0-9]{2,5}$/i.test(value))) return false;
  if (most((value) => PROCEDURE.test(value)) || most((value) => PLURAL.test(value))) return false;
  const typed = inOrder.filter((value, index) => {
    const last = inOrder[index - 1];
    return last !== undefined && last !== value && (value.startsWith(last) || last.startsWith(value));
  });
  return typed.length * 2 < inOrder.length;
}
