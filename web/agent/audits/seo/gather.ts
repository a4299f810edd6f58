// The only part of the SEO audit that touches the page.

import { isDevTool, startsDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import { headerValues } from "../input";
import type { AuditPageInput } from "../input";
import type { Slice } from "../slice";
import { whereOf } from "../where";
import type { HeadingFact, LinkFact, SeoFacts, TextFact } from "./facts";
import { LINKS_MAX, STRUCTURED_MAX_CHARS, WORDS_MIN } from "./thresholds";

export async function gather(input: AuditPageInput, elements: Elements, slice: Slice): Promise<SeoFacts> {
  const all = (selector: string, text: (element: Element) => string): TextFact[] =>
    [...document.querySelectorAll(selector)].filter((element) => !isDevTool(element)).map((element) => ({ ref: elements.add(element), text: text(element) }));
  const attribute = (name: string) => (element: Element) => element.getAttribute(name) ?? "";
  const own = (element: Element): string => element.textContent ?? "";
  return {
    where: whereOf(input, location.href),
    status: input.seen?.status ?? 0,
    robotsHeaders: headerValues(input, "x-robots-tag") ?? [],
    // A drawing's title is another element of that name.
    titles: all("title", own).filter(({ ref }) => elements.get(ref) instanceof HTMLTitleElement),
    metas: [...document.querySelectorAll("meta[name], meta[property]")].map((meta) => ({
      ref: elements.add(meta),
      name: (meta.getAttribute("property") ?? meta.getAttribute("name") ?? "").trim().toLowerCase(),
      text: meta.getAttribute("content") ?? "",
    })),
    headings: await gatherHeadings(elements, slice),
    lang: document.documentElement.getAttribute("lang") ?? document.documentElement.getAttribute("xml:lang") ?? "",
    charset: document.characterSet,
    canonicals: all('link[rel~="canonical" i]', attribute("href")),
    alternates: [...document.querySelectorAll('link[rel~="alternate" i][hreflang]')].map((link) => ({
      ref: elements.add(link),
      lang: link.getAttribute("hreflang") ?? "",
      href: link.getAttribute("href") ?? "",
    })),
    structured: all('script[type="application/ld+json" i]', own).filter((block) => block.text.length <= STRUCTURED_MAX_CHARS),
    refreshes: all('meta[http-equiv="refresh" i]', attribute("content")),
    icons: document.querySelectorAll('link[rel~="icon" i], link[rel~="apple-touch-icon" i], link[rel~="mask-icon" i]').length,
    links: await gatherLinks(elements, slice),
    words: await countWords(slice),
  };
}

function isRendered(element: Element | undefined): boolean {
  return element !== undefined && element.getClientRects().length > 0;
}

const HEADING = 'h1, [role="heading"][aria-level="1"]';

/** Headings of the first level; those of components are looked for only when the page itself has none. */
async function gatherHeadings(elements: Elements, slice: Slice): Promise<HeadingFact[]> {
  const fact = (heading: Element): HeadingFact => ({ ref: elements.add(heading), text: heading.textContent ?? "", shown: isRendered(heading) });
  const out = [...document.querySelectorAll(HEADING)].filter((heading) => !isDevTool(heading)).map(fact);
  const roots: (Document | ShadowRoot)[] = out.length === 0 ? [document] : [];
  for (let root = roots.pop(); root !== undefined && out.length === 0; root = roots.pop()) {
    for (const element of root.querySelectorAll("*")) {
      if (slice.due()) await slice.rest();
      const inner = startsDevTool(element) ? null : element.shadowRoot;
      if (inner === null) continue;
      out.push(...[...inner.querySelectorAll(HEADING)].map(fact));
      roots.push(inner);
    }
  }
  return out;
}

async function gatherLinks(elements: Elements, slice: Slice): Promise<LinkFact[]> {
  const out: LinkFact[] = [];
  for (const link of document.getElementsByTagName("a")) {
    if (slice.due()) await slice.rest();
    if (out.length >= LINKS_MAX) break;
    if (isDevTool(link) || (!link.hasAttribute("href") && !link.hasAttribute("onclick"))) continue;
    // What is not shown may get its text when it is.
    const text = nameOf(link);
    if (text === "" && !isRendered(link)) continue;
    out.push({
      ref: elements.add(link),
      href: link.getAttribute("href") ?? undefined,
      text,
      onclick: link.hasAttribute("onclick"),
      control: isControl(link),
      inPage: isInPage(link.getAttribute("href") ?? ""),
    });
  }
  return out;
}

const CONTROL_ROLES = /^(?:button|tab|menuitem|menuitemcheckbox|menuitemradio|option|switch|checkbox|treeitem)$/;

/** Something to press: it says so by its role, by what it opens, or by being for scripts alone. */
function isControl(link: Element): boolean {
  if (CONTROL_ROLES.test(link.getAttribute("role") ?? "")) return true;
  for (const { name } of link.attributes) {
    if (/^(?:aria-(?:haspopup|expanded|controls|pressed)|data-(?:bs-)?(?:toggle|dismiss|target|slide|slide-to|widget|lte-toggle|ride))$/.test(name)) return true;
  }
  return false;
}

/** Decks write `#/2/1` for a slide by its number and `#/end` for one by its id: both are there already. */
function isInPage(href: string): boolean {
  const [, rest] = /^#!?\/(.+)$/.exec(href) ?? [];
  const parts = rest?.split("/").filter((part) => part !== "") ?? [];
  const [first] = parts;
  if (first === undefined) return false;
  return parts.every((part) => /^\d+$/.test(part)) || document.getElementById(decoded(first)) !== null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Roughly the name that assistive technology gives it; the text comes first, because it is what crawlers read. */
function nameOf(link: Element): string {
  const text = (link.textContent ?? "").trim().replace(/\s+/g, " ");
  if (text !== "") return text;
  const labelled = (link.getAttribute("aria-labelledby") ?? "").split(/\s+/).map((id) => (id === "" ? "" : (document.getElementById(id)?.textContent ?? "").trim()));
  const said = [link.getAttribute("aria-label"), ...labelled, link.getAttribute("title")].find((value) => value !== null && value !== undefined && value.trim() !== "");
  if (said !== undefined && said !== null) return said.trim();
  for (const inside of link.querySelectorAll("img[alt], input[alt], [aria-label], svg title, [title]")) {
    const alt = inside.getAttribute("alt") ?? inside.getAttribute("aria-label") ?? inside.getAttribute("title") ?? inside.textContent ?? "";
    if (alt.trim() !== "") return alt.trim();
  }
  // Text may be in a shadow tree that belongs to a component inside.
  return [...link.querySelectorAll("*")].some((inside) => inside.shadowRoot !== null || inside.localName.includes("-")) ? "…" : "";
}

/** Visible words, counted no further than is needed; shadow trees that are open count. */
async function countWords(slice: Slice): Promise<number> {
  let words = 0;
  const roots: Node[] = document.body === null ? [] : [document.body];
  for (let root = roots.pop(); root !== undefined && words < WORDS_MIN; root = roots.pop()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) => {
      if (!(node instanceof Element)) return NodeFilter.FILTER_ACCEPT;
      return /^(?:script|style|noscript|template)$/.test(node.localName) || startsDevTool(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    });
    for (let node = walker.nextNode(); node !== null && words < WORDS_MIN; node = walker.nextNode()) {
      if (slice.due()) await slice.rest();
      if (node instanceof Element) {
        if (node.shadowRoot !== null) roots.push(node.shadowRoot);
        continue;
      }
      const text = (node.nodeValue ?? "").trim();
      if (text !== "" && isRendered(node.parentElement ?? undefined)) words += wordsIn(text);
    }
  }
  return words;
}

/** Scripts that leave no space between words have about one for each two characters. */
function wordsIn(text: string): number {
  const dense = text.match(/[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/g)?.length ?? 0;
  return text.split(/\s+/).length + Math.floor(dense / 2);
}
