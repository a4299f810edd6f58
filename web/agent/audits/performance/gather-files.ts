// The files the page loaded, as the browser's resource timing has them.

import type { Resource } from "./facts";

const SCRIPTS = /\.(?:m?[jt]sx?|vue|svelte|astro)$/i;
const STYLES = /\.(?:css|s[ac]ss|less)$/i;
const FONTS = /\.(?:woff2?|ttf|otf|eot)$/i;
const IMAGES = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp)$/i;
const MEDIA = /\.(?:mp4|webm|mp3|ogg|wav|m4a|mov|m3u8|ts)$/i;

export function gatherFiles(): Resource[] {
  const sheets = new Set<string>();
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet"]')) sheets.add(link.href);
  const files: Resource[] = [];
  for (const entry of performance.getEntriesByType("resource")) {
    if (!(entry instanceof PerformanceResourceTiming) || !/^https?:/.test(entry.name)) continue;
    const sameOrigin = entry.name.startsWith(`${location.origin}/`);
    if (sameOrigin && entry.name.startsWith("/__devtool/", location.origin.length)) continue;
    files.push({
      url: entry.name,
      kind: kindOf(entry.name.split(/[?#]/, 1)[0] ?? "", entry.initiatorType, sheets.has(entry.name)),
      encoded: entry.encodedBodySize,
      decoded: entry.decodedBodySize,
      start: entry.startTime,
      end: entry.responseEnd,
      blocking: Reflect.get(entry, "renderBlockingStatus") === "blocking",
      sameOrigin,
    });
  }
  return files;
}

/** By who asked for it, then by name. */
export function kindOf(path: string, initiator: string, sheet: boolean): Resource["kind"] {
  if (sheet) return "style";
  if (initiator === "script") return "script";
  if (initiator === "img" || initiator === "image" || initiator === "input") return "image";
  if (initiator === "fetch" || initiator === "xmlhttprequest" || initiator === "beacon") return "fetch";
  if (initiator === "video" || initiator === "audio" || initiator === "track") return "media";
  if (STYLES.test(path)) return initiator === "other" ? "script" : "style";
  if (FONTS.test(path)) return "font";
  if (IMAGES.test(path)) return "image";
  if (SCRIPTS.test(path)) return "script";
  return MEDIA.test(path) ? "media" : "other";
}

/** Paths that only development servers have. */
const DEV_PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/@vite\/client$|\/@react-refresh$|\/node_modules\/\.vite\/|\/@id\/__x00__/, "Vite"],
  [/\/_next\/static\/(?:development\/|chunks\/.*(?:hmr-client|react-refresh|\[turbopack\]))|\/_next\/static\/webpack\/.*hot-update/, "Next.js"],
  [/\.hot-update\.(?:js|json)$|\/webpack-dev-server|\/__webpack_hmr$/, "webpack"],
  [/\/__parcel|\/@parcel\//, "Parcel"],
];

/** The name of the development server that the page comes from, or nothing. */
export function devServerOf(urls: Iterable<string>, globals: readonly string[]): string {
  for (const url of urls) {
    const path = url.split(/[?#]/, 1)[0] ?? "";
    for (const [pattern, name] of DEV_PATHS) if (pattern.test(path)) return name;
  }
  return globals.some((name) => name.startsWith("webpackHotUpdate")) ? "webpack" : "";
}
