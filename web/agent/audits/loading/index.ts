// The loading audit in the page: what the core recorded, judged.

import type { LoaderRecord, LoaderRecords } from "../../loader-record";
import { auditLoaders } from "./audit";
import type { LoadingReport } from "./types";

/** The loaders seen so far. Throws when the page's core does not record them. */
export function auditLoading(): LoadingReport {
  const read: unknown = window.__devtool === undefined ? undefined : Reflect.get(window.__devtool, "loaders");
  if (typeof read !== "function") throw new Error("the loaders are not recorded");
  const { records, dropped }: LoaderRecords = Reflect.apply(read, window.__devtool, []);
  return auditLoaders({
    loaders: records,
    within: withinOf(records),
    actions: (window.__devtool_api?.getActions() ?? []).map((action) => action.time),
    dropped,
    at: performance.now(),
    now: Date.now(),
  });
}

/** What the regions are in, as far as they are still there. A loader that stood in no part of the page says nothing of where the next one is. */
function withinOf(records: readonly LoaderRecord[]): Map<string, string[]> {
  const containers = new Map<Element, string>();
  for (const name of new Set(records.map((record) => record.container))) {
    const element = only(name);
    if (element !== undefined && element !== document.body && element !== document.documentElement) containers.set(element, name);
  }
  const within = new Map<string, string[]>();
  for (const region of new Set(records.map((record) => record.region))) {
    const around: string[] = [];
    for (let at = only(region)?.parentElement ?? null; at !== null; at = at.parentElement) {
      const name = containers.get(at);
      if (name !== undefined) around.push(name);
    }
    within.set(region, around);
  }
  return within;
}

/** The one element that a recorded path fits; paths into shadow trees fit none. */
function only(path: string): Element | undefined {
  try {
    const found = document.querySelectorAll(path);
    return found.length === 1 ? found[0] : undefined;
  } catch {
    return undefined;
  }
}
