// The accessibility audit without a page: what axe-core found, scored and worded.

import { reportOf } from "../report";
import type { Draft } from "../report";
import type { Report, Source } from "../types";
import { clip, counted, MESSAGE_MAX, oneLine, shownAddress } from "../words";
import { ADVICE } from "./advice";
import type { AxeRule, Impact } from "./outcome";
import { IMPACT_SEVERITIES, IMPACT_WEIGHTS, THRESHOLDS } from "./thresholds";

/** A rule whose elements are told by selectors, the first few of them. */
export interface ToldRule extends Omit<AxeRule, "elements">, Source {
  readonly count: number;
  readonly selectors: readonly string[];
  /** The frame it was found in: its selector in the page, and its address. */
  readonly frame?: { readonly selector: string; readonly path: string };
}

export interface AccessibilityInput {
  readonly violations: readonly ToldRule[];
  readonly undecided: readonly ToldRule[];
  /** Elements of the page. */
  readonly elements: number;
  /** Frames whose inside was not looked at. */
  readonly frames: number;
  readonly path: string;
  readonly now: number;
}

const IMPACTS: readonly Impact[] = ["critical", "serious", "moderate", "minor"];

/** Pure: same input, same report. */
export function auditRules(input: AccessibilityInput): Report {
  const violations = [...input.violations].sort((a, b) => IMPACTS.indexOf(a.impact) - IMPACTS.indexOf(b.impact) || (a.rule < b.rule ? -1 : 1));
  const drafts = violations.map((rule) => draft(rule, input.path));
  if (input.undecided.length > 0) drafts.push(undecided(input));
  if (input.frames > 0) drafts.push(frames(input));
  return reportOf({ audit: "accessibility", quality: "Accessibility", things: "elements", analyzed: input.elements, drafts, thresholds: THRESHOLDS, now: input.now });
}

function draft(rule: ToldRule, path: string): Draft {
  // What is inside a frame has no selector in the page.
  const [selector = path, ...examples] = rule.frame === undefined ? rule.selectors : [rule.frame.selector];
  return {
    type: rule.rule,
    severity: IMPACT_SEVERITIES[rule.impact],
    selector,
    ...(rule.frame === undefined ? {} : { key: rule.frame.path }),
    message: message(rule),
    weight: IMPACT_WEIGHTS[rule.impact],
    count: rule.count,
    examples,
    help: rule.helpUrl,
    ...(rule.place === undefined ? {} : { place: rule.place }),
    ...(rule.stacks === undefined ? {} : { stacks: rule.stacks }),
  };
}

/** `Images must have alternative text (3 elements) → add alt …`; what to change is never cut. */
function message(rule: ToldRule): string {
  const change = clip(ADVICE[rule.rule] ?? oneLine(rule.details[0] ?? "see the help page"), ADVICE_MAX);
  const many = rule.count > 1 ? ` (${counted(rule.count, "element")})` : "";
  const figures = rule.rule === "color-contrast" ? contrast(rule.details) : undefined;
  const tail = figures === undefined ? `${many} → ${change}` : `${many}: ${figures} → ${change}`;
  const wrong = figures === undefined ? oneLine(rule.help).replace(/\.$/, "") : "Text must stand out from its background";
  const where = rule.frame === undefined ? "" : `in the frame ${shownAddress(rule.frame.path, "", 30)}, ${clip(oneLine(rule.selectors[0] ?? ""), 30)}: `;
  return `${where}${clip(wrong, MESSAGE_MAX - where.length - tail.length)}${tail}`;
}

/** What is wrong must have room as well. */
const ADVICE_MAX = 70;

/** `contrast 2.3 of 4.5, #aaa on #fff` of the first element. */
function contrast(details: readonly string[]): string | undefined {
  for (const detail of details) {
    const found = /contrast of ([\d.]+) \(foreground color: (#[0-9a-f]+), background color: (#[0-9a-f]+).*ratio of ([\d.]+)/i.exec(detail);
    if (found !== null) return `contrast ${found[1]} of ${found[4]}, ${found[2]} on ${found[3]}`;
  }
  return undefined;
}

/** Told, not held against the page: nobody knows yet. */
function undecided(input: AccessibilityInput): Draft {
  const rules = input.undecided.map((rule) => `${rule.rule} (${rule.count})`).join(", ");
  return {
    type: "needs-review",
    severity: "info",
    selector: input.undecided.map(shownAt)[0] ?? input.path,
    message: `axe-core could not decide: ${rules} → look at these by eye`,
    weight: 0,
    count: input.undecided.reduce((sum, rule) => sum + rule.count, 0),
    examples: input.undecided.slice(1).flatMap((rule) => shownAt(rule) ?? []),
  };
}

function shownAt(rule: ToldRule): string | undefined {
  return rule.frame?.selector ?? rule.selectors[0];
}

function frames(input: AccessibilityInput): Draft {
  return {
    type: "frames-not-tested",
    severity: "info",
    selector: input.path,
    message: `${counted(input.frames, "frame")} not looked into → open the frame's page itself and audit it`,
    weight: 0,
    count: input.frames,
  };
}
