// What the head says about the page.

import type { Fault } from "../fault";
import { resolve } from "../where";
import type { MetaFact, SeoFacts } from "./facts";
import type { Rule } from "./rules";
import { DESCRIPTION_MAX_CHARS, DESCRIPTION_MIN_CHARS, TITLE_MAX_CHARS, TITLE_MIN_CHARS } from "./thresholds";

type Found = Fault<Rule>[];

/** Titles that a template came with. */
const GENERIC = /^(?:document|untitled(?: document| page)?|title|index|page|new page|test|react app|vite app|vite \+ [a-z]+(?: \+ ts)?|create next app|nuxt app|angular app|welcome to \S+|webpack app|parcel app|app|website)$/i;

export function metasNamed(facts: SeoFacts, name: string): MetaFact[] {
  return facts.metas.filter((meta) => meta.name === name);
}

export function detectHead(facts: SeoFacts): Found {
  return [...status(facts), ...robots(facts), ...titles(facts), ...descriptions(facts), ...basics(facts), ...viewport(facts), ...canonicals(facts), ...refreshes(facts), ...social(facts)];
}

function status(facts: SeoFacts): Found {
  return facts.status >= 400 ? [{ rule: "status-error", severity: "critical", amount: facts.status }] : [];
}

/** Test systems keep search engines out on purpose. */
function robots(facts: SeoFacts): Found {
  const meta = facts.metas.find((item) => (item.name === "robots" || item.name === "googlebot") && saysNoindex(item.text));
  const severity = facts.where.local ? "info" : "warning";
  if (meta !== undefined) return [{ rule: "noindex", severity, refs: [meta.ref], name: `<meta name="${meta.name}">` }];
  // A line may be for one crawler only: `otherbot: noindex`.
  const header = facts.robotsHeaders.some((line) => saysNoindex(line.replace(/^\s*googlebot\s*:/i, "")));
  return header ? [{ rule: "noindex", severity, name: "X-Robots-Tag" }] : [];
}

function saysNoindex(text: string): boolean {
  return text.toLowerCase().split(/[\s,]+/).some((word) => word === "noindex" || word === "none") && !/^\s*[a-z-]+bot\s*:/i.test(text);
}

function titles(facts: SeoFacts): Found {
  const found: Found = [];
  const [first, ...more] = facts.titles;
  const text = (first?.text ?? "").trim().replace(/\s+/g, " ");
  if (first === undefined || text === "") return [{ rule: "title-missing", severity: "critical", ...(first === undefined ? {} : { refs: [first.ref] }) }];
  if (more.length > 0) found.push({ rule: "title-several", severity: "warning", refs: facts.titles.map((title) => title.ref) });
  if (GENERIC.test(text)) found.push({ rule: "title-generic", severity: "info", refs: [first.ref], name: text });
  else if (text.length < TITLE_MIN_CHARS || text.length > TITLE_MAX_CHARS) found.push({ rule: "title-length", severity: "info", refs: [first.ref], amount: text.length });
  return found;
}

function descriptions(facts: SeoFacts): Found {
  const all = metasNamed(facts, "description");
  const said = all.filter((meta) => meta.text.trim() !== "");
  const [first] = said;
  if (first === undefined) return [{ rule: "description-missing", severity: "warning", ...(all.length === 0 ? {} : { refs: all.map((meta) => meta.ref) }) }];
  if (all.length > 1) return [{ rule: "description-several", severity: "warning", refs: all.map((meta) => meta.ref) }];
  const length = first.text.trim().length;
  const fits = length >= DESCRIPTION_MIN_CHARS && length <= DESCRIPTION_MAX_CHARS;
  return fits ? [] : [{ rule: "description-length", severity: "info", refs: [first.ref], amount: length }];
}

