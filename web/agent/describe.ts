// An element in a few words, for a user action or a layout shift: what it is,
// never what was typed into it.

import { clip } from "./clip";
import { quietly } from "./native";

const maxWords = 40;
const maxWhole = 120;

/** Elements whose text is a label that the page's author wrote. */
const labelled = /^(?:a|button|label|summary|option|h[1-6]|th)$/;

/** `button#save.primary "Save"`; "" for what is no element. */
export function describe(target: unknown): string {
  return quietly(() => (target instanceof Element ? words(target) : "")) ?? "";
}

function words(element: Element): string {
  const tag = element.localName;
  let text = tag;
  const id = element.getAttribute("id");
  if (id !== null && id !== "") text += `#${id}`;
  const classes = element.getAttribute("class")?.trim().split(/\s+/, 2) ?? [];
  for (const name of classes) if (name !== "") text += `.${name}`;
  const type = element.getAttribute("type");
  if (tag === "input" && type !== null) text += `[type=${type}]`;
  const name = element.getAttribute("name");
  if (name !== null && name !== "") text += `[name=${name}]`;
  const label = labelOf(element, tag);
  if (label !== "") text += ` "${label}"`;
  return clip(text, maxWhole);
}

function labelOf(element: Element, tag: string): string {
  const aria = element.getAttribute("aria-label") ?? element.getAttribute("alt") ?? element.getAttribute("placeholder");
  const isLabel = labelled.test(tag) || /^(?:button|link|tab|menuitem)$/.test(element.getAttribute("role") ?? "");
  const own = isLabel && !editable(element) ? element.textContent : null;
  const text = (aria ?? own ?? "").slice(0, 4 * maxWords).replace(/\s+/g, " ").trim();
  return text.length > maxWords ? `${text.slice(0, maxWords)}…` : text;
}

function editable(element: Element): boolean {
  return element instanceof HTMLElement && element.isContentEditable;
}

/** The element an event really happened on, inside open shadow roots too. */
export function eventTarget(event: Event): unknown {
  return quietly(() => event.composedPath()[0]) ?? event.target;
}
