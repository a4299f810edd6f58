// What the rasteriser loses of a page, put back into the copy that it draws.

import type { CaptureContext, SnapdomPlugin } from "@zumer/snapdom";

export const mend: SnapdomPlugin = {
  name: "oriel-mend",
  afterClone(context: CaptureContext) {
    const { clone } = context;
    if (!(clone instanceof Element)) return;
    // Nothing collapses with the root's margins; in the copy the root is a block like any other.
    if (clone instanceof HTMLElement && context.element === document.documentElement) clone.style.display = "flow-root";
    stops(clone);
  },
  beforeRender({ nodeMap }: CaptureContext) {
    if (!(nodeMap instanceof Map)) return;
    for (const [copy, live] of nodeMap) if (copy instanceof HTMLElement && live instanceof HTMLElement) margins(copy, live);
  },
};

/** The library takes the margins of some elements for ones that collapsed with the root's. */
function margins(copy: HTMLElement, live: HTMLElement): void {
  if (copy.style.marginTop === "" && copy.style.marginBottom === "") return;
  if (live === document.documentElement) return;
  const { marginTop, marginBottom } = getComputedStyle(live);
  Object.assign(copy.style, { marginTop, marginBottom });
}

/** The colours of gradients, which a style sheet may give and which are in no rendered element. */
function stops(clone: Element): void {
  for (const gradient of clone.querySelectorAll("linearGradient[id], radialGradient[id]")) {
    const live = document.getElementById(gradient.id)?.querySelectorAll("stop");
    gradient.querySelectorAll("stop").forEach((stop, i) => {
      const from = live?.[i];
      if (from === undefined) return;
      const style = getComputedStyle(from);
      stop.setAttribute("stop-color", style.getPropertyValue("stop-color"));
      stop.setAttribute("stop-opacity", style.getPropertyValue("stop-opacity"));
    });
  }
}
