// Files: what blocks the first paint, what is heavy, what could be smaller.

import { counted, quoted, shownAddress } from "../words";
import type { PerformanceFacts, Resource } from "./facts";
import {
  BLOCKING_SHEET_SLOW_MS,
  BLOCKING_SHEETS_MAX,
  BYTES_INFO,
  BYTES_WARNING,
  COMPRESS_BYTES,
  COMPRESS_FILE_BYTES,
  REDIRECT_MS,
  REQUESTS_INFO,
  WEIGHTS,
} from "./thresholds";
import { kilobytes, ms } from "./told";
import type { Told } from "./told";

export function detectResources(facts: PerformanceFacts): Told[] {
  return [...blocking(facts), ...weight(facts), ...requests(facts), ...uncompressed(facts), ...fonts(facts), ...document(facts)];
}

function blocking(facts: PerformanceFacts): Told[] {
  const found: Told[] = [];
  const scripts = facts.resources.filter((file) => file.blocking && file.kind === "script");
  if (scripts.length > 0) {
    found.push({
      type: "render-blocking-script",
      severity: "warning",
      weight: WEIGHTS.renderBlockingScript,
      message: `${counted(scripts.length, "script")} in the head ${scripts.length === 1 ? "holds" : "hold"} up the first paint → add defer, or type="module"`,
      ...files(facts, scripts),
    });
  }
  const sheets = facts.resources.filter((file) => file.blocking && file.kind === "style");
  const slow = sheets.filter((file) => !file.sameOrigin || file.end - file.start >= BLOCKING_SHEET_SLOW_MS);
  const blamed = sheets.length > BLOCKING_SHEETS_MAX ? sheets : slow;
  if (blamed.length > 0) {
    const why = sheets.length > BLOCKING_SHEETS_MAX ? "hold up the first paint" : blamed.some((file) => !file.sameOrigin) ? "from another host before the first paint" : "slow to come before the first paint";
    found.push({
      type: "render-blocking-style",
      severity: "warning",
      weight: WEIGHTS.renderBlockingSheet,
      message: `${counted(blamed.length, "style sheet")} ${why} → join them, serve them yourself, or load them later`,
      ...files(facts, blamed),
    });
  }
  return found;
}

/** Code of a development server says nothing about the page that is deployed. */
function ownFiles({ resources, devServer }: PerformanceFacts): readonly Resource[] {
  return devServer === "" ? resources : resources.filter((file) => file.kind !== "script" && file.kind !== "style");
}

function weight(facts: PerformanceFacts): Told[] {
  const counting = ownFiles(facts);
  const bytes = counting.reduce((sum, file) => sum + file.encoded, 0);
  const all = facts.resources.reduce((sum, file) => sum + file.encoded, 0);
  const heaviest = [...counting].sort((a, b) => b.encoded - a.encoded);
  if (bytes > BYTES_INFO) {
    const heavy = bytes > BYTES_WARNING;
    return [
      {
        type: "heavy-page",
        severity: heavy ? "warning" : "info",
        weight: heavy ? WEIGHTS.bytesWarning : WEIGHTS.bytesInfo,
        message: `${kilobytes(bytes)} loaded → shrink or defer the largest: ${shownAddress(heaviest[0]?.url ?? "", facts.origin, 40)} (${kilobytes(heaviest[0]?.encoded ?? 0)})`,
        ...files(facts, heaviest.slice(0, 6)),
        count: counting.length,
      },
    ];
  }
  return all > BYTES_INFO ? [development("heavy-page", facts, `${kilobytes(all)} loaded, most of it code that the build will join and minify`)] : [];
}

function requests(facts: PerformanceFacts): Told[] {
  const counting = ownFiles(facts).length;
  if (counting > REQUESTS_INFO) {
    return [{ type: "many-requests", severity: "info", weight: WEIGHTS.requests, selector: facts.path, message: `${counting} files loaded → join small ones, load later what is not seen at once`, count: counting }];
  }
  const all = facts.resources.length;
  return all > REQUESTS_INFO ? [development("many-requests", facts, `${all} files loaded, one for each module`)] : [];
}

/** What only the development server does: told, not held against the page. */
function development(type: string, facts: PerformanceFacts, what: string): Told {
  return { type, severity: "info", weight: 0, selector: facts.path, message: `${what}: ${facts.devServer} development server, no judgement` };
}

const TEXT: readonly Resource["kind"][] = ["script", "style"];
const TEXT_FILES = /\.(?:js|mjs|css|json|svg|html?|xml|txt|wasm)$/i;

function uncompressed(facts: PerformanceFacts): Told[] {
  const found = facts.resources.filter((file) => {
    const text = TEXT.includes(file.kind) || TEXT_FILES.test(file.url.split(/[?#]/, 1)[0] ?? "");
    return text && file.encoded >= COMPRESS_FILE_BYTES && file.encoded >= file.decoded;
  });
  const bytes = found.reduce((sum, file) => sum + file.encoded, 0);
  if (bytes < COMPRESS_BYTES) return [];
  const free = facts.local || facts.devServer !== "";
  found.sort((a, b) => b.encoded - a.encoded);
  return [
    {
      type: "uncompressed",
      severity: free ? "info" : "warning",
      weight: free ? 0 : WEIGHTS.uncompressed,
      message: free
        ? `${counted(found.length, "text file")}, ${kilobytes(bytes)}, not compressed: usual on a developer's machine → compress them where it is deployed`
        : `${counted(found.length, "text file")}, ${kilobytes(bytes)}, not compressed → let the server send gzip, br or zstd`,
      ...files(facts, found),
    },
  ];
}

function fonts({ hidingFonts, path }: PerformanceFacts): Told[] {
  if (hidingFonts.length === 0) return [];
  return [
    {
      type: "font-display",
      severity: "warning",
      weight: WEIGHTS.fontDisplay,
      selector: path,
      message: `text in ${quoted(hidingFonts[0] ?? "")} is invisible until the font is there → add font-display: swap to its @font-face`,
      count: hidingFonts.length,
      examples: hidingFonts.slice(0, 5).map((family) => quoted(family)),
    },
  ];
}

function document(facts: PerformanceFacts): Told[] {
  const found: Told[] = [];
  if (facts.redirectMs > REDIRECT_MS) {
    const free = facts.local || facts.devServer !== "";
    found.push({
      type: "redirects",
      severity: "info",
      weight: free ? 0 : WEIGHTS.redirects,
      selector: facts.path,
      message: `${ms(facts.redirectMs)} spent on redirects before the page${free ? " on a developer's machine: no judgement" : ""} → link to the final address`,
    });
  }
  if (facts.noStore === true && !facts.local && facts.devServer === "") {
    found.push({ type: "no-store", severity: "info", weight: WEIGHTS.noStore, selector: facts.path, message: "Cache-Control: no-store keeps the page out of the back/forward cache → use no-cache unless it must not be kept" });
  }
  return found;
}

function files(facts: PerformanceFacts, list: readonly Resource[]): { selector: string; examples: string[]; count: number } {
  const shown = list.slice(0, 6).map((file) => shownAddress(file.url, facts.origin));
  return { selector: shown[0] ?? facts.path, examples: shown.slice(1), count: list.length };
}
