// What assistive technology is told of an element, as far as a page can know:
// role, name, states, and what is wrong with them. The browser's own answer is
// used where it gives one.

import { find } from "./find";
import { hiddenBecause } from "./space";
import { ancestors, clipped, get, named, text } from "./words";

const implicit: Readonly<Record<string, string>> = {
  article: "article", aside: "complementary", button: "button", datalist: "listbox", dd: "definition", details: "group", dialog: "dialog", dt: "term",
  fieldset: "group", figure: "figure", footer: "contentinfo", form: "form", h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading",
  h6: "heading", header: "banner", hr: "separator", img: "img", li: "listitem", main: "main", menu: "list", meter: "meter", nav: "navigation", ol: "list",
  option: "option", output: "status", progress: "progressbar", search: "search", summary: "button", table: "table", tbody: "rowgroup", td: "cell",
  textarea: "textbox", tfoot: "rowgroup", th: "columnheader", thead: "rowgroup", tr: "row", ul: "list",
};

const inputs: Readonly<Record<string, string>> = {
  button: "button", checkbox: "checkbox", email: "textbox", image: "button", number: "spinbutton", radio: "radio", range: "slider", reset: "button",
  search: "searchbox", submit: "button", tel: "textbox", text: "textbox", url: "textbox", password: "textbox",
};

function roleOf(element: Element): string {
  const given = element.getAttribute("role")?.trim().split(/\s+/)[0];
  if (given !== undefined && given !== "") return given;
  const computed = text(get(element, "computedRole"));
  if (computed !== "") return computed;
  const tag = element.localName;
  if (element instanceof HTMLInputElement) return inputs[element.type] ?? "textbox";
  if (tag === "a" || tag === "area") return element.hasAttribute("href") ? "link" : "generic";
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (tag === "img" && element.getAttribute("alt") === "") return "presentation";
  if (tag === "section") return element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby") ? "region" : "generic";
  return implicit[tag] ?? "generic";
}

/** Roles whose name is what is written in them. */
const namedByContent = /^(?:button|cell|checkbox|columnheader|gridcell|heading|link|menuitem\w*|option|radio|row|rowheader|switch|tab|tooltip|treeitem)$/;
/** Roles that are nothing without a name. */
const needName = /^(?:button|link|checkbox|radio|switch|textbox|searchbox|combobox|listbox|slider|spinbutton|img|dialog|menuitem|tab)$/;

interface Named {
  readonly name: string;
  readonly from: string;
}

function nameOf(element: Element, role: string): Named {
  const by = element.getAttribute("aria-labelledby");
  if (by !== null) {
    const root = element.getRootNode();
    const scope = root instanceof ShadowRoot ? root : document;
    const said = by.split(/\s+/).map((id) => (id === "" ? null : scope.getElementById(id))).map((other) => (other === null ? "" : contentName(other))).join(" ").trim();
    if (said !== "") return { name: said, from: "aria-labelledby" };
  }
  const label = element.getAttribute("aria-label")?.trim() ?? "";
  if (label !== "") return { name: label, from: "aria-label" };
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement || element instanceof HTMLButtonElement) {
    const said = [...(element.labels ?? [])].map(contentName).join(" ").trim();
    if (said !== "") return { name: said, from: "label" };
  }
  const native = nativeName(element);
  if (native.name !== "") return native;
  if (namedByContent.test(role)) {
    const said = contentName(element);
    if (said !== "") return { name: said, from: "content" };
  }
  for (const attribute of ["title", "placeholder"]) {
    const said = element.getAttribute(attribute)?.trim() ?? "";
    if (said !== "") return { name: said, from: attribute };
  }
  return { name: "", from: "" };
}

function nativeName(element: Element): Named {
  if (element instanceof HTMLInputElement && /^(?:button|submit|reset)$/.test(element.type)) {
    const usual = element.type === "submit" ? "Submit" : element.type === "reset" ? "Reset" : "";
    return { name: element.value || usual, from: "value" };
  }
  if (/^(?:img|area)$/.test(element.localName) || (element instanceof HTMLInputElement && element.type === "image")) return { name: element.getAttribute("alt")?.trim() ?? "", from: "alt" };
  const inner = { fieldset: "legend", figure: "figcaption", table: "caption", svg: "title" }[element.localName];
  const child = inner === undefined ? null : element.querySelector(`:scope > ${inner}`);
  return { name: child?.textContent?.trim() ?? "", from: inner ?? "" };
}

/** What is written in an element, pictures by their alt text, without what is hidden. */
function contentName(element: Element): string {
  let said = "";
  for (const node of element.childNodes) {
    if (node instanceof Text) said += node.data;
    else if (node instanceof Element && node.getAttribute("aria-hidden") !== "true" && getComputedStyle(node).display !== "none") {
      said += ` ${node.getAttribute("aria-label") ?? node.getAttribute("alt") ?? contentName(node)} `;
    }
    if (said.length > 500) break;
  }
  return clipped(said, 200);
}

function focusable(element: Element): boolean {
  if (!(element instanceof HTMLElement) && !(element instanceof SVGElement)) return false;
  return element.tabIndex >= 0 && !element.matches(":disabled") && getComputedStyle(element).visibility === "visible" && element.getClientRects().length > 0;
}

export function getA11yInfo(target: unknown): Readonly<Record<string, unknown>> {
  const element = find(target);
  const role = roleOf(element);
  const computed = text(get(element, "computedName"));
  const found = nameOf(element, role);
  const name = computed !== "" ? computed : found.name;
  const hiddenAt = [element, ...ancestors(element)].find((at) => at.getAttribute("aria-hidden") === "true" || at.hasAttribute("inert"));
  const hidden = hiddenAt !== undefined || hiddenBecause(element).some((why) => /display|visibility/.test(why));
  const states: Record<string, string> = {};
  for (const { name: key, value } of element.attributes) if (key.startsWith("aria-") && Object.keys(states).length < 30) states[key] = clipped(value, 100);
  const can = focusable(element);
  const problems: string[] = [];
  if (!hidden && name === "" && needName.test(role)) problems.push(`no name: a screen reader says only "${role}"`);
  if (found.from === "placeholder" || found.from === "title") problems.push(`its name is only its ${found.from}`);
  if (element.localName === "img" && !element.hasAttribute("alt") && role !== "presentation") problems.push("an image without alt");
  if (hiddenAt !== undefined && can && hiddenAt.getAttribute("aria-hidden") === "true") problems.push("it can have the focus, but is hidden from assistive technology");
  if (element instanceof HTMLElement && element.tabIndex > 0) problems.push(`tabindex ${element.tabIndex} breaks the order of focus`);
  if (!can && /^(?:button|link|checkbox|switch|tab|menuitem)$/.test(role) && !element.matches(":disabled") && !hidden) problems.push("it acts like a control, but the keyboard cannot reach it");
  for (const id of (element.getAttribute("aria-labelledby") ?? "").split(/\s+/)) if (id !== "" && document.getElementById(id) === null) problems.push(`aria-labelledby names ${id}, which is not there`);
  const level = /^h([1-6])$/.exec(element.localName)?.[1] ?? element.getAttribute("aria-level");
  return {
    element: named(element),
    role,
    name,
    ...(found.from === "" ? {} : { nameFrom: found.from }),
    ...(level === null ? {} : { level: Number(level) }),
    states,
    ...("disabled" in element ? { disabled: element.matches(":disabled") } : {}),
    focusable: can,
    hidden,
    problems,
  };
}
