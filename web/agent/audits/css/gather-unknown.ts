// Declarations that the browser dropped. Only the text of style elements can
// tell; files are not fetched a second time for it.

import { isDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import { declarationsIn, misspelt } from "./declarations";
import type { UnknownFact } from "./facts";
import { isGenerated, isVendor, placeOf, styleFile } from "./origin";
import { STYLE_TEXT_MAX_CHARS } from "./thresholds";

export async function gatherUnknown(elements: Elements, slice: Slice): Promise<UnknownFact[]> {
  const out: UnknownFact[] = [];
  const known = new Map<string, boolean>();
  let properties: string[] | undefined;
  for (const element of document.querySelectorAll("style")) {
    if (slice.due()) await slice.rest();
    const text = element.textContent ?? "";
    if (text === "" || text.length > STYLE_TEXT_MAX_CHARS || !isCss(element) || isDevTool(element) || isGenerated(element)) continue;
    const file = styleFile(element);
    if (isVendor(file)) continue;
    for (const { property, line } of declarationsIn(text)) {
      const supported = known.get(property) ?? CSS.supports(property, "initial");
      known.set(property, supported);
      if (supported) continue;
      properties ??= allProperties();
      const suggestion = misspelt(property, properties);
      if (suggestion !== undefined) out.push({ ref: elements.add(element), property, suggestion, place: placeOf(file, line) });
    }
  }
  return out;
}

function isCss(element: Element): boolean {
  const type = (element.getAttribute("type") ?? "").trim().toLowerCase();
  return type === "" || type === "text/css";
}

/** The names of all properties of this browser. */
function allProperties(): string[] {
  return [...getComputedStyle(document.documentElement)].filter((name) => !name.startsWith("-"));
}
