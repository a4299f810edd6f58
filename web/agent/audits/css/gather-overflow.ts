// What makes the page scroll sideways.

import { startsDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import type { OverflowFact } from "./facts";
import { OVERFLOW_PX } from "./thresholds";

const CULPRITS_MAX = 6;

/** The elements that stick out furthest, each the innermost that does; none when the page does not scroll sideways. */
export async function gatherOverflows(elements: Elements, slice: Slice): Promise<OverflowFact[]> {
  const root = document.documentElement;
  const width = root.clientWidth;
  const scrolled = document.scrollingElement ?? root;
  if (document.body === null || scrolled.scrollWidth <= width + OVERFLOW_PX || clips(root) || clips(document.body)) return [];
  const rtl = getComputedStyle(root).direction === "rtl";
  const past = (box: DOMRect): number => (rtl ? -(box.left + scrolled.scrollLeft) : box.right + scrolled.scrollLeft - width);
  const culprits: { element: Element; px: number }[] = [];
  const stack: Element[] = [document.body];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    if (slice.due()) await slice.rest();
    if (startsDevTool(element)) continue;
    const style = getComputedStyle(element);
    // Fixed boxes do not make the page wider.
    if (style.position === "fixed" || style.display === "none") continue;
    const px = past(element.getBoundingClientRect());
    const closed = style.overflowX !== "visible" && element !== document.body;
    const outside = closed ? [] : [...element.children].filter((child) => past(child.getBoundingClientRect()) > OVERFLOW_PX);
    if (px > OVERFLOW_PX && outside.length === 0 && isBox(element, style)) culprits.push({ element, px: Math.round(px) });
    // An element that fits may hold one that does not.
    if (!closed) stack.push(...element.children);
  }
  culprits.sort((a, b) => b.px - a.px);
  return culprits.slice(0, CULPRITS_MAX).map(({ element, px }) => ({ ref: elements.add(element), px }));
}

function clips(element: Element): boolean {
  return /^(?:hidden|clip)$/.test(getComputedStyle(element).overflowX);
}

/** Something that can be seen and has a size of its own. */
function isBox(element: Element, style: CSSStyleDeclaration): boolean {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && style.display !== "contents";
}
