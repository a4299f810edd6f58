// Everything the performance audit looks at.

import type { Elements } from "../fault";
import { headerValues } from "../input";
import type { AuditPageInput } from "../input";
import type { Slice } from "../slice";
import { whereOf } from "../where";
import type { PerformanceFacts, Resource } from "./facts";
import { devServerOf, gatherFiles } from "./gather-files";
import { gatherPictures } from "./gather-pictures";
import { gatherVitals } from "./gather-vitals";

export async function gather(input: AuditPageInput, elements: Elements, slice: Slice): Promise<PerformanceFacts> {
  const actions = (window.__devtool_api?.getActions() ?? []).map((action) => action.time);
  const vitals = await gatherVitals(elements, Math.min(Infinity, ...actions));
  const resources = gatherFiles();
  const navigation = performance.getEntriesByType("navigation")[0];
  return {
    path: location.pathname,
    origin: location.origin,
    local: whereOf(input, location.href).local,
    devServer: devServerOf([...resources.map((file) => file.url), ...[...document.scripts].map((script) => script.src)], Object.getOwnPropertyNames(window)),
    density: window.devicePixelRatio,
    vitals,
    resources,
    pictures: await gatherPictures(resources, elements, slice),
    hidingFonts: hidingFonts(resources),
    redirectMs: navigation instanceof PerformanceNavigationTiming ? navigation.redirectEnd - navigation.redirectStart : 0,
    noStore: headerValues(input, "cache-control")?.some((value) => /\bno-store\b/i.test(value)),
  };
}

/** Icons mean nothing in another font: hiding them is right. */
const ICONS = /icon|awesome|symbol|glyph|emoji/i;

function hidingFonts(files: readonly Resource[]): string[] {
  // Fonts that were not loaded from files are there at once.
  if (!files.some((file) => file.kind === "font")) return [];
  const families = new Set<string>();
  document.fonts.forEach((face) => {
    const family = face.family.replace(/^["']|["']$/g, "");
    if (face.status === "loaded" && (face.display === "auto" || face.display === "block") && !ICONS.test(family)) families.add(family);
  });
  return [...families];
}
