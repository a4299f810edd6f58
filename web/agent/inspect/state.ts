// The page at one moment, and a line in the log. Values that may be secret
// (passwords, what is stored, cookies) are counted, not told.

import { valueOf } from "./look";
import { clipped, named, round } from "./words";

const mostFields = 60;
const mostKeys = 40;

export function captureState(): Readonly<Record<string, unknown>> {
  const active = document.activeElement;
  return {
    url: location.href.slice(0, 1000),
    title: clipped(document.title, 200),
    at: new Date().toISOString(),
    readyState: document.readyState,
    viewport: { width: innerWidth, height: innerHeight, ratio: devicePixelRatio },
    scroll: { x: round(scrollX), y: round(scrollY), width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight },
    focus: active === null || active === document.body ? null : named(active),
    visible: document.visibilityState === "visible",
    online: navigator.onLine,
    prefers: { dark: matchMedia("(prefers-color-scheme: dark)").matches, reducedMotion: matchMedia("(prefers-reduced-motion: reduce)").matches },
    elements: document.querySelectorAll("*").length,
    dialogs: [...document.querySelectorAll("dialog[open], [role=dialog], [role=alertdialog]")].slice(0, 10).map(named),
    fields: fields(),
    storage: { local: stored(() => localStorage), session: stored(() => sessionStorage), cookies: cookies() },
    selection: clipped(getSelection()?.toString() ?? "", 200),
    calls: calls(),
  };
}

function fields(): readonly { readonly field: string; readonly value: string }[] {
  const all = document.querySelectorAll("input:not([type=hidden]):not([type=submit]):not([type=button]), textarea, select");
  return [...all].slice(0, mostFields).map((field) => ({ field: named(field), value: valueOf(field) ?? "" }));
}

/** Names and lengths. A page may forbid its storage to anybody. */
function stored(open: () => Storage): Readonly<Record<string, number>> | string {
  try {
    const storage = open();
    const out: Record<string, number> = {};
    for (let i = 0; i < Math.min(storage.length, mostKeys); i++) {
      const key = storage.key(i) ?? "";
      out[clipped(key, 80)] = storage.getItem(key)?.length ?? 0;
    }
    return out;
  } catch {
    return "not accessible";
  }
}

function cookies(): readonly string[] | string {
  try {
    return document.cookie.split(";").map((cookie) => clipped(cookie.split("=", 1)[0] ?? "", 80)).filter((name) => name !== "").slice(0, mostKeys);
  } catch {
    return "not accessible";
  }
}

function calls(): Readonly<Record<string, number>> {
  const stats = window.__devtool_api?.getStats();
  return stats === undefined ? {} : { total: stats.total, failed: stats.failed, inFlight: stats.inFlight };
}

/** Writes to the console, and so to proxylog. */
export function log(...words: unknown[]): { readonly logged: number } {
  // oxlint-disable-next-line no-console -- it is what the helper is for
  console.log(...words.slice(0, 20));
  return { logged: Math.min(words.length, 20) };
}
