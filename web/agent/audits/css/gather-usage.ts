// Which rules fit something on the page as it is now.

import type { Slice } from "../slice";
import type { RuleFact, UsageFact } from "./facts";
import { neededClasses, splitList, withoutStates } from "./selectors";
import { UNUSED_MIN_CHARS, USAGE_SAMPLE } from "./thresholds";

/** Undefined when there is too little CSS for the answer to matter. */
export async function gatherUsage(rules: readonly RuleFact[], slice: Slice): Promise<UsageFact | undefined> {
  if (rules.reduce((sum, rule) => sum + rule.chars, 0) <= UNUSED_MIN_CHARS) return undefined;
  const classes = await classesOnPage(slice);
  const step = Math.max(1, Math.ceil(rules.length / USAGE_SAMPLE));
  let tried = 0;
  let unused = 0;
  let unusedChars = 0;
  for (let index = 0; index < rules.length; index += step) {
    if (slice.due()) await slice.rest();
    const rule = rules[index];
    if (rule === undefined) continue;
    tried++;
    if (fits(rule.selector, classes)) continue;
    unused++;
    unusedChars += rule.chars;
  }
  return { rules: rules.length, unused: Math.round((unused * rules.length) / tried), unusedChars: Math.round((unusedChars * rules.length) / tried) };
}

async function classesOnPage(slice: Slice): Promise<Set<string>> {
  const out = new Set<string>();
  for (const element of document.getElementsByTagName("*")) {
    if (slice.due()) await slice.rest();
    for (const name of element.classList) out.add(name);
  }
  return out;
}

/** In doubt, yes. A class that nobody has saves asking the browser. */
function fits(selector: string, classes: ReadonlySet<string>): boolean {
  const bare = withoutStates(selector);
  if (bare === undefined) return true;
  return splitList(bare).some((part) => {
    if (!neededClasses(part).every((name) => classes.has(name))) return false;
    try {
      return document.querySelector(part) !== null;
    } catch {
      return true;
    }
  });
}
