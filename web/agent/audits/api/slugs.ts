// Names instead of numbers: `/articles/first-steps`. They can only be told from
// the names of endpoints by who asks: one line of code that asks for all of
// them, and a path in which nothing but the name changes.

import type { Call } from "./call";
import { groupBy } from "./collect";
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
export function slugGroups(calls: readonly Call[]): SlugGroup[] {
  const groups: SlugGroup[] = [];
  const shape = (call: Call): string => `${call.stack.key} ${call.method} ${call.url.origin} ${call.template.segments.length}`;
  const known = calls.filter((call) => call.stack.key !== 0);
  for (const group of groupBy(known, shape).values()) {
    if (group.length < N_PLUS_ONE_MIN_CALLS) continue;
    const found = slugGroup(group);
    if (found !== undefined) groups.push(found);
  }
  return groups;
}

function slugGroup(calls: readonly Call[]): SlugGroup | undefined {
  const first = calls[0];
  if (first === undefined) return undefined;
  const varying = first.template.segments
    .map((_, index) => index)
    .filter((index) => calls.some((call) => call.template.segments[index] !== first.template.segments[index]));
  const place = varying[0];
  if (varying.length !== 1 || place === undefined) return undefined;
  const valueOf = (call: Call): string => call.template.segments[place] ?? "";
  const values = [...new Set(calls.map(valueOf))];
  const before = first.template.segments[place - 1] ?? "";
  if (values.length < N_PLUS_ONE_MIN_VALUES || !areNames(values.map(decode), before, calls.map(valueOf))) return undefined;
  const template = `/${first.template.segments.map((segment, index) => (index === place ? PLACE : segment)).join("/")}`;
  return { template, calls, valueOf };
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