function basics(facts: SeoFacts): Found {
  const found: Found = [];
  // One that is hidden now is read by search engines; only those that are seen together compete.
  if (facts.headings.length === 0) found.push({ rule: "h1-missing", severity: "warning" });
  const shown = facts.headings.filter((heading) => heading.shown);
  if (shown.length > 1) found.push({ rule: "h1-several", severity: "info", refs: shown.map((heading) => heading.ref) });
  if (!isLanguageTag(facts.lang.trim())) found.push({ rule: "lang-missing", severity: "warning", name: facts.lang });
  if (facts.charset.toLowerCase() !== "utf-8") found.push({ rule: "charset", severity: "warning", name: facts.charset });
  if (facts.icons === 0) found.push({ rule: "favicon-missing", severity: "info" });
  return found;
}

/** A tag of the right form; whether anybody speaks it is not asked. */
export function isLanguageTag(tag: string): boolean {
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag);
}

function viewport(facts: SeoFacts): Found {
  const all = metasNamed(facts, "viewport");
  const [first] = all;
  if (first === undefined) return [{ rule: "viewport-missing", severity: "warning" }];
  const set = new Map(all.flatMap((meta) => meta.text.toLowerCase().split(/[,;]/)).map((part) => {
    const [key = "", value = ""] = part.split("=").map((side) => side.trim());
    return [key, value] as const;
  }));
  const width = set.get("width");
  // Either of the two makes a phone use its own width.
  const fits = width === "device-width" || (width === undefined && set.has("initial-scale"));
  return fits ? [] : [{ rule: "viewport-fixed", severity: "warning", refs: [first.ref], name: first.text }];
}

/** Where the page wants to be found. On a developer's machine it names the production site, and that is right. */
function canonicals(facts: SeoFacts): Found {
  const [first] = facts.canonicals;
  if (first === undefined) return facts.where.local ? [] : [{ rule: "canonical-missing", severity: "info" }];
  const refs = facts.canonicals.map((link) => link.ref);
  if (new Set(facts.canonicals.map((link) => link.text.trim())).size > 1) return [{ rule: "canonical-several", severity: "warning", refs }];
  const href = first.text.trim();
  const at = resolve(href, facts.where.url);
  if (href === "" || at === undefined) return [{ rule: "canonical-empty", severity: "warning", refs }];
  const found: Found = [];
  if (!/^https?:\/\//i.test(href)) found.push({ rule: "canonical-relative", severity: "info", refs, name: href });
  const home = /^\/(?:index\.\w+)?$/;
  if (home.test(at.pathname) && at.search === "" && !home.test(facts.where.path)) found.push({ rule: "canonical-root", severity: "warning", refs, name: href });
  else if (!facts.where.local && bare(at.hostname) !== bare(facts.where.host)) found.push({ rule: "canonical-elsewhere", severity: "info", refs, name: at.hostname });
  return found;
}

const bare = (host: string): string => host.replace(/^www\./, "");

function refreshes(facts: SeoFacts): Found {
  return facts.refreshes.map((meta) => {
    const leads = /[;,\s]\s*url\s*=/i.test(meta.text);
    return { rule: "meta-refresh", severity: leads ? "warning" : "info", refs: [meta.ref], name: meta.text, key: leads ? "url" : "reload" };
  });
}

/** What links to the page look like elsewhere. */
function social(facts: SeoFacts): Found {
  const found: Found = [];
  const has = (...names: readonly string[]): boolean => names.some((name) => metasNamed(facts, name).some((meta) => meta.text.trim() !== ""));
  const missing = [
    ...(has("og:title", "twitter:title") ? [] : ["og:title"]),
    ...(has("og:description", "twitter:description") ? [] : ["og:description"]),
    ...(has("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src") ? [] : ["og:image"]),
  ];
  if (missing.length > 0) found.push({ rule: "social-incomplete", severity: "info", name: missing.join(", ") });
  const images = facts.metas.filter((meta) => ["og:image", "og:image:url", "twitter:image"].includes(meta.name));
  const relative = images.filter((meta) => meta.text.trim() !== "" && !/^https?:\/\//i.test(meta.text.trim()));
  if (relative.length > 0) found.push({ rule: "social-image-relative", severity: "warning", refs: relative.map((meta) => meta.ref), name: relative[0]?.text ?? "" });
  return found;
}
