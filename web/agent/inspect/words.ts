// Elements in words and numbers that JSON carries and a reader can use again.

import { describe } from "../describe";

export const round = (n: number): number => Math.round(n * 100) / 100;

export function clipped(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** What an element is, for a sentence. */
export function named(element: Element): string {
  return `<${describe(element)}>`;
}

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function rectOf(box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number }): Rect {
  return { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) };
}

/** A selector that names this element alone, as short as can be had without trying much. */
export function selectorOf(element: Element): string {
  const root = element.getRootNode();
  const scope = root instanceof ShadowRoot || root instanceof Document ? root : document;
  const alone = (selector: string): boolean => scope.querySelectorAll(selector).length === 1;
  const parts: string[] = [];
  for (let at: Element | null = element; at !== null && parts.length < 12; at = at.parentElement) {
    const own = ownSelector(at);
    parts.unshift(own.name);
    if (own.known && alone(parts.join(" > "))) return parts.join(" > ");
    if (!own.known) {
      parts[0] = own.name + position(at);
      if (alone(parts.join(" > "))) return parts.join(" > ");
    }
  }
  return parts.join(" > ");
}

function ownSelector(element: Element): { readonly name: string; readonly known: boolean } {
  const tag = CSS.escape(element.localName);
  if (element.id !== "" && !/\d{4,}/.test(element.id)) return { name: `#${CSS.escape(element.id)}`, known: true };
  for (const attribute of ["data-testid", "name"]) {
    const value = element.getAttribute(attribute);
    if (value !== null && value !== "" && value.length < 60) return { name: `${tag}[${attribute}=${JSON.stringify(value)}]`, known: true };
  }
  return { name: tag, known: false };
}

function position(element: Element): string {
  const siblings = element.parentElement === null ? [] : [...element.parentElement.children].filter((other) => other.localName === element.localName);
  return siblings.length > 1 ? `:nth-of-type(${siblings.indexOf(element) + 1})` : "";
}

/** The parent in the flat tree: out of a shadow root comes its host. */
export function parentOf(element: Element): Element | null {
  if (element.assignedSlot !== null) return element.assignedSlot;
  if (element.parentElement !== null) return element.parentElement;
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

export function ancestors(element: Element): Element[] {
  const list: Element[] = [];
  for (let at = parentOf(element); at !== null && list.length < 200; at = parentOf(at)) list.push(at);
  return list;
}

/** A number that a caller gave, within bounds. */
export function bounded(value: unknown, otherwise: number, least: number, most: number): number {
  const n = typeof value === "number" && Number.isFinite(value) ? value : otherwise;
  return Math.min(most, Math.max(least, n));
}

/** A property of anything, without running into an error. */
export function get(from: unknown, key: string): unknown {
  if ((typeof from !== "object" && typeof from !== "function") || from === null) return undefined;
  try {
    return Reflect.get(from, key);
  } catch {
    return undefined;
  }
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
