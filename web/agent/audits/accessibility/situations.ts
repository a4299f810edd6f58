// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { AccessibilityInput, ToldRule } from "./audit";
import type { Impact } from "./outcome";

function rule(name: string, impact: Impact, help: string, selectors: readonly string[], more: Partial<ToldRule> = {}): ToldRule {
  return { rule: name, impact, help, helpUrl: `https://dequeuniversity.com/rules/axe/4.14/${name}?application=axeAPI`, details: [], count: selectors.length, selectors, ...more };
}

function page(more: Partial<AccessibilityInput>): AccessibilityInput {
  return { violations: [], undecided: [], elements: 214, frames: 0, path: "/shop", now: Date.UTC(2026, 10, 15, 12), ...more };
}

/** By file name. */
export function situations(): Map<string, AccessibilityInput> {
  const alt = rule("image-alt", "critical", "Images must have alternative text", ["#hero > img", ".card:nth-of-type(2) > img", ".card:nth-of-type(3) > img"], { count: 12, place: { file: "src/Card.tsx", line: 14 } });
  const contrast = rule("color-contrast", "serious", "Elements must meet minimum color contrast ratio thresholds", [".price"]);
  const region = rule("region", "moderate", "All page content should be contained by landmarks", ["#promo"]);
  return new Map([
    ["accessibility-clean", page({})],
    ["accessibility-faults", page({ violations: [region, contrast, alt] })],
    ["accessibility-undecided", page({ undecided: [contrast], frames: 1 })],
  ]);
}
