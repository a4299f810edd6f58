// Keys. A key that is not trusted does nothing by itself in a browser, so that
// what the usual ones do is done here when the page does not prevent it.

import { setValue } from "./act";
import type { Act } from "./act";
import { find } from "./find";
import { valueOf } from "./look";
import { named } from "./words";

const modifiers: Readonly<Record<string, "ctrlKey" | "shiftKey" | "altKey" | "metaKey">> = {
  Control: "ctrlKey", Ctrl: "ctrlKey", Shift: "shiftKey", Alt: "altKey", Meta: "metaKey", Cmd: "metaKey", Command: "metaKey",
};

const names = ["Enter", "Escape", "Tab", "Backspace", "Delete", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown", "Space", "Insert"];

export interface Chord {
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
}

/** Reads "Enter", "a", "Control+Shift+K". */
export function chord(text: string): Chord {
  const parts = text === "+" ? ["+"] : text.split("+");
  const last = parts.pop() ?? "";
  const held = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false };
  for (const part of parts) {
    const which = modifiers[part];
    if (which === undefined) throw new Error(`unknown modifier ${JSON.stringify(part)} (valid: ${Object.keys(modifiers).join(", ")})`);
    held[which] = true;
  }
  const spelt = names.find((name) => name.toLowerCase() === last.toLowerCase()) ?? (/^F\d{1,2}$/i.test(last) ? last.toUpperCase() : "");
  if (spelt === "" && [...last].length !== 1) throw new Error(`unknown key ${JSON.stringify(last)} (valid: one character, ${names.join(", ")}, F1 to F12)`);
  const key = spelt === "Space" ? " " : spelt === "" ? last : spelt;
  const code = key === " " ? "Space" : /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : /^\d$/.test(key) ? `Digit${key}` : spelt;
  return { key, code, ...held };
}

export async function press(key: unknown, target?: unknown): Promise<Act> {
  const pressed = chord(String(key));
  const element = target === undefined || target === null ? (document.activeElement ?? document.body) : find(target);
  if (element instanceof HTMLElement && target !== undefined) element.focus();
  const before = location.href;
  const event = { ...pressed, bubbles: true, cancelable: true, composed: true, view: window };
  const allowed = element.dispatchEvent(new KeyboardEvent("keydown", event));
  if (allowed && !pressed.ctrlKey && !pressed.metaKey && !pressed.altKey) usual(element, pressed);
  const at = document.activeElement ?? element;
  at.dispatchEvent(new KeyboardEvent("keyup", event));
  await new Promise<void>((done) => setTimeout(done, 0));
  const value = valueOf(element);
  return { element: named(element), ...(value === undefined ? {} : { value }), url: location.href.slice(0, 500), navigated: location.href !== before };
}

function usual(element: Element, pressed: Chord): void {
  if (pressed.key === "Tab") return moveFocus(element, pressed.shiftKey ? -1 : 1);
  if (pressed.key === "Escape") return closeDialog(element);
  const acts = element instanceof HTMLButtonElement || (element instanceof HTMLElement && element.matches("summary, a[href], input[type=submit], input[type=button], input[type=reset]"));
  if (acts && element instanceof HTMLElement && (pressed.key === "Enter" || (pressed.key === " " && !element.matches("a")))) return element.click();
  if (element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type)) {
    if (pressed.key === " ") element.click();
    return;
  }
  if (element instanceof HTMLInputElement && pressed.key === "Enter") return submit(element);
  if ((element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) && !element.readOnly && !element.disabled) edit(element, pressed);
}

/** A form is sent by its default button, or by itself when it has but one field. */
function submit(element: HTMLInputElement): void {
  element.dispatchEvent(new Event("change", { bubbles: true }));
  const form = element.form;
  if (form === null) return;
  const button = form.querySelector<HTMLElement>("button:not([type]), button[type=submit], input[type=submit], input[type=image]");
  if (button !== null) button.click();
  else form.requestSubmit();
}

function edit(element: HTMLInputElement | HTMLTextAreaElement, { key }: Chord): void {
  const { value } = element;
  // Types such as number have no selection: there the end counts.
  const start = element.selectionStart ?? value.length;
  const end = element.selectionEnd ?? value.length;
  const typed = key === "Enter" && element instanceof HTMLTextAreaElement ? "\n" : [...key].length === 1 ? key : "";
  if (typed !== "") change(element, value.slice(0, start) + typed + value.slice(end), start + typed.length, "insertText", typed);
  else if (key === "Backspace" && end > 0) {
    const from = start === end ? start - 1 : start;
    change(element, value.slice(0, from) + value.slice(end), from, "deleteContentBackward", null);
  } else if (key === "Delete") change(element, value.slice(0, start) + value.slice(start === end ? end + 1 : end), start, "deleteContentForward", null);
}

function change(element: HTMLInputElement | HTMLTextAreaElement, value: string, caret: number, inputType: string, data: string | null): void {
  if (!element.dispatchEvent(new InputEvent("beforeinput", { bubbles: true, cancelable: true, composed: true, inputType, data }))) return;
  setValue(element, value);
  if (element.selectionStart !== null) element.setSelectionRange(caret, caret);
  element.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true, inputType, data }));
}

function moveFocus(from: Element, step: number): void {
  const all = [...document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]")].filter(
    (e) => e.tabIndex >= 0 && !e.matches(":disabled, input[type=hidden]") && e.getClientRects().length > 0 && getComputedStyle(e).visibility === "visible",
  );
  const at = all.findIndex((e) => e === from);
  all[(at + step + all.length) % Math.max(1, all.length)]?.focus();
}

function closeDialog(element: Element): void {
  const dialog = element.closest("dialog") ?? document.querySelector("dialog:modal");
  if (dialog instanceof HTMLDialogElement && dialog.open && dialog.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
}
