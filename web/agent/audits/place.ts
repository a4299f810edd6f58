// Where an element was written, as far as development builds tell: what
// compilers and their plugins leave on elements. Nothing is guessed.

import { frameLines } from "../stack";
import type { Place, Source } from "./types";
import { clip, oneLine } from "./words";

/** Attributes that hold `file:line` or `file:line:column`. */
const PLACE_ATTRIBUTES = ["data-source", "data-v-inspector", "data-insp-path", "data-astro-source", "data-inspector", "data-locatorjs"];
const FILE_ATTRIBUTES = ["data-inspector-relative-path", "data-astro-source-file", "data-source-file", "data-component-file"];
const LINE_ATTRIBUTES = ["data-inspector-line", "data-astro-source-loc", "data-source-line", "data-component-line"];

const MAX_FILE = 200;
/** Elements looked at upwards: the nearest that tells is near enough, a far one is another component. */
const MAX_STEPS = 3;

/** Frames kept of the stack that made an element; the component is above the framework's. */
const MAX_FRAMES = 8;

/** What is known of where the element was written; empty when nothing is. */
export function sourceOf(element: Element): Source {
  let at: Element | null = element;
  for (let step = 0; at !== null && step < MAX_STEPS; step++, at = at.parentElement) {
    const place = attributePlace(at) ?? sveltePlace(at) ?? reactPlace(at);
    if (place !== undefined) return { place };
    const stack = reactStack(at);
    if (stack !== "") return { stacks: [stack] };
  }
  const place = vuePlace(element);
  return place === undefined ? {} : { place };
}

function attributePlace(element: Element): Place | undefined {
  for (const name of PLACE_ATTRIBUTES) {
    const found = /^(.+?):(\d+)(?::\d+)?/.exec(element.getAttribute(name) ?? "");
    if (found?.[1] !== undefined && /\.\w+$/.test(found[1])) return place(found[1], Number(found[2]));
  }
  for (const [index, name] of FILE_ATTRIBUTES.entries()) {
    const file = element.getAttribute(name);
    if (file !== null && file !== "") return place(file, Number.parseInt(element.getAttribute(LINE_ATTRIBUTES[index] ?? "") ?? "", 10));
  }
  return undefined;
}

function sveltePlace(element: Element): Place | undefined {
  const loc = member(member(element, "__svelte_meta"), "loc");
  const file = member(loc, "file");
  // Counted from 0.
  return typeof file === "string" ? place(file, Number(member(loc, "line")) + 1) : undefined;
}

/** React up to 18 keeps it on the fiber. */
function reactPlace(element: Element): Place | undefined {
  const source = member(fiberOf(element), "_debugSource");
  const file = member(source, "fileName");
  return typeof file === "string" ? place(file, Number(member(source, "lineNumber"))) : undefined;
}

/** React from 19 on keeps the stack of the call that made the element: in what the browser ran, for the source maps to read. */
function reactStack(element: Element): string {
  const stack = member(member(fiberOf(element), "_debugStack"), "stack");
  if (typeof stack !== "string") return "";
  const [own = ""] = frameLines(stack).split(/^.*react[-_]stack[-_]bottom[-_]frame.*$/m);
  return own.trim().split("\n").slice(0, MAX_FRAMES).join("\n");
}

function fiberOf(element: Element): unknown {
  const key = Object.keys(element).find((name) => name.startsWith("__reactFiber$"));
  return key === undefined ? undefined : member(element, key);
}

/** Vue knows the component's file only. */
function vuePlace(element: Element): Place | undefined {
  const file = member(member(member(element, "__vueParentComponent"), "type"), "__file");
  return typeof file === "string" ? place(file, 0) : undefined;
}

function place(file: string, line: number): Place {
  const shown = clip(oneLine(file), MAX_FILE);
  return Number.isInteger(line) && line > 0 ? { file: shown, line } : { file: shown };
}

/** Data of a framework on an element; a getter that throws tells nothing. */
function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const held: unknown = Reflect.get(value, key);
    return held;
  } catch {
    return undefined;
  }
}
