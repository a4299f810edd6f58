// How long the document took to be ready and to be loaded, by the clock: asking
// the browser for its own record would make it build what a page has no need
// of. The rest of what it measured is in the vitals bundle.

import { listen, now, timeOrigin } from "./native";
import type { Emit } from "./wire";

/** Tells both times when the page has loaded, then goes on; after the page's own load handlers, so that they do not wait. */
export function watchLoad(emit: Emit, then: () => void): void {
  let dcl = 0;
  let told = false;
  listen(document, "DOMContentLoaded", () => {
    dcl = now();
  });
  // It follows the load event, and needs no timer to come after all that listen to that.
  listen(globalThis, "pageshow", () => {
    if (told) return; // a page may write itself anew
    told = true;
    const load = now();
    const at = timeOrigin + load;
    if (dcl > 0) emit({ kind: "performance", name: "dcl", value: dcl, at });
    emit({ kind: "performance", name: "load", value: load, at });
    then();
  });
}
