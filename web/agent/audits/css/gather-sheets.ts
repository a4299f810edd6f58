// The page's stylesheets and their rules.

import { startsDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import type { FailedFact, RuleFact, SheetFact } from "./facts";
import { isGenerated, isVendor, placeOf, styleFile } from "./origin";
import { shownAddress } from "../words";

/** A sheet on its way: what is known of it before its rules are read. */
interface Pending {
  readonly sheet: CSSStyleSheet;
  readonly owner: Element | undefined;
  readonly imported: number;
}

/** Where the rules of a group are added. */
interface Into {
  readonly sheet: number;
  readonly context: string;
  readonly pending: Pending[];
  readonly from: Pending;
}

export class Sheets {
  readonly sheets: SheetFact[] = [];
  readonly rules: RuleFact[] = [];
  readonly unreadable: number[] = [];
  readonly failed: FailedFact[] = [];
  /** Families that rules give to pseudo-elements: their text is in no element. */
  readonly pseudoFonts = new Set<string>();
  reducedMotion = false;
  private readonly elements: Elements;
  private readonly slice: Slice;
  private readonly lost: ReadonlySet<string>;

  /** lost: addresses of files that did not come. */
  constructor(elements: Elements, slice: Slice, lost: ReadonlySet<string>) {
    this.elements = elements;
    this.slice = slice;
    this.lost = lost;
  }

  async read(): Promise<void> {
    for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel~="stylesheet" i][href]')) {
      if (this.lost.has(link.href)) this.failed.push({ ref: this.elements.add(link), url: link.href, own: link.href.startsWith(`${location.origin}/`) });
    }
    const pending: Pending[] = [];
    for (const sheet of document.styleSheets) {
      const owner = sheet.ownerNode instanceof Element ? sheet.ownerNode : undefined;
      if (!sheet.disabled && (owner === undefined || !startsDevTool(owner)) && !isDevStyle(owner)) pending.push({ sheet, owner, imported: 0 });
    }
    for (const sheet of document.adoptedStyleSheets ?? []) pending.push({ sheet, owner: undefined, imported: 0 });
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) await this.sheet(next, pending);
  }

  private async sheet(from: Pending, pending: Pending[]): Promise<void> {
    // What did not come cannot be told from what may not be read.
    if (from.sheet.href !== null && this.lost.has(from.sheet.href)) return;
    const rules = rulesOf(from.sheet);
    if (rules === undefined) {
      if (from.owner !== undefined) this.unreadable.push(this.elements.add(from.owner));
      return;
    }
    const index = this.sheets.length;
    const before = this.rules.length;
    const url = from.sheet.href ?? "";
    const file = url === "" && from.owner !== undefined ? styleFile(from.owner) : "";
    const placeholder: SheetFact = { ref: undefined, url, place: undefined, chars: 0, rules: 0, vendor: false, generated: false, imported: from.imported };
    this.sheets.push(placeholder);
    await this.group(rules, { sheet: index, context: "", pending, from });
    const own = this.rules.slice(before);
    this.sheets[index] = {
      ...placeholder,
      ref: from.owner === undefined ? undefined : this.elements.add(from.owner),
      place: placeOf(url === "" ? file : shownAddress(url, location.origin)),
      chars: own.reduce((sum, rule) => sum + rule.chars, 0),
      rules: own.length,
      vendor: isVendor(url === "" ? file : url) || (url !== "" && !url.startsWith(`${location.origin}/`)),
      generated: url === "" && (from.owner === undefined || isGenerated(from.owner)),
    };
  }

  private async group(rules: CSSRuleList, into: Into): Promise<void> {
    for (const rule of rules) {
      if (this.slice.due()) await this.slice.rest();
      if (rule instanceof CSSStyleRule) this.style(rule, into);
      else if (rule instanceof CSSImportRule) this.follow(rule, into);
      else if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule || hasRules(rule)) {
        const prelude = rule.cssText.split("{", 1)[0]?.trim() ?? "";
        if (prelude.includes("prefers-reduced-motion")) this.reducedMotion = true;
        if (!/^@(?:-webkit-)?keyframes/.test(prelude)) await this.group(rule.cssRules, { ...into, context: `${into.context}${prelude}\n` });
      }
    }
  }

  private follow(rule: CSSImportRule, into: Into): void {
    if (rule.media.mediaText.includes("prefers-reduced-motion")) this.reducedMotion = true;
    if (rule.styleSheet !== null) into.pending.push({ sheet: rule.styleSheet, owner: into.from.owner, imported: into.from.imported + 1 });
  }

  private style(rule: CSSStyleRule, into: Into): void {
    const declarations = rule.style.cssText;
    const selector = rule.selectorText;
    const zIndex = declarations.includes("z-index") ? Number.parseInt(rule.style.zIndex, 10) : 0;
    this.rules.push({
      sheet: into.sheet,
      selector,
      context: into.context,
      declarations,
      chars: selector.length + declarations.length + 4,
      zIndex: Number.isNaN(zIndex) ? 0 : zIndex,
    });
    if (declarations.includes("font") && /::|:(?:before|after)/.test(selector)) {
      for (const family of rule.style.fontFamily.split(",")) this.pseudoFonts.add(familyName(family));
    }
    // Rules inside a rule: their selectors mean something only together with this one's.
    if (hasRules(rule) && rule.cssRules.length > 0 && rule.cssText.includes("prefers-reduced-motion")) this.reducedMotion = true;
  }
}

export function familyName(family: string): string {
  return family.trim().replace(/^["']|["']$/g, "").toLowerCase();
}

function rulesOf(sheet: CSSStyleSheet): CSSRuleList | undefined {
  try {
    return sheet.cssRules;
  } catch {
    return undefined; // another origin's, without leave
  }
}

function hasRules(rule: CSSRule): rule is CSSGroupingRule {
  return "cssRules" in rule;
}

/** Styles of development tools that stand in the page's head. */
function isDevStyle(owner: Element | undefined): boolean {
  return owner !== undefined && (owner.hasAttribute("data-nextjs-dev-overlay") || /^(?:__next|nextjs)[\w-]*dev|^_?tsqd/.test(owner.getAttribute("id") ?? ""));
}
