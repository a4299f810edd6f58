// Using the page from within: for a person's own tab, where nobody can send
// real input. The events are the page's own kind (not trusted); what they set
// off is what a click or a key would.

import { find } from "./find";
import { coveredBy, hiddenBecause, middle } from "./space";
import { clipped, named } from "./words";
import { valueOf } from "./look";

export interface Act {
  readonly element: string;
  readonly value?: string;
  readonly url: string;
  readonly navigated: boolean;
}

function usable(element: Element): void {
  if (element.matches(":disabled") || element.getAttribute("aria-disabled") === "true") throw new Error(`${named(element)} is disabled`);
  if (element.closest("[inert]") !== null) throw new Error(`${named(element)} is inert`);
}

function intoView(element: Element): void {
  const box = element.getBoundingClientRect();
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
}

/** Lets the page do what it does next. */
const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 0));

async function outcome(element: Element, before: string): Promise<Act> {
  await turn();
  const value = valueOf(element);
  return { element: named(element), ...(value === undefined ? {} : { value }), url: location.href.slice(0, 500), navigated: location.href !== before };
}

export async function click(target: unknown): Promise<Act> {
  const element = find(target);
  usable(element);
  intoView(element);
  const cover = coveredBy(element);
  const hidden = hiddenBecause(element).filter((why) => !why.startsWith("covered"));
  if (hidden.length > 0) throw new Error(`${named(element)} cannot be clicked: ${hidden.join(", ")}`);
  if (cover !== null) throw new Error(`${named(element)} cannot be clicked: ${named(cover)} covers it`);
  const before = location.href;
  const point = middle(element) ?? { x: 0, y: 0 };
  const common = { bubbles: true, cancelable: true, composed: true, clientX: point.x, clientY: point.y, button: 0, view: window };
  element.dispatchEvent(new PointerEvent("pointerdown", { ...common, buttons: 1, pointerId: 1, isPrimary: true, pointerType: "mouse" }));
  const focus = element.dispatchEvent(new MouseEvent("mousedown", { ...common, buttons: 1, detail: 1 }));
  if (focus && element instanceof HTMLElement) (element.closest<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]") ?? element).focus({ preventScroll: true });
  element.dispatchEvent(new PointerEvent("pointerup", { ...common, pointerId: 1, isPrimary: true, pointerType: "mouse" }));
  element.dispatchEvent(new MouseEvent("mouseup", { ...common, detail: 1 }));
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", { ...common, detail: 1 }));
  return outcome(element, before);
}

export async function fill(target: unknown, value: unknown): Promise<Act> {
  const element = find(target);
  usable(element);
  intoView(element);
  const before = location.href;
  if (element instanceof HTMLSelectElement) choose(element, value);
  else if (element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)) tick(element, value);
  else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) type(element, String(value ?? ""));
  else if (element instanceof HTMLElement && element.isContentEditable) write(element, String(value ?? ""));
  else throw new Error(`${named(element)} cannot be filled: it is no input, textarea, select or contenteditable`);
  return outcome(element, before);
}

/** Sets a value as the browser would: past the setter that React puts on the element itself. */
export function setValue(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, "value")?.set;
  if (set === undefined) element.value = value;
  else Reflect.apply(set, element, [value]);
}

/** Types of input whose wrong values the browser throws away. */
const shapes: Readonly<Record<string, string>> = { date: "2026-01-31", "datetime-local": "2026-01-31T10:00", month: "2026-01", week: "2026-W05", time: "10:00", number: "12.5", range: "5", color: "#aabbcc" };

function type(element: HTMLInputElement | HTMLTextAreaElement, value: string): void {
  if (element instanceof HTMLInputElement && element.type === "file") throw new Error(`${named(element)} takes files, and a page cannot choose any: a person must`);
  if (element instanceof HTMLInputElement && /^(?:button|submit|reset|image|hidden)$/.test(element.type)) throw new Error(`${named(element)} cannot be filled: it is a ${element.type}`);
  if (element.readOnly) throw new Error(`${named(element)} is read only`);
  element.focus({ preventScroll: true });
  const kept = element.value;
  const short = element.maxLength >= 0 ? value.slice(0, element.maxLength) : value;
  setValue(element, short);
  const shape = shapes[element.type];
  if (short !== "" && element.value === "" && shape !== undefined) {
    setValue(element, kept);
    throw new Error(`${named(element)} does not accept ${JSON.stringify(clipped(value, 60))}: type ${element.type} wants a value such as ${shape}`);
  }
  element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: short }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

function tick(element: HTMLInputElement, value: unknown): void {
  const want = value === undefined || value === true || value === "true" || value === "on" || value === "checked" || value === element.value;
  if (element.type === "radio" && !want) throw new Error(`${named(element)} is a radio button: fill the one that is to be chosen`);
  if (element.checked !== want) element.click();
}

function choose(element: HTMLSelectElement, value: unknown): void {
  const wanted = (Array.isArray(value) ? value : [value]).map(String);
  const options = [...element.options];
  const found = wanted.map((want) => options.find((o) => o.value === want) ?? options.find((o) => o.label.trim() === want.trim()));
  const missing = wanted.filter((_, i) => found[i] === undefined);
  if (missing.length > 0) {
    const there = options.slice(0, 12).map((o) => JSON.stringify(o.value === o.label ? o.value : `${o.value} (${clipped(o.label, 30)})`));
    throw new Error(`${named(element)} has no option ${missing.map((m) => JSON.stringify(m)).join(", ")} (there are: ${there.join(", ")}${options.length > 12 ? ", …" : ""})`);
  }
  if (!element.multiple && wanted.length > 1) throw new Error(`${named(element)} takes one option only`);
  element.focus({ preventScroll: true });
  for (const option of options) option.selected = found.includes(option);
  element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  element.dispatchEvent(new Event("change", { bubbles: true }));
}

function write(element: HTMLElement, value: string): void {
  element.focus({ preventScroll: true });
  const selection = getSelection();
  selection?.selectAllChildren(element);
  // The old way, but the only one that editors see as typing.
  const typed = value === "" ? document.execCommand("delete") : document.execCommand("insertText", false, value);
  if (!typed) {
    element.textContent = value;
    element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType: "insertText", data: value }));
  }
}
