// The loading audit in the page: what the core recorded, judged.

import type { LoaderRecords } from "../../loader-record";
import { auditLoaders } from "./audit";
import type { LoadingReport } from "./types";

/** The loaders seen so far. Throws when the page's core does not record them. */
export function auditLoading(): LoadingReport {
  const read: unknown = window.__devtool === undefined ? undefined : Reflect.get(window.__devtool, "loaders");
  if (typeof read !== "function") throw new Error("the loaders are not recorded");
  const { records, dropped }: LoaderRecords = Reflect.apply(read, window.__devtool, []);
  return auditLoaders({
    loaders: records,
    actions: (window.__devtool_api?.getActions() ?? []).map((action) => action.time),
    dropped,
    at: performance.now(),
    now: Date.now(),
  });
}
