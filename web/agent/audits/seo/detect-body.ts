// Languages, structured data and links.

import type { Fault } from "../fault";
import type { LinkFact, SeoFacts, StructuredFact } from "./facts";
import type { Rule } from "./rules";
import { HASH_ROUTES_MIN, WORDS_MIN } from "./thresholds";

type Found = Fault<Rule>[];

export function detectBody(facts: SeoFacts): Found {
  return [...languages(facts), ...structured(facts), ...links(facts), ...thin(facts)];
}

/** Codes that are often written for another: the country's for its language, or one that is no country's. */
const MISTAKEN: Readonly<Record<string, string>> = { uk: "gb", en: "gb", eu: "a country" };

/** Why a search engine will not read a language code; undefined when it will. */
export function langFault(code: string): string | undefined {
  if (code.toLowerCase() === "x-default") return undefined;
  const [language = "", ...rest] = code.split("-");
  if (!/^[a-z]{2,3}$/i.test(language) || !known("language", language.toLowerCase())) return `${language} is no language`;
  for (const part of rest) {
    if (/^[a-z]{4}$/i.test(part)) continue; // a script
    if (/^\d{3}$/.test(part)) continue; // a region by number
    if (!/^[a-z]{2}$/i.test(part)) return `${part} is no region`;
    const better = MISTAKEN[part.toLowerCase()];
    if (better !== undefined) return `${part} is no region, ${better} may be meant`;
    if (!known("region", part.toUpperCase())) return `${part} is no region`;
  }
  return undefined;
}

function known(type: "language" | "region", code: string): boolean {
  try {
    const name = new Intl.DisplayNames("en", { type, fallback: "none" }).of(code);
    return name !== undefined && name !== "Unknown Region";
  } catch {
    return false;
  }
}

function languages(facts: SeoFacts): Found {
  const found: Found = [];
  const wrong = facts.alternates.filter((link) => langFault(link.lang.trim()) !== undefined);
  const [first] = wrong;
  if (first !== undefined) {
    found.push({ rule: "hreflang-invalid", severity: "warning", refs: wrong.map((link) => link.ref), name: first.lang, other: langFault(first.lang.trim()) ?? "" });
  }
  const relative = facts.alternates.filter((link) => !/^https?:\/\//i.test(link.href.trim()));
  if (relative.length > 0) found.push({ rule: "hreflang-relative", severity: "warning", refs: relative.map((link) => link.ref), name: relative[0]?.href ?? "" });
  return found;
}

function structured(facts: SeoFacts): Found {
  const found: Found = [];
  const broken: StructuredFact[] = [];
  const untyped: StructuredFact[] = [];
  let near = "";
  for (const block of facts.structured) {
    try {
      const value: unknown = JSON.parse(block.text);
      if (!isTyped(value)) untyped.push(block);
    } catch (error) {
      if (broken.length === 0) near = nearError(block.text, error);
      broken.push(block);
    }
  }
  if (broken.length > 0) found.push({ rule: "structured-data-broken", severity: "warning", refs: broken.map((block) => block.ref), name: near });
  if (untyped.length > 0) found.push({ rule: "structured-data-untyped", severity: "warning", refs: untyped.map((block) => block.ref) });
  return found;
}

/** The text where reading ended, if the engine tells. */
function nearError(text: string, error: unknown): string {
  const at = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return at === undefined ? "" : text.slice(Math.max(0, Number(at) - 20), Number(at) + 10);
}

/** Every thing that is described says what it is; a graph is as good as its members. */
function isTyped(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isTyped);
  if (typeof value !== "object" || value === null) return false;
  const graph: unknown = Reflect.get(value, "@graph");
  if (graph !== undefined) return isTyped(graph);
  const type: unknown = Reflect.get(value, "@type");
  return typeof type === "string" ? type !== "" : Array.isArray(type) && type.length > 0;
}

/** What says nothing about where a link leads, in the languages met most. */
const VAGUE = /^(?:click here|click this|here|this|more|go|start|right here|read more|learn more|more info|link|hier|mehr|weiterlesen|mehr erfahren|ici|en savoir plus|lire la suite|aquí|leer más|más|clicca qui|leggi di più)[\s.…»›>→]*$/i;

function links(facts: SeoFacts): Found {
  const found: Found = [];
  const add = (rule: Rule, severity: "warning" | "info", some: readonly LinkFact[], name: string): void => {
    if (some.length > 0) found.push({ rule, severity, refs: some.map((link) => link.ref), name });
  };
  const followed = facts.links.filter((link) => !link.control);
  const closed = followed.filter(isClosed);
  add("link-not-crawlable", "warning", closed, closed[0]?.href ?? "no href");
  const silent = followed.filter((link) => leads(link) && link.text === "");
  add("link-no-text", "warning", silent, silent[0]?.href ?? "");
  const vague = followed.filter((link) => leads(link) && VAGUE.test(link.text));
  add("link-vague-text", "info", vague, vague[0]?.text ?? "");
  const hashes = followed.filter((link) => /^#!?\//.test(link.href ?? "") && !link.inPage);
  if (hashes.length >= HASH_ROUTES_MIN) add("hash-routing", "info", hashes, hashes[0]?.href ?? "");
  return found;
}

/** A link that only a script can follow. */
function isClosed(link: LinkFact): boolean {
  if (link.href === undefined) return link.onclick;
  const href = link.href.trim();
  if (/^javascript:/i.test(href)) return true;
  return link.onclick && (href === "" || href === "#");
}

/** Leads to another page. */
function leads(link: LinkFact): boolean {
  const href = link.href?.trim() ?? "";
  return href !== "" && !/^(?:#|javascript:|mailto:|tel:|sms:|data:|blob:)/i.test(href);
}

function thin(facts: SeoFacts): Found {
  return facts.words < WORDS_MIN ? [{ rule: "text-thin", severity: "info", amount: facts.words }] : [];
}
