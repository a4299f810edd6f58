// From what a caller names to an element, with an error that helps when there
// is none. Open shadow roots are looked into; closed ones cannot be.

import { namesIn, nearest } from "./nearest";
import type { Candidate } from "./nearest";

/** Most elements that are looked at for candidates. */
const mostLooked = 5000;

/** An element, or the selector of one. */
export type Target = Element | string;

/** The first element that a selector names, or the element itself. */
export function find(target: unknown): Element {
  if (target instanceof Element) return target;
  if (typeof target !== "string" || target.trim() === "") {
    throw new TypeError(`expected a CSS selector or an element, got ${target === null ? "null" : typeof target === "string" ? "an empty text" : typeof target}`);
  }
  const found = first(target);
  if (found !== null) return found;
  const near = nearest(namesIn(target), candidates(), 5);
  throw new Error(`no element matches ${target}${near.length > 0 ? `; nearest: ${near.join(", ")}` : ` among the ${document.querySelectorAll("*").length} of this page`}`);
}

/** As find, but null when nothing matches. An invalid selector is still an error. */
export function first(selector: string): Element | null {
  return matches(document, selector, true)[0] ?? null;
}

/** How findings and loaders name what is in a shadow tree: the host, then what is inside. */
const into = " >>> ";

/** Every element that a selector names, in open shadow roots too. ` >>> ` leads into the shadow tree of what stands before it. */
export function matches(root: Document | ShadowRoot, selector: string, one = false): Element[] {
  const at = selector.lastIndexOf(into);
  if (at >= 0) {
    const inside = matches(root, selector.slice(0, at)).flatMap((host) => (host.shadowRoot === null ? [] : [...all(host.shadowRoot, selector.slice(at + into.length))]));
    return one ? inside.slice(0, 1) : inside;
  }
  const found = all(root, selector);
  if (found.length > 0 && one) return found.slice(0, 1);
  for (const host of root.querySelectorAll("*")) {
    if (host.shadowRoot === null) continue;
    found.push(...matches(host.shadowRoot, selector, one));
    if (found.length > 0 && one) return found.slice(0, 1);
  }
  return found;
}

function all(root: Document | ShadowRoot, selector: string): Element[] {
  try {
    return [...root.querySelectorAll(selector)];
  } catch {
    throw new SyntaxError(`not a valid CSS selector: ${selector.slice(0, 200)}`);
  }
}

function candidates(): Candidate[] {
  const all: Candidate[] = [];
  let looked = 0;
  for (const element of document.querySelectorAll("*")) {
    if (looked++ >= mostLooked) break;
    if (element.id !== "") all.push({ name: element.id, selector: `#${CSS.escape(element.id)}` });
    for (const name of element.classList) all.push({ name, selector: `.${CSS.escape(name)}` });
    for (const attribute of ["name", "data-testid", "aria-label"]) {
      const value = element.getAttribute(attribute);
      if (value !== null && value !== "" && value.length < 60) all.push({ name: value, selector: `[${attribute}=${JSON.stringify(value)}]` });
    }
    if (element.localName.includes("-")) all.push({ name: element.localName, selector: element.localName });
  }
  return all;
}
