// Frames of the page's own site. The proxy has put an agent into each of them,
// so axe-core can be loaded and run where the frame's elements are; frames of
// other sites, and those without an address, stay closed.

import { isDevTool } from "../dev-elements";
import { selectorOf } from "../selector";
import type { Axe, AxeOutcome } from "./outcome";

/** A frame that was looked into. */
export interface Looked {
  /** Of the frame, in the page. */
  readonly selector: string;
  readonly path: string;
  readonly outcome: AxeOutcome;
  readonly elements: number;
}

export interface Frames {
  readonly looked: readonly Looked[];
  /** Shown, and not looked into. */
  readonly closed: number;
}

/** Each costs its own copy of the library. */
const FRAMES_MAX = 4;

/** What a whole page owes its readers, and a part of one does not. */
const PAGE_RULES = /^(?:bypass|document-title|frame-tested|html-has-lang|landmark-.*|meta-viewport(?:-large)?|page-has-heading-one|region|aria-hidden-body)$/;

export async function lookIntoFrames(): Promise<Frames> {
  const looked: Looked[] = [];
  let closed = 0;
  for (const frame of document.querySelectorAll("iframe, frame")) {
    if (isDevTool(frame) || frame.getClientRects().length === 0) continue;
    const inside = looked.length < FRAMES_MAX ? await lookInto(frame) : undefined;
    if (inside === undefined) closed++;
    else looked.push(inside);
  }
  return { looked, closed };
}

async function lookInto(frame: Element): Promise<Looked | undefined> {
  try {
    const page = frame instanceof HTMLIFrameElement || frame instanceof HTMLFrameElement ? frame.contentWindow : null;
    const tool = page?.__devtool;
    if (page === null || tool === undefined) return undefined;
    await tool.load("axe");
    const axe: Axe | undefined = Reflect.get(tool, "axe");
    if (axe === undefined) return undefined;
    const { version, violations, undecided } = await axe.run();
    const outcome = { version, violations: violations.filter(isPart), undecided: undecided.filter(isPart) };
    return { selector: selectorOf(frame), path: page.location.pathname, outcome, elements: page.document.querySelectorAll("*").length };
  } catch {
    return undefined; // another site's, or gone
  }
}

function isPart({ rule }: { readonly rule: string }): boolean {
  return !PAGE_RULES.test(rule);
}
