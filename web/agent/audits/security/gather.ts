// The only part of the security audit that touches the page. It reads; it
// changes nothing and asks the network for nothing.

import { isDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { AuditPageInput } from "../input";
import type { Slice } from "../slice";
import { resolve, whereOf } from "../where";
import type { FormFact, InsecureFact, ScriptFact, SecurityFacts } from "./facts";
import { gatherLibraries } from "./gather-libraries";
import { gatherSecrets } from "./gather-secrets";

export async function gather(input: AuditPageInput, elements: Elements, slice: Slice): Promise<SecurityFacts> {
  const page = new Page(elements, slice);
  const where = whereOf(input, location.href);
  return {
    where,
    headers: input.seen?.documentHeaders,
    cookies: input.seen?.cookies ?? [],
    strayCookies: strayCookies(new Set(input.seen?.cookies.map((cookie) => cookie.name))),
    metaPolicies: metas('meta[http-equiv="content-security-policy" i]'),
    metaReferrer: metas('meta[name="referrer" i]').pop() ?? "",
    scripts: await page.scripts(),
    insecure: await page.insecure(),
    forms: await page.forms(),
    passwords: await page.refs('input[type="password" i]', isShown),
    passwordsOff: await page.refs('input[type="password" i][autocomplete="off" i]', () => true),
    openers: await page.refs('a[target="_blank" i][rel~="opener" i]:not([rel~="noopener" i])', leavesSite),
    handlers: await page.handlers(),
    voidSandboxes: await page.refs('iframe[sandbox~="allow-scripts" i][sandbox~="allow-same-origin" i]', isOwnFrame),
    secrets: await gatherSecrets(elements, slice),
    libraries: gatherLibraries(),
  };
}

/** Names only: the values are nobody's business. */
function strayCookies(seen: ReadonlySet<string>): string[] {
  let all = "";
  try {
    all = document.cookie;
  } catch {
    // A page without an origin has none.
  }
  const names = all.split(";").map((pair) => (pair.split("=", 1)[0] ?? "").trim());
  return [...new Set(names)].filter((name) => name !== "" && !seen.has(name)).slice(0, STRAY_MAX);
}

/** A host has a few dozen; more is a page playing games. */
const STRAY_MAX = 100;

function metas(selector: string): string[] {
  return [...document.querySelectorAll(selector)].map((meta) => meta.getAttribute("content") ?? "");
}

function isShown(element: Element): boolean {
  return element.getClientRects().length > 0;
}

function leavesSite(element: Element): boolean {
  const at = resolve(element.getAttribute("href") ?? "", document.baseURI);
  return at !== undefined && /^https?:$/.test(at.protocol) && at.origin !== location.origin;
}

function isOwnFrame(element: Element): boolean {
  if (element.hasAttribute("srcdoc")) return true;
  const src = element.getAttribute("src") ?? "";
  return src !== "" && resolve(src, document.baseURI)?.origin === location.origin;
}

/** Which attribute an element loads from. Script, style and frame can change the page. */
const LOADED: readonly (readonly [selector: string, attribute: string, active: boolean])[] = [
  ["script[src]", "src", true],
  ['link[rel~="stylesheet" i][href]', "href", true],
  ["iframe[src]", "src", true],
  ["object[data]", "data", true],
  ["img[src]", "src", false],
  ["video[src], audio[src], source[src]", "src", false],
];

class Page {
  private readonly elements: Elements;
  private readonly slice: Slice;

  constructor(elements: Elements, slice: Slice) {
    this.elements = elements;
    this.slice = slice;
  }

  /** Those of the page's elements that fit, development tools left out. */
  private async *each(selector: string): AsyncGenerator<Element> {
    for (const element of document.querySelectorAll(selector)) {
      if (this.slice.due()) await this.slice.rest();
      if (!isDevTool(element)) yield element;
    }
  }

  async refs(selector: string, holds: (element: Element) => boolean): Promise<number[]> {
    const out: number[] = [];
    for await (const element of this.each(selector)) if (holds(element)) out.push(this.elements.add(element));
    return out;
  }

  async scripts(): Promise<ScriptFact[]> {
    const out: ScriptFact[] = [];
    for await (const element of this.each("script[src]")) {
      const url = resolve(element.getAttribute("src") ?? "", document.baseURI);
      if (url === undefined || url.origin === location.origin) continue;
      out.push({ ref: this.elements.add(element), url: url.href, integrity: (element.getAttribute("integrity") ?? "").trim() !== "" });
    }
    return out;
  }

  async insecure(): Promise<InsecureFact[]> {
    const out: InsecureFact[] = [];
    for (const [selector, attribute, active] of LOADED) {
      for await (const element of this.each(selector)) {
        const url = resolve(element.getAttribute(attribute) ?? "", document.baseURI);
        if (url?.protocol === "http:" && url.origin !== location.origin) out.push({ ref: this.elements.add(element), url: url.href, active });
      }
    }
    return out;
  }

  async forms(): Promise<FormFact[]> {
    const out: FormFact[] = [];
    for await (const element of this.each("form")) {
      out.push({
        ref: this.elements.add(element),
        action: element.getAttribute("action") ?? undefined,
        method: (element.getAttribute("method") ?? "get").toLowerCase(),
        password: element.querySelector('input[type="password" i]') !== null,
      });
    }
    return out;
  }

  /** Attributes are text, so that a handler set by a script is not taken for one. */
  async handlers(): Promise<number[]> {
    const out: number[] = [];
    for (const element of document.getElementsByTagName("*")) {
      if (this.slice.due()) await this.slice.rest();
      if (element.attributes.length > 0 && hasHandler(element) && !isDevTool(element)) out.push(this.elements.add(element));
    }
    return out;
  }
}

function hasHandler(element: Element): boolean {
  for (const { name, value } of element.attributes) {
    if (name.charCodeAt(0) === 111 && name.charCodeAt(1) === 110 && /^on[a-z]+$/.test(name) && name in element && value.trim() !== "") return true;
    // `javascript:void(0)` does nothing, and a policy that blocks it blocks nothing.
    if ((name === "href" || name === "action") && /^\s*javascript:(?!\s*(?:void\s*\(?\s*0\s*\)?|undefined|)\s*;*\s*$)/i.test(value)) return true;
  }
  return false;
}
