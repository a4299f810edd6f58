// How long the document took to be ready and to be loaded, by the clock: asking
// the browser for its own record would make it build what a page has no need
// of. The rest of what it measured is in the vitals bundle.

import { listen, now, setTimer, timeOrigin } from "./native";
import type { Emit } from "./wire";

/** Tells both times when the page has loaded, then goes on; in a task of its own, so that the page's handlers do not wait. */
export function watchLoad(emit: Emit, then: () => void): void {
  let dcl = 0;
  let told = false;
  listen(document, "DOMContentLoaded", () => {
    dcl = now();
  });
  listen(globalThis, "load", () => {
    if (told) return; // a page may write itself anew
    told = true;
    const load = now();
    const at = timeOrigin + load;
    if (dcl > 0) emit({ kind: "performance", name: "dcl", value: dcl, at });
    emit({ kind: "performance", name: "load", value: load, at });
    setTimer(then, 0);
  });
}
