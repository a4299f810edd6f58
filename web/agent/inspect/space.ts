// How elements share the page: layout, stacking, visibility, overlaps,
// overflows.

import { find } from "./find";
import { ancestors, bounded, named, parentOf, rectOf, round, selectorOf } from "./words";
import type { Rect } from "./words";

export function getLayout(target: unknown): Readonly<Record<string, unknown>> {
  const element = find(target);
  const style = getComputedStyle(element);
  const parent = parentOf(element);
  const around = parent === null ? null : getComputedStyle(parent);
  const offset = element instanceof HTMLElement ? element.offsetParent : null;
  return {
    element: named(element),
    display: style.display,
    position: style.position,
    boxSizing: style.boxSizing,
    size: { width: style.width, height: style.height, min: `${style.minWidth} × ${style.minHeight}`, max: `${style.maxWidth} × ${style.maxHeight}` },
    overflow: { x: style.overflowX, y: style.overflowY },
    scroll: { width: element.scrollWidth, height: element.scrollHeight, left: round(element.scrollLeft), top: round(element.scrollTop), clientWidth: element.clientWidth, clientHeight: element.clientHeight },
    ...(style.float === "none" ? {} : { float: style.float }),
    ...container(style),
    ...(around === null ? {} : item(style, around)),
    ...(parent === null ? {} : { parent: `${named(parent)}, ${around?.display ?? ""}` }),
    ...(offset === null ? {} : { positionedIn: named(offset) }),
    children: element.children.length,
  };
}

function container(style: CSSStyleDeclaration): Record<string, unknown> {
  if (style.display.includes("flex")) {
    return { flex: { direction: style.flexDirection, wrap: style.flexWrap, justify: style.justifyContent, align: style.alignItems, gap: style.gap } };
  }
  if (style.display.includes("grid")) {
    return { grid: { columns: style.gridTemplateColumns.slice(0, 200), rows: style.gridTemplateRows.slice(0, 200), gap: style.gap, flow: style.gridAutoFlow } };
  }
  return {};
}

function item(style: CSSStyleDeclaration, around: CSSStyleDeclaration): Record<string, unknown> {
  if (around.display.includes("flex")) return { flexItem: { flex: style.flex, align: style.alignSelf, order: style.order } };
  if (around.display.includes("grid")) return { gridItem: { column: `${style.gridColumnStart} / ${style.gridColumnEnd}`, row: `${style.gridRowStart} / ${style.gridRowEnd}` } };
  return {};
}

/** Why an element is a stacking context of its own; empty when it is none. */
function contextReasons(element: Element): string[] {
  const style = getComputedStyle(element);
  const parent = parentOf(element);
  const inFlow = parent !== null && /flex|grid/.test(getComputedStyle(parent).display);
  const reasons: string[] = [];
  const add = (when: boolean, why: string): void => {
    if (when) reasons.push(why);
  };
  add(parent === null, "root");
  add(style.position === "fixed" || style.position === "sticky", `position: ${style.position}`);
  add(style.zIndex !== "auto" && (/absolute|relative/.test(style.position) || inFlow), `z-index: ${style.zIndex}`);
  add(Number(style.opacity) < 1, `opacity: ${style.opacity}`);
  for (const name of ["transform", "filter", "perspective", "clip-path", "mask-image", "backdrop-filter", "translate", "rotate", "scale"]) {
    const value = style.getPropertyValue(name);
    add(value !== "" && value !== "none", name);
  }
  add(style.mixBlendMode !== "normal", `mix-blend-mode: ${style.mixBlendMode}`);
  add(style.isolation === "isolate", "isolation: isolate");
  add(/layout|paint|strict|content/.test(style.contain), `contain: ${style.contain}`);
  add(/transform|opacity|filter|perspective|z-index|position/.test(style.willChange), `will-change: ${style.willChange}`);
  add(element.matches(":modal, :popover-open"), "top layer");
  return reasons;
}

