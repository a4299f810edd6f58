// The inspect bundle: loaded when a helper is first called, adds them all.

import type { CallAPI } from "../calls";
import type { Callable } from "../native";
import { getA11yInfo } from "./a11y";
import { click, fill } from "./act";
import { getBox, getComputed, getElementInfo, walkChildren, walkParents } from "./look";
import { press } from "./press";
import { highlight, indicator, pick } from "./show";
import { checkOverlap, findOverflows, getLayout, getStacking, isInViewport, isVisible } from "./space";
import { captureState, log } from "./state";
import { getContrast } from "./text-contrast";
import { waitFor } from "./wait";

declare global {
  interface Window {
    __devtool_api?: CallAPI;
  }
}

/** All there is to say about one element. */
function inspect(target: unknown): Readonly<Record<string, unknown>> {
  return {
    info: getElementInfo(target),
    box: getBox(target),
    style: getComputed(target).style,
    layout: getLayout(target),
    stacking: getStacking(target),
    visible: isVisible(target),
    viewport: isInViewport(target),
    a11y: getA11yInfo(target),
    contrast: getContrast(target),
  };
}

const helpers: readonly (readonly [name: string, help: string, run: Callable])[] = [
  ["getElementInfo", "getElementInfo(sel): what it is: attributes, text, box, framework component and its source. sel: a CSS selector or an element", getElementInfo],
  ["inspect", "inspect(sel): all of the below about one element", inspect],
  ["getComputed", "getComputed(sel, [names]?): computed style, by default what says something", getComputed],
  ["getBox", "getBox(sel): place, size, padding, border, margin (top, right, bottom, left)", getBox],
  ["getLayout", "getLayout(sel): display, flex and grid of it and around it, scroll sizes", getLayout],
  ["getStacking", "getStacking(sel): stacking contexts and why they are, what covers it", getStacking],
  ["walkChildren", "walkChildren(sel, depth = 2, limit = 100): the tree below", walkChildren],
  ["walkParents", "walkParents(sel): the way up", walkParents],
  ["isVisible", "isVisible(sel): {visible, because: every reason why not}", isVisible],
  ["isInViewport", "isInViewport(sel): {inViewport, share, where}", isInViewport],
  ["checkOverlap", "checkOverlap(a, b): do they overlap, how much, which is on top", checkOverlap],
  ["findOverflows", "findOverflows(sel?, limit = 20): content that does not fit, sideways scrolling first", findOverflows],
  ["highlight", "highlight(sel, {ms = 3000, label, color}?): boxes around elements, for a person to see", highlight],
  ["click", "click(sel): clicks, unless it is covered, hidden or disabled (events are not trusted: the browser tool's are)", click],
  ["fill", "fill(sel, value): input, textarea, select (value or label), checkbox (true or false), contenteditable", fill],
  ["press", 'press(key, sel?): "Enter", "a", "Control+K"; on sel or what has the focus', press],
  ["waitFor", "waitFor(sel | {selector, text, gone, idle, timeout = 5000}): until it is so", waitFor],
  ["captureState", "captureState(): URL, scroll, focus, fields, names in storage, calls", captureState],
  ["getA11yInfo", "getA11yInfo(sel): role, name, states, what is wrong with them", getA11yInfo],
  ["getContrast", "getContrast(sel): of the text with what is behind it, by WCAG 2", getContrast],
  ["log", "log(...words): a line in the console and in proxylog", log],
  ["pick", "pick({timeout = 25000}?): a person points at an element; gives its info, null on Escape", pick],
  ["indicator", "indicator(on = true): a small sign in the corner of the page", indicator],
];

for (const [name, help, run] of helpers) window.__devtool?.add(name, help, run);
