// Computed styles: text too small to read, and fonts that no element has.

import { startsDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import type { TextSizeFact } from "./facts";
import { familyName } from "./gather-sheets";
import { STYLED_MAX, TEXT_MIN_PX } from "./thresholds";

export interface Styles {
  readonly tinyTexts: readonly TextSizeFact[];
  readonly unusedFonts: readonly string[];
}

export async function gatherStyles(elements: Elements, slice: Slice, pseudoFonts: ReadonlySet<string>): Promise<Styles> {
  const tinyTexts: TextSizeFact[] = [];
  const families = new Set(pseudoFonts);
  let seen = 0;
  let whole = true;
  const stack: Element[] = document.body === null ? [] : [document.body];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (slice.due()) await slice.rest();
    if (startsDevTool(element)) continue;
    if (++seen > STYLED_MAX) {
      whole = false;
      break;
    }
    const style = getComputedStyle(element);
    for (const family of style.fontFamily.split(",")) families.add(familyName(family));
    const px = Number.parseFloat(style.fontSize);
    if (px < TEXT_MIN_PX && px >= 1 && isReadable(element, style)) tinyTexts.push({ ref: elements.add(element), px: Math.round(px * 10) / 10 });
    for (let child = element.lastElementChild; child !== null; child = child.previousElementSibling) stack.push(child);
    if (element.shadowRoot !== null) whole = false; // fonts inside are not seen
  }
  return { tinyTexts, unusedFonts: whole ? unused(families) : [] };
}

/** Text of its own, meant to be read: not hidden, not raised or lowered, not part of a drawing or a formula. */
function isReadable(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.visibility !== "visible" || style.opacity === "0" || element.closest("sup, sub, svg, math, rt, code, [aria-hidden='true']") !== null) return false;
  const letters = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /[\p{L}\p{N}]{2}/u.test(node.nodeValue ?? ""));
  if (!letters) return false;
  const box = element.getBoundingClientRect();
  // What is made for screen readers alone is a pixel large.
  return box.width > 2 && box.height > 2 && style.clipPath !== "inset(50%)";
}

/** Loaded, and asked for by nobody. What a development tool loads has its name. */
function unused(families: ReadonlySet<string>): string[] {
  const out = new Set<string>();
  try {
    document.fonts.forEach((face) => {
      const name = familyName(face.family);
      if (face.status === "loaded" && !families.has(name) && !/^_*nextjs/.test(name)) out.add(face.family.replace(/^["']|["']$/g, ""));
    });
  } catch {
    return []; // a browser without font loading
  }
  return [...out];
}
