// The accessibility audit in the page: axe-core, loaded on first use.

import { isDevTool } from "../dev-elements";
import { sourceOf } from "../place";
import { EXAMPLES_MAX } from "../report";
import { selectorsOf } from "../selector";
import { Slice } from "../slice";
import type { Report } from "../types";
import { auditRules } from "./audit";
import type { ToldRule } from "./audit";
import { lookIntoFrames } from "./frames";
import type { Axe, AxeRule } from "./outcome";

export async function auditAccessibility(): Promise<Report> {
  const axe = await load();
  const { violations, undecided } = await axe.run();
  const { looked, closed } = await lookIntoFrames();
  const slice = new Slice();
  const broken = await told(violations, slice);
  // That frames were not looked into is told apart.
  const open = await told(undecided.filter(({ rule }) => rule !== "frame-tested"), slice);
  let elements = await count(document, slice);
  for (const { selector, path, outcome, elements: inside } of looked) {
    elements += inside;
    broken.push(...(await told(outcome.violations, slice)).map((rule) => ({ ...rule, frame: { selector, path } })));
    open.push(...(await told(outcome.undecided, slice)).map((rule) => ({ ...rule, frame: { selector, path } })));
  }
  return auditRules({
    violations: broken,
    undecided: open,
    elements,
    frames: closed,
    path: location.pathname,
    now: Date.now(),
  });
}

async function load(): Promise<Axe> {
  const tool = window.__devtool;
  if (tool === undefined) throw new Error("the page has no agent");
  await tool.load("axe");
  const axe: Axe | undefined = Reflect.get(tool, "axe");
  if (axe === undefined) throw new Error("axe-core did not start");
  return axe;
}

/** The rules with selectors in place of elements; what only development tools break is left out. */
async function told(rules: readonly AxeRule[], slice: Slice): Promise<ToldRule[]> {
  const out: ToldRule[] = [];
  for (const { elements, ...rule } of rules) {
    const own = elements.filter((element) => !isDevTool(element));
    const first = own[0];
    if (first === undefined) continue;
    out.push({ ...rule, count: own.length, selectors: await selectorsOf(own, slice, 1 + EXAMPLES_MAX), ...sourceOf(first) });
  }
  return out;
}

/** Elements, those in open shadow trees included. */
async function count(root: Document | ShadowRoot, slice: Slice): Promise<number> {
  const all = root.querySelectorAll("*");
  let sum = all.length;
  for (const element of all) {
    if (slice.due()) await slice.rest();
    if (element.shadowRoot !== null) sum += await count(element.shadowRoot, slice);
  }
  return sum;
}
