// The CSS audit's detectors. Pure.

import type { Fault } from "../fault";
import type { CssFacts, RuleFact, SheetFact } from "./facts";
import type { Rule } from "./rules";
import { idsIn, isUtility, splitList } from "./selectors";
import * as limits from "./thresholds";

type Found = Fault<Rule>[];

export function detect(facts: CssFacts): Found {
  return [...layout(facts), ...unknown(facts), ...sheets(facts), ...usage(facts), ...style(facts), ...motion(facts), ...notes(facts)];
}

function layout(facts: CssFacts): Found {
  const found: Found = [];
  const [widest] = facts.overflows;
  if (widest !== undefined) {
    found.push({ rule: "horizontal-overflow", severity: "warning", refs: facts.overflows.map((item) => item.ref), amount: widest.px, name: String(facts.viewport) });
  }
  const tiny = facts.tinyTexts.filter((item) => item.px < limits.TEXT_MIN_PX);
  const smallest = Math.min(...tiny.map((item) => item.px));
  if (tiny.length > 0) found.push({ rule: "text-tiny", severity: "warning", refs: tiny.map((item) => item.ref), amount: smallest });
  return found;
}

/** One finding for each property: each is another word to correct. */
function unknown(facts: CssFacts): Found {
  const found = new Map<string, Fault<Rule>>();
  for (const item of facts.unknown) {
    const before = found.get(item.property);
    found.set(item.property, {
      rule: "unknown-property",
      severity: "warning",
      refs: before?.refs ?? [item.ref],
      count: (before?.count ?? 0) + 1,
      name: item.property,
      other: item.suggestion,
      key: item.property,
      ...placed(before ?? item),
    });
  }
  return [...found.values()];
}

function placed(item: Pick<SheetFact, "place"> | Fault<Rule>): Pick<Fault<Rule>, "place"> {
  return item.place === undefined ? {} : { place: item.place };
}

function owner(sheet: SheetFact): Pick<Fault<Rule>, "refs"> {
  return sheet.ref === undefined ? {} : { refs: [sheet.ref] };
}

function sheets(facts: CssFacts): Found {
  const found: Found = [];
  const seen = new Set<string>();
  for (const sheet of facts.sheets) {
    if (sheet.url !== "" && sheet.rules > 0 && seen.has(sheet.url)) found.push({ rule: "stylesheet-twice", severity: "warning", ...owner(sheet), count: 1, name: sheet.url, key: sheet.url, ...placed(sheet) });
    seen.add(sheet.url);
  }
  for (const lost of facts.failed.filter((item) => item.own)) found.push({ rule: "stylesheet-failed", severity: "warning", refs: [lost.ref], name: lost.url, key: lost.url });
  // The machine may be offline.
  const foreign = facts.failed.filter((item) => !item.own);
  if (foreign.length > 0) found.push({ rule: "stylesheet-failed", severity: "info", refs: foreign.map((item) => item.ref), name: foreign[0]?.url ?? "", key: "elsewhere" });
  const imported = facts.sheets.filter((sheet) => sheet.imported > 0);
  const deepest = Math.max(0, ...imported.map((sheet) => sheet.imported));
  if (deepest > 0) {
    const chain = deepest >= limits.IMPORT_CHAIN;
    const first = imported.find((sheet) => sheet.imported === deepest);
    found.push({ rule: "import-chain", severity: chain ? "warning" : "info", ...(first === undefined ? {} : owner(first)), count: imported.length, amount: deepest, name: first?.url ?? "" });
  }
  for (const sheet of facts.sheets) {
    if (sheet.generated || sheet.chars <= limits.SHEET_INFO_CHARS) continue;
    const severity = sheet.chars > limits.SHEET_WARNING_CHARS ? "warning" : "info";
    found.push({ rule: "stylesheet-large", severity, ...owner(sheet), count: 1, amount: sheet.chars, name: sheet.url, key: sheet.url, ...placed(sheet) });
  }
  return found;
}

/** A page shows one of its states, and a sheet serves many pages: a note, and only when it is much. */
function usage(facts: CssFacts): Found {
  const use = facts.usage;
  if (use === undefined || use.rules === 0) return [];
  const share = use.unused / use.rules;
  if (share <= limits.UNUSED_SHARE || use.unusedChars <= limits.UNUSED_MIN_CHARS) return [];
  return [{ rule: "unused-rules", severity: "info", amount: Math.round(share * 100), count: use.unused, name: String(Math.round(use.unusedChars / 1024)) }];
}

/** Rules that somebody here wrote by hand. */
function ownRules(facts: CssFacts): RuleFact[] {
  return facts.rules.filter((rule) => {
    const sheet = facts.sheets[rule.sheet];
    return sheet !== undefined && !sheet.vendor && !sheet.generated;
  });
}

function style(facts: CssFacts): Found {
  const rules = ownRules(facts);
  return [...important(facts, rules), ...specific(facts, rules), ...duplicates(facts, rules), ...stacking(facts, rules)];
}