export function getStacking(target: unknown): Readonly<Record<string, unknown>> {
  const element = find(target);
  const style = getComputedStyle(element);
  const contexts = [element, ...ancestors(element)].map((at) => ({ at, reasons: contextReasons(at) })).filter(({ reasons }) => reasons.length > 0);
  const cover = coveredBy(element);
  return {
    element: named(element),
    position: style.position,
    zIndex: style.zIndex,
    contexts: contexts.slice(0, 20).map(({ at, reasons }) => ({ element: named(at), zIndex: getComputedStyle(at).zIndex, because: reasons })),
    coveredBy: cover === null ? null : { element: named(cover), selector: selectorOf(cover), zIndex: getComputedStyle(cover).zIndex },
  };
}

/** The middle of what can be seen of an element; null when nothing can. */
export function middle(element: Element): { readonly x: number; readonly y: number } | null {
  for (const box of element.getClientRects()) {
    const left = Math.max(0, box.left);
    const top = Math.max(0, box.top);
    const right = Math.min(innerWidth, box.right);
    const bottom = Math.min(innerHeight, box.bottom);
    if (right > left && bottom > top) return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }
  return null;
}

/** The innermost element at a point, in open shadow roots too. */
export function topAt(x: number, y: number): Element | null {
  let at = document.elementFromPoint(x, y);
  for (let deep = 0; at !== null && at.shadowRoot !== null && deep < 20; deep++) {
    const inner = at.shadowRoot.elementFromPoint(x, y);
    if (inner === null || inner === at) break;
    at = inner;
  }
  return at;
}

/** What takes the clicks in the middle of an element, when that is neither the element nor a part of it. */
export function coveredBy(element: Element): Element | null {
  const point = middle(element);
  const top = point === null ? null : topAt(point.x, point.y);
  if (top === null || top === element || [top, ...ancestors(top)].includes(element)) return null;
  const label = top.closest("label");
  if (label !== null && label.control === element) return null;
  return top;
}

export function isVisible(target: unknown): { readonly element: string; readonly visible: boolean; readonly because: readonly string[] } {
  const element = find(target);
  const because = hiddenBecause(element);
  return { element: named(element), visible: because.length === 0, because };
}

/** Every reason for which a person does not see an element. */
export function hiddenBecause(element: Element): string[] {
  const because: string[] = [];
  const box = element.getBoundingClientRect();
  for (const at of [element, ...ancestors(element)]) {
    const style = getComputedStyle(at);
    const who = at === element ? "" : ` on ${named(at)}`;
    if (style.display === "none") because.push(`display: none${who}`);
    if (Number(style.opacity) === 0) because.push(`opacity: 0${who}`);
    if (at !== element && style.contentVisibility === "hidden") because.push(`content-visibility: hidden${who}`);
    if (at !== element && clips(style) && !meet(box, at.getBoundingClientRect()) && because.length === 0) because.push(`clipped away by ${named(at)}`);
  }
  const style = getComputedStyle(element);
  if (style.visibility !== "visible") because.push(`visibility: ${style.visibility}`);
  if (because.length === 0 && (box.width === 0 || box.height === 0)) because.push(`its box is ${round(box.width)}×${round(box.height)}`);
  const beyond = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
  if (because.length === 0 && beyond) because.push("off the page, above or to the left of where one can scroll");
  const cover = because.length === 0 ? coveredBy(element) : null;
  if (cover !== null && Number(getComputedStyle(cover).opacity) > 0) because.push(`covered by ${named(cover)}`);
  return because;
}

function clips(style: CSSStyleDeclaration): boolean {
  return style.overflowX !== "visible" || style.overflowY !== "visible";
}

function meet(a: DOMRect, b: DOMRect): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export function isInViewport(target: unknown): { readonly element: string; readonly inViewport: boolean; readonly share: number; readonly where: string } {
  const element = find(target);
  const box = element.getBoundingClientRect();
  const width = Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0));
  const height = Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
  const area = box.width * box.height;
  const where = box.bottom <= 0 ? "above" : box.top >= innerHeight ? "below" : box.right <= 0 ? "left" : box.left >= innerWidth ? "right" : "inside";
  return { element: named(element), inViewport: where === "inside" && width * height > 0, share: area === 0 ? 0 : round((width * height) / area), where };
}

