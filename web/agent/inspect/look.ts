// What an element is and where it stands.

import { componentOf } from "./component";
import type { Component } from "./component";
import { find, matches } from "./find";
import { ancestors, bounded, clipped, named, parentOf, rectOf, round, selectorOf } from "./words";
import type { Rect } from "./words";

const mostAttributes = 40;

export interface ElementInfo {
  readonly element: string;
  readonly selector: string;
  readonly tag: string;
  readonly id?: string;
  readonly classes: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly value?: string;
  readonly box: Rect;
  readonly parent: string;
  readonly children: number;
  readonly component: Component | null;
  readonly html: string;
  /** How many elements the selector names; the first is told of. */
  readonly matches?: number;
}

/** What a field holds; never a secret. */
export function valueOf(element: Element): string | undefined {
  if (element instanceof HTMLInputElement && (element.type === "checkbox" || element.type === "radio")) return element.checked ? "checked" : "not checked";
  if (element instanceof HTMLInputElement && element.type === "password") return element.value === "" ? "" : `(${element.value.length} characters)`;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return clipped(element.value, 200);
  return undefined;
}

function attributesOf(element: Element): Record<string, string> {
  const out: Record<string, string> = {};
  const secret = element instanceof HTMLInputElement && element.type === "password";
  for (const { name, value } of [...element.attributes].slice(0, mostAttributes)) out[name] = secret && name === "value" ? "(hidden)" : clipped(value, 200);
  return out;
}

export function getElementInfo(target: unknown): ElementInfo {
  const element = find(target);
  const parent = parentOf(element);
  const value = valueOf(element);
  const many = typeof target === "string" ? matches(document, target).length : 1;
  return {
    element: named(element),
    selector: selectorOf(element),
    tag: element.localName,
    ...(element.id === "" ? {} : { id: element.id }),
    classes: [...element.classList].slice(0, mostAttributes),
    attributes: attributesOf(element),
    text: clipped(textOf(element), 200),
    ...(value === undefined ? {} : { value }),
    box: rectOf(element.getBoundingClientRect()),
    parent: parent === null ? "" : named(parent),
    children: element.children.length,
    component: componentOf(element),
    html: startTag(element),
    ...(many > 1 ? { matches: many } : {}),
  };
}

/** What an element says, as a person reads it; of a very long one only what it holds. */
function textOf(element: Element): string {
  const all = element.textContent ?? "";
  return element instanceof HTMLElement && all.length < 20_000 ? element.innerText : all.slice(0, 1000);
}

function startTag(element: Element): string {
  const clone = element.cloneNode(false);
  if (!(clone instanceof Element)) return "";
  if (clone instanceof HTMLInputElement && clone.type === "password") clone.removeAttribute("value");
  return clipped(clone.outerHTML, 300);
}

export interface Box {
  readonly element: string;
  /** In the viewport. */
  readonly viewport: Rect;
  /** From the corner of the document. */
  readonly page: Rect;
  readonly content: { readonly width: number; readonly height: number };
  readonly padding: readonly number[];
  readonly border: readonly number[];
  readonly margin: readonly number[];
  readonly transform?: string;
}

/** Sides in the order of CSS: top, right, bottom, left. */
const sides = ["top", "right", "bottom", "left"] as const;

export function getBox(target: unknown): Box {
  const element = find(target);
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const four = (name: (side: string) => string): number[] => sides.map((side) => round(Number.parseFloat(style.getPropertyValue(name(side))) || 0));
  const padding = four((side) => `padding-${side}`);
  const border = four((side) => `border-${side}-width`);
  const sum = (list: readonly number[], a: number, b: number): number => (list[a] ?? 0) + (list[b] ?? 0);
  const laid = element instanceof HTMLElement ? { width: element.offsetWidth, height: element.offsetHeight } : box;
  return {
    element: named(element),
    viewport: rectOf(box),
    page: rectOf({ x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height }),
    content: {
      width: round(Math.max(0, laid.width - sum(padding, 1, 3) - sum(border, 1, 3))),
      height: round(Math.max(0, laid.height - sum(padding, 0, 2) - sum(border, 0, 2))),
    },
    padding,
    border,
    margin: four((side) => `margin-${side}`),
    ...(style.transform === "none" ? {} : { transform: style.transform }),
  };
}

/** What is worth a look when nothing is asked for by name. */
const usual =
  "display position top right bottom left z-index float width height min-width max-width min-height max-height margin padding box-sizing overflow " +
  "flex-direction flex-wrap justify-content align-items align-self gap flex grid-template-columns grid-template-rows grid-area " +
  "color background-color background-image border border-radius box-shadow opacity visibility transform filter " +
  "font-family font-size font-weight line-height letter-spacing text-align text-decoration-line text-transform white-space cursor pointer-events transition animation-name";

/** Values that say nothing. */
const silent = /^(?:auto|none|normal|static|0px|0px auto|visible|start|stretch|nowrap|row|rgba\(0, 0, 0, 0\)|0 1 auto|all 0s|all|1|0px none .*|0px 0px 0px 0px|border-box|content-box|)$/;

export function getComputed(target: unknown, properties?: unknown): { readonly element: string; readonly style: Readonly<Record<string, string>> } {
  const element = find(target);
  const computed = getComputedStyle(element);
  const asked = typeof properties === "string" ? properties.split(/[\s,]+/) : Array.isArray(properties) ? properties.map(String) : null;
  const style: Record<string, string> = {};
  for (const name of (asked ?? usual.split(" ")).slice(0, 100)) {
    const value = computed.getPropertyValue(name.startsWith("--") ? name : name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`));
    if (asked !== null || !silent.test(value) || name === "display" || name === "position") style[name] = clipped(value, 200);
  }
  return { element: named(element), style };
}

interface Branch {
  readonly element: string;
  readonly box: Rect;
  readonly text?: string;
  readonly children?: readonly Branch[];
  /** Children that are not shown. */
  readonly more?: number;
}

export function walkChildren(target: unknown, depth?: unknown, limit?: unknown): Branch {
  let left = bounded(limit, 100, 1, 1000);
  const walk = (element: Element, deep: number): Branch => {
    left--;
    const own = [...element.childNodes].map((node) => (node instanceof Text ? node.data : "")).join(" ");
    const within = element.shadowRoot === null ? [...element.children] : [...element.shadowRoot.children, ...element.children];
    const children: Branch[] = [];
    if (deep > 0) for (const child of within) if (left > 0) children.push(walk(child, deep - 1));
    const more = within.length - children.length;
    return {
      element: named(element),
      box: rectOf(element.getBoundingClientRect()),
      ...(own.trim() === "" ? {} : { text: clipped(own, 80) }),
      ...(children.length > 0 ? { children } : {}),
      ...(more > 0 ? { more } : {}),
    };
  };
  return walk(find(target), bounded(depth, 2, 1, 20));
}

export function walkParents(target: unknown): readonly { readonly element: string; readonly selector: string; readonly box: Rect; readonly display: string; readonly position: string; readonly overflow: string; readonly zIndex: string }[] {
  return ancestors(find(target))
    .slice(0, 50)
    .map((element) => {
      const style = getComputedStyle(element);
      return { element: named(element), selector: selectorOf(element), box: rectOf(element.getBoundingClientRect()), display: style.display, position: style.position, overflow: style.overflow, zIndex: style.zIndex };
    });
}