/** The sheet that has most of them is where to begin. */
function worst(facts: CssFacts, rules: readonly RuleFact[]): Pick<Fault<Rule>, "refs" | "place"> {
  const counts = new Map<number, number>();
  for (const rule of rules) counts.set(rule.sheet, (counts.get(rule.sheet) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  const sheet = most === undefined ? undefined : facts.sheets[most[0]];
  return sheet === undefined ? {} : { ...owner(sheet), ...placed(sheet) };
}

function important(facts: CssFacts, rules: readonly RuleFact[]): Found {
  const counted = rules.filter((rule) => !isUtility(rule.selector) && !/prefers-reduced-motion|print|forced-colors/.test(rule.context));
  let all = 0;
  let marked = 0;
  const guilty: RuleFact[] = [];
  for (const rule of counted) {
    const declarations = rule.declarations.split(";").filter((text) => text.includes(":"));
    const here = declarations.filter((text) => /!\s*important/.test(text)).length;
    all += declarations.length;
    marked += here;
    if (here > 0) guilty.push(rule);
  }
  const share = all === 0 ? 0 : marked / all;
  if (marked < limits.IMPORTANT_MIN || share <= limits.IMPORTANT_INFO_SHARE) return [];
  const severity = share > limits.IMPORTANT_WARNING_SHARE ? "warning" : "info";
  return [{ rule: "important-overuse", severity, ...worst(facts, guilty), count: marked, amount: Math.round(share * 100) }];
}

function specific(facts: CssFacts, rules: readonly RuleFact[]): Found {
  const isStrong = (part: string): boolean => idsIn(part) >= limits.SPECIFIC_IDS;
  const strong = rules.filter((rule) => splitList(rule.selector).some(isStrong));
  const [first] = strong;
  if (first === undefined || strong.length < limits.SPECIFIC_MIN) return [];
  return [{ rule: "specificity-high", severity: "info", ...worst(facts, strong), count: strong.length, name: splitList(first.selector).find(isStrong) ?? "" }];
}

/** Word for word, under the same conditions, in one sheet. Across sheets a dev server may have its reasons. */
function duplicates(facts: CssFacts, rules: readonly RuleFact[]): Found {
  const seen = new Set<string>();
  const again: RuleFact[] = [];
  for (const rule of rules) {
    const key = `${rule.sheet}\n${rule.context}\n${rule.selector}\n${rule.declarations}`;
    if (rule.declarations !== "" && seen.has(key)) again.push(rule);
    seen.add(key);
  }
  if (again.length < limits.DUPLICATE_MIN) return [];
  return [{ rule: "duplicate-rules", severity: "info", ...worst(facts, again), count: again.length, name: again[0]?.selector ?? "" }];
}

function stacking(facts: CssFacts, rules: readonly RuleFact[]): Found {
  const high = rules.filter((rule) => rule.zIndex > limits.Z_INDEX_MAX).sort((a, b) => b.zIndex - a.zIndex);
  const [top] = high;
  return top === undefined ? [] : [{ rule: "z-index-escalation", severity: "info", ...worst(facts, high), count: high.length, amount: top.zIndex, name: top.selector }];
}

const LAYOUT = /^(?:top|left|right|bottom|inset\w*|width|height|(?:min|max)(?:Width|Height)|(?:margin|padding|border)\w*|fontSize|lineHeight|gap|rowGap|columnGap|flexBasis|blockSize|inlineSize)$/;
const BORDER_PAINT = /^border\w*(?:Color|Radius|Image\w*|Style)$|^borderColor$/;
const MOVES = /^(?:transform|translate|rotate|scale|offset\w*|top|left|right|bottom|inset\w*|margin\w*|backgroundPosition\w*)$/;

function motion(facts: CssFacts): Found {
  const found: Found = [];
  const heavy = facts.endless.filter((item) => item.properties.some((name) => LAYOUT.test(name) && !BORDER_PAINT.test(name)));
  const [first] = heavy;
  if (first !== undefined) {
    const names = [...new Set(first.properties.filter((name) => LAYOUT.test(name) && !BORDER_PAINT.test(name)))];
    found.push({ rule: "layout-animation", severity: "warning", refs: heavy.map((item) => item.ref), name: names.slice(0, 3).join(", "), other: first.name });
  }
  const moving = facts.endless.filter((item) => item.area >= limits.MOTION_MIN_AREA && item.properties.some((name) => MOVES.test(name)));
  // A sheet that cannot be read may well ask.
  if (moving.length > 0 && !facts.reducedMotion && facts.unreadable.length + facts.failed.length === 0) {
    found.push({ rule: "motion-not-reduced", severity: "info", refs: moving.map((item) => item.ref), name: moving[0]?.name ?? "" });
  }
  return found;
}

function notes(facts: CssFacts): Found {
  const found: Found = [];
  if (facts.unusedFonts.length > 0) found.push({ rule: "font-unused", severity: "info", count: facts.unusedFonts.length, name: facts.unusedFonts[0] ?? "" });
  if (facts.unreadable.length > 0) found.push({ rule: "stylesheet-unreadable", severity: "info", refs: facts.unreadable });
  return found;
}