export function checkOverlap(one: unknown, other: unknown): Readonly<Record<string, unknown>> {
  const a = find(one);
  const b = find(other);
  const first = a.getBoundingClientRect();
  const second = b.getBoundingClientRect();
  const width = Math.max(0, Math.min(first.right, second.right) - Math.max(first.left, second.left));
  const height = Math.max(0, Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top));
  const area = width * height;
  const shared: Rect = rectOf({ x: Math.max(first.left, second.left), y: Math.max(first.top, second.top), width, height });
  const top = area > 0 ? topAt(shared.x + width / 2, shared.y + height / 2) : null;
  const within = top === null ? [] : [top, ...ancestors(top)];
  const above = a.contains(b) || b.contains(a) ? "one is inside the other" : within.includes(a) ? named(a) : within.includes(b) ? named(b) : null;
  return {
    overlaps: area > 0,
    area: round(area),
    ...(area > 0 ? { shared } : {}),
    shareOfFirst: round(area / Math.max(1, first.width * first.height)),
    shareOfSecond: round(area / Math.max(1, second.width * second.height)),
    ...(above === null ? {} : { onTop: above }),
  };
}

const mostLooked = 5000;

export interface Overflow {
  readonly element: string;
  readonly selector: string;
  readonly kind: "wider than the page" | "content cut off" | "content sticks out";
  readonly by: { readonly x: number; readonly y: number };
}

/** Elements whose content does not fit: the ones that make the page scroll sideways first. */
export function findOverflows(target?: unknown, limit?: unknown): { readonly overflows: readonly Overflow[]; readonly found: number; readonly looked: number } {
  const root = target === undefined || target === null ? document.documentElement : find(target);
  const found: { readonly at: Element; readonly kind: Overflow["kind"]; readonly x: number; readonly y: number }[] = [];
  let looked = 0;
  const page = document.documentElement.clientWidth;
  for (const at of [root, ...root.querySelectorAll("*")]) {
    if (looked >= mostLooked) break;
    looked++;
    if (at === document.documentElement || at === document.body || at instanceof SVGElement) continue;
    const style = getComputedStyle(at);
    if (style.display === "none" || style.display === "contents" || style.visibility !== "visible") continue;
    const box = at.getBoundingClientRect();
    const beyond = box.right + scrollX - page;
    if (box.width > 0 && beyond > 1 && document.documentElement.scrollWidth > page && style.position !== "fixed" && !clippedAbove(at)) found.push({ at, kind: "wider than the page", x: beyond, y: 0 });
    const x = at.scrollWidth - at.clientWidth;
    const y = at.scrollHeight - at.clientHeight;
    const cut = (overflow: string, by: number): boolean => (overflow === "hidden" || overflow === "clip") && by > 1;
    const out = (overflow: string, by: number): boolean => overflow === "visible" && by > 1;
    if (at.clientWidth > 0 && (cut(style.overflowX, x) || cut(style.overflowY, y))) found.push({ at, kind: "content cut off", x: Math.max(0, x), y: Math.max(0, y) });
    else if (at.clientWidth > 0 && style.display !== "inline" && (out(style.overflowX, x) || (out(style.overflowY, y) && y > 4))) found.push({ at, kind: "content sticks out", x: Math.max(0, x), y: Math.max(0, y) });
  }
  const order = ["wider than the page", "content cut off", "content sticks out"];
  found.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || Math.max(b.x, b.y) - Math.max(a.x, a.y));
  const shown = found.slice(0, bounded(limit, 20, 1, 200)).map(({ at, kind, x, y }) => ({ element: named(at), selector: selectorOf(at), kind, by: { x: round(x), y: round(y) } }));
  return { overflows: shown, found: found.length, looked };
}

function clippedAbove(element: Element): boolean {
  return ancestors(element).some((at) => at !== document.documentElement && at !== document.body && getComputedStyle(at).overflowX !== "visible");
}
