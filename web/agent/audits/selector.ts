// CSS selectors that fit exactly one element of the page. The library finds
// short ones; it is kept on a short lead, because on a big page it would try
// thousands of combinations, and a plain path stands in for what it gives up.

import { finder } from "@medv/finder";
import type { Slice } from "./slice";

/** Candidates tried for one element. */
const MAX_CHECKS = 60;
/** Classes of one element that are tried. */
const MAX_CLASSES = 3;
/** A longer selector is replaced by the path from the nearest element with an id, if that is shorter. */
const LONG = 90;
const FIND_MS = 20;

/** Between a shadow host and what is inside: not CSS, but what tools have agreed on. */
export const SHADOW = " >>> ";

/** A selector that fits this element alone; inside shadow trees one part per tree, joined by `>>>`. Empty for an element that is in no document. */
export function selectorOf(element: Element): string {
  const root = element.getRootNode();
  if (isShadowRoot(root)) return `${selectorOf(root.host)}${SHADOW}${within(element, root)}`;
  return isDocument(root) ? within(element, root) : "";
}

/** Elements of a frame have classes of their own: what a node is is asked of the node. */
function isDocument(node: Node): node is Document {
  return node.nodeType === Node.DOCUMENT_NODE;
}

function isShadowRoot(node: Node): node is ShadowRoot {
  return node.nodeType === Node.DOCUMENT_FRAGMENT_NODE && "host" in node;
}

/** The selectors of some elements, one after the other, in slices. */
export async function selectorsOf(elements: Iterable<Element>, slice: Slice, most: number = Infinity): Promise<string[]> {
  const out: string[] = [];
  for (const element of elements) {
    if (out.length >= most) break;
    await slice.rest();
    out.push(selectorOf(element));
  }
  return out;
}

function within(element: Element, root: Document | ShadowRoot): string {
  if (isDocument(root) && element === root.documentElement) return element.localName;
  const id = element.id;
  if (idName(id) && fitsOnly(`#${CSS.escape(id)}`, element, root)) return `#${CSS.escape(id)}`;
  // The library knows documents only.
  const found = isDocument(root) ? search(element, root) : undefined;
  if (found !== undefined && found.length <= LONG && fitsOnly(found, element, root)) return found;
  const path = pathTo(element, root);
  if (found !== undefined && found.length <= path.length && fitsOnly(found, element, root)) return found;
  return path;
}

function search(element: Element, root: Document): string | undefined {
  const shown = firstClasses(element);
  try {
    return finder(element, {
      root: root.body ?? root.documentElement,
      idName,
      className: (name) => shown.has(name) || isWord(name),
      attr: (name, value) => (name === "name" || name === "role" || name === "data-testid") && /^[\w-]{1,40}$/.test(value),
      timeoutMs: FIND_MS,
      seedMinLength: 1,
      optimizedMinLength: 2,
      maxNumberOfPathChecks: MAX_CHECKS,
    });
  } catch {
    return undefined;
  }
}

function firstClasses(element: Element): Set<string> {
  const out = new Set<string>();
  for (const name of element.classList) {
    if (out.size === MAX_CLASSES) break;
    if (isWord(name)) out.add(name);
  }
  return out;
}

/** A name that somebody gave; made-up ones (`css-1x2y3z`, `:r4:`) change with the next build. */
function isWord(name: string): boolean {
  return name.length <= 40 && /^[a-z][a-z_-]*$/i.test(name);
}

function idName(name: string): boolean {
  return name.length <= 40 && /^[a-z][\w-]*$/i.test(name) && !/\d{5}|[0-9a-f]{12}/i.test(name);
}

/** Steps by place among siblings, upwards until they fit one element, at most to an ancestor with an id of its own. */
function pathTo(element: Element, root: Document | ShadowRoot): string {
  let path = "";
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const anchor = at === element || !idName(at.id) ? "" : `#${CSS.escape(at.id)}`;
    const anchored = anchor !== "" && fitsOnly(anchor, at, root);
    const own = anchored ? anchor : step(at);
    path = path === "" ? own : `${own} > ${path}`;
    if (anchored || fitsOnly(path, element, root)) break;
  }
  return path;
}

function step(element: Element): string {
  const name = CSS.escape(element.localName);
  const siblings = element.parentNode?.children ?? [];
  let place = 0;
  let alike = 0;
  for (const sibling of siblings) {
    if (sibling.localName !== element.localName) continue;
    alike++;
    if (sibling === element) place = alike;
  }
  return alike > 1 ? `${name}:nth-of-type(${place})` : name;
}

function fitsOnly(selector: string, element: Element, root: Document | ShadowRoot): boolean {
  try {
    const found = root.querySelectorAll(selector);
    return found.length === 1 && found[0] === element;
  } catch {
    return false;
  }
}
