// What is shown on top of the page, for a person's eyes: boxes around elements,
// the picker, the indicator. All of it is in a closed shadow root of an element
// that is there only as long as something is shown, and none of it takes part
// in the page's layout or receives its events.

import { matches } from "./find";
import { getElementInfo } from "./look";
import type { ElementInfo } from "./look";
import { isInViewport, topAt } from "./space";
import { bounded, clipped, get, named, rectOf } from "./words";
import type { Rect } from "./words";

interface Layer {
  readonly host: HTMLElement;
  readonly root: ShadowRoot;
}

const open: Layer[] = [];

/** A layer above everything, dialogs included; the undo takes it away. */
function layer(): { readonly root: ShadowRoot; readonly remove: () => void; readonly host: HTMLElement } {
  const host = document.createElement("oriel-layer");
  host.setAttribute("aria-hidden", "true");
  const style: Partial<CSSStyleDeclaration> = { all: "initial", position: "fixed", inset: "0", width: "100%", height: "100%", margin: "0", padding: "0", border: "0", background: "transparent", pointerEvents: "none", overflow: "visible", zIndex: "2147483647" };
  Object.assign(host.style, style);
  const root = host.attachShadow({ mode: "closed" });
  document.documentElement.append(host);
  if ("popover" in host && "showPopover" in host) {
    host.popover = "manual";
    host.showPopover();
  }
  const one = { host, root };
  open.push(one);
  return {
    root,
    host,
    remove: () => {
      host.remove();
      const at = open.indexOf(one);
      if (at >= 0) open.splice(at, 1);
    },
  };
}

function box(colour: string): { readonly frame: HTMLElement; readonly label: HTMLElement; readonly move: (to: Rect, words: string) => void } {
  const frame = document.createElement("div");
  const label = document.createElement("div");
  Object.assign(frame.style, { position: "fixed", boxSizing: "border-box", border: `2px solid ${colour}`, background: `color-mix(in srgb, ${colour} 15%, transparent)`, borderRadius: "2px", pointerEvents: "none" });
  Object.assign(label.style, { position: "fixed", font: "12px/1.4 ui-monospace, monospace", color: "#fff", background: "#1f2430", padding: "1px 6px", borderRadius: "3px", whiteSpace: "nowrap", maxWidth: "90vw", overflow: "hidden", textOverflow: "ellipsis", pointerEvents: "none" });
  const move = (to: Rect, words: string): void => {
    Object.assign(frame.style, { left: `${to.x}px`, top: `${to.y}px`, width: `${to.width}px`, height: `${to.height}px`, display: "block" });
    label.textContent = words;
    label.style.display = words === "" ? "none" : "block";
    const above = to.y >= 22;
    Object.assign(label.style, { left: `${Math.max(0, to.x)}px`, top: `${above ? to.y - 21 : Math.min(innerHeight - 22, to.y + to.height + 3)}px` });
  };
  return { frame, label, move };
}

const mostBoxes = 50;

export function highlight(target: unknown, options?: unknown): { readonly shown: number; readonly found: number; readonly ms: number } {
  const elements = target instanceof Element ? [target] : matches(document, String(target));
  if (elements.length === 0) getElementInfo(target); // says what is near
  // What nobody can see is no use to the one who is to look at it.
  if (elements[0] !== undefined && !elements.some((element) => isInViewport(element).inViewport)) elements[0].scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
  const ms = bounded(get(options, "ms"), 3000, 100, 60_000);
  const colour = get(options, "color");
  const label = get(options, "label");
  const { root, remove } = layer();
  const shown = elements.slice(0, mostBoxes).map((element) => {
    const one = box(typeof colour === "string" && CSS.supports("color", colour) ? colour : "#e0457b");
    root.append(one.frame, one.label);
    return { element, move: one.move };
  });
  const place = (): void => {
    for (const { element, move } of shown) move(rectOf(element.getBoundingClientRect()), typeof label === "string" ? clipped(label, 80) : clipped(named(element), 80));
  };
  place();
  let running = true;
  const follow = (): void => {
    if (!running) return;
    place();
    requestAnimationFrame(follow);
  };
  requestAnimationFrame(follow);
  setTimeout(() => {
    running = false;
    remove();
  }, ms);
  return { shown: shown.length, found: elements.length, ms };
}

let picking: (() => void) | null = null;

/** A person points at an element; null when they press Escape, or do nothing in time. */
export function pick(options?: unknown): Promise<ElementInfo | null> {
  picking?.();
  const timeout = bounded(get(options, "timeout"), 25_000, 1000, 600_000);
  return new Promise((done) => {
    const { root, host, remove } = layer();
    const one = box("#3b82f6");
    const hint = document.createElement("div");
    hint.textContent = "Click an element to point at it · Esc cancels";
    Object.assign(hint.style, { position: "fixed", left: "50%", bottom: "16px", transform: "translateX(-50%)", font: "13px/1.4 system-ui, sans-serif", color: "#fff", background: "#1f2430", padding: "6px 14px", borderRadius: "16px", boxShadow: "0 2px 12px #0005" });
    root.append(one.frame, one.label, hint);
    one.frame.style.display = "none";
    one.label.style.display = "none";
    let at: Element | null = null;
    const end = (picked: Element | null): void => {
      for (const type of swallowed) removeEventListener(type, take, true);
      removeEventListener("keydown", key, true);
      clearTimeout(timer);
      picking = null;
      remove();
      done(picked === null ? null : getElementInfo(picked));
    };
    const take = (event: Event): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!(event instanceof MouseEvent)) return;
      const top = topAt(event.clientX, event.clientY);
      at = top === host ? null : top;
      if (at !== null) one.move(rectOf(at.getBoundingClientRect()), clipped(named(at), 100));
      if (event.type === "click") end(at);
    };
    const key = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      end(null);
    };
    for (const type of swallowed) addEventListener(type, take, true);
    addEventListener("keydown", key, true);
    const timer = setTimeout(() => end(null), timeout);
    picking = () => end(null);
  });
}

/** What a person's pointing must not do to the page. */
const swallowed = ["pointermove", "mousemove", "pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "contextmenu"];

let shownIndicator: (() => void) | null = null;

/** A small sign that Oriel looks at this page; off unless asked for. */
export function indicator(on?: unknown): { readonly shown: boolean } {
  shownIndicator?.();
  shownIndicator = null;
  if (on === false) return { shown: false };
  const { root, remove } = layer();
  const pill = document.createElement("div");
  const dot = document.createElement("span");
  const words = document.createElement("span");
  Object.assign(pill.style, { position: "fixed", right: "12px", bottom: "12px", display: "flex", gap: "6px", alignItems: "center", font: "11px/1 system-ui, sans-serif", color: "#fff", background: "#1f2430e6", padding: "6px 10px", borderRadius: "12px", boxShadow: "0 1px 6px #0004" });
  Object.assign(dot.style, { width: "7px", height: "7px", borderRadius: "50%" });
  pill.append(dot, words);
  root.append(pill);
  const tell = (): void => {
    const stats = window.__devtool_api?.getStats();
    const failed = stats?.failed ?? 0;
    dot.style.background = failed > 0 ? "#f59e0b" : "#34d399";
    words.textContent = stats === undefined ? "Oriel" : `Oriel · ${stats.total} calls${failed > 0 ? `, ${failed} failed` : ""}`;
  };
  tell();
  const timer = setInterval(tell, 1000);
  shownIndicator = () => {
    clearInterval(timer);
    remove();
  };
  return { shown: true };
}
