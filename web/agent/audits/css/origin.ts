// Where a stylesheet comes from: its source file, whether somebody here wrote
// it, whether a script did.

import type { Place } from "../types";

/** Folders and names of what is installed, not written. */
const VENDOR =
  /(?:^|\/)(?:node_modules|vendors?|bower_components|\.pnpm|third[-_]?party|plugins)\/|^ace\/css\/|(?:^|[/_-])(?:bootstrap(?:-(?:icons|reboot|grid|utilities))?|font-?awesome|fontawesome-free|tailwind|normalize|modern-normalize|reset|animate|bulma|foundation|materialize|semantic|leaflet|swiper|slick|select2|datatables|dataTables\.\w+|jquery[\w.-]*|prism|highlight|katex|ionicons|all|swagger-ui|reveal|admin-?lte|overlayscrollbars)(?:[.-](?:min|bundle|rtl|[\w-]{6,12}))*\.css/i;

export function isVendor(path: string): boolean {
  return VENDOR.test(path.split(/[?#]/, 1)[0] ?? "");
}

/** Attributes that libraries put on the style elements they write. */
const GENERATED = ["data-emotion", "data-styled", "data-styled-version", "data-jss", "data-fela-type", "data-stitches", "data-glamor", "data-aphrodite", "data-rh", "data-mantine-styles", "data-linaria", "data-stylex"];

/** Whether a script writes this style while the page runs. */
export function isGenerated(element: Element): boolean {
  if (GENERATED.some((name) => element.hasAttribute(name))) return true;
  const id = element.getAttribute("id") ?? "";
  return /^(?:_goober|stitches|glamor|mantine|chakra)/.test(id);
}

/** How much of a map's text is read: the sources are in front. */
const MAP_MAX = 2 * 1024 * 1024;

/** The source file of a style element, as its dev server names it. */
export function styleFile(element: Element): string {
  const named = element.getAttribute("data-vite-dev-id") ?? element.getAttribute("data-file") ?? "";
  if (named !== "") return named.split("?", 1)[0] ?? "";
  const text = element.textContent ?? "";
  const tail = text.slice(-Math.min(text.length, MAP_MAX));
  const url = /\/\*[#@]\s*sourceURL=([^\s*]+)/.exec(tail)?.[1];
  if (url !== undefined) return clean(url);
  const map = /\/\*[#@]\s*sourceMappingURL=data:application\/json[^,]*;base64,([A-Za-z0-9+/=]+)/.exec(tail)?.[1];
  return map === undefined ? "" : clean(firstSource(map));
}

function firstSource(base64: string): string {
  try {
    const map: unknown = JSON.parse(atob(base64));
    const sources: unknown = typeof map === "object" && map !== null ? Reflect.get(map, "sources") : undefined;
    const first: unknown = Array.isArray(sources) ? sources[0] : undefined;
    return typeof first === "string" ? first : "";
  } catch {
    return "";
  }
}

function clean(source: string): string {
  return source.replace(/^webpack:\/\/(?:[^/]*\/)?(?:\.\/)?/, "").split("?", 1)[0] ?? "";
}

/** A place, when there is a file; the line only where the text is the source's own. */
export function placeOf(file: string, line?: number): Place | undefined {
  if (file === "") return undefined;
  return line !== undefined && /\.css$/i.test(file) ? { file, line } : { file };
}
