// Waiting until the page is as wanted.

import { find, first } from "./find";
import { hiddenBecause } from "./space";
import { bounded, clipped, get, named } from "./words";

export interface Want {
  readonly selector?: string;
  readonly text?: string;
  /** Wait until it is not there any more. */
  readonly gone?: boolean;
  /** No fetch or XHR in flight for this many ms; true: 500. */
  readonly idle?: number | boolean;
  readonly timeout?: number;
}

export interface Waited {
  readonly ms: number;
  readonly element?: string;
}

const often = 50;

export function waitFor(what: unknown, more?: unknown): Promise<Waited> {
  const want = read(what, more);
  const begun = performance.now();
  const timeout = bounded(want.timeout, 5000, 0, 25_000);
  const quiet = idleWatch(want);
  return new Promise((done, failed) => {
    const stop = (): void => {
      clearInterval(timer);
      observer.disconnect();
    };
    const look = (): void => {
      try {
        const found = met(want) && quiet();
        const ms = Math.round(performance.now() - begun);
        if (found) {
          stop();
          const element = want.selector === undefined || want.gone === true ? null : first(want.selector);
          done({ ms, ...(element === null ? {} : { element: named(element) }) });
        } else if (ms > timeout) {
          stop();
          failed(new Error(`waited ${timeout} ms in vain for ${inWords(want)}`));
        }
      } catch (error) {
        stop();
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const timer = setInterval(look, often);
    const observer = new MutationObserver(look);
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    look();
  });
}

function read(what: unknown, more: unknown): Want {
  const given = typeof what === "string" ? { selector: what } : what;
  const options = typeof more === "number" ? { timeout: more } : more;
  const pick = (key: string): unknown => get(options, key) ?? get(given, key);
  const selector = pick("selector");
  const text = pick("text");
  const idle = pick("idle");
  const timeout = pick("timeout");
  if (typeof selector !== "string" && typeof text !== "string" && idle === undefined) throw new TypeError("waitFor needs a selector, or {selector, text, gone, idle, timeout}");
  if (typeof selector === "string") first(selector); // an invalid one is said at once
  return {
    ...(typeof selector === "string" ? { selector } : {}),
    ...(typeof text === "string" ? { text } : {}),
    ...(pick("gone") === true ? { gone: true } : {}),
    ...(typeof idle === "number" || idle === true ? { idle } : {}),
    ...(typeof timeout === "number" ? { timeout } : {}),
  };
}

function met(want: Want): boolean {
  if (want.selector === undefined && want.text === undefined) return true;
  const there = want.selector === undefined ? document.body : first(want.selector);
  const shown = there !== null && !hiddenBecause(there).some((why) => !why.startsWith("covered"));
  const says = there !== null && (want.text === undefined || visibleText(there).includes(want.text));
  const found = want.selector === undefined ? says : shown && says;
  return want.gone === true ? !found : found;
}

function visibleText(element: Element): string {
  return element instanceof HTMLElement ? element.innerText : (element.textContent ?? "");
}

/** Says whether the network has been quiet for long enough, each time it is asked. */
function idleWatch(want: Want): () => boolean {
  if (want.idle === undefined || want.idle === false) return () => true;
  const long = want.idle === true ? 500 : bounded(want.idle, 500, 0, 10_000);
  let since = performance.now();
  return () => {
    const flying = window.__devtool_api?.getStats().inFlight ?? 0;
    if (flying > 0) since = performance.now();
    return performance.now() - since >= long;
  };
}

function inWords(want: Want): string {
  const parts: string[] = [];
  if (want.selector !== undefined) parts.push(want.selector);
  if (want.text !== undefined) parts.push(`the text ${JSON.stringify(clipped(want.text, 80))}`);
  if (want.idle !== undefined) parts.push(`quiet on the network (${window.__devtool_api?.getStats().inFlight ?? 0} in flight)`);
  const all = parts.join(" with ") + (want.gone === true ? " to be gone" : "");
  return all + why(want);
}

function why(want: Want): string {
  if (want.selector === undefined || want.gone === true) return "";
  const there = first(want.selector);
  if (there === null) {
    try {
      find(want.selector);
    } catch (error) {
      return error instanceof Error ? `: ${error.message}` : "";
    }
    return "";
  }
  const because = hiddenBecause(there);
  if (because.length > 0) return `: it is there, but ${because.join(", ")}`;
  return want.text === undefined ? "" : `: it says ${JSON.stringify(clipped(visibleText(there), 120))}`;
}
