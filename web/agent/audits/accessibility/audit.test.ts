import assert from "node:assert/strict";
import { test } from "node:test";
import { auditRules } from "./audit";
import type { AccessibilityInput, ToldRule } from "./audit";

function rule(name: string, impact: ToldRule["impact"], more: Partial<ToldRule> = {}): ToldRule {
  return { rule: name, impact, help: "Images must have alternative text", helpUrl: `https://example.test/${name}`, details: ["Element has no alt"], count: 1, selectors: ["#a"], ...more };
}

function audit(more: Partial<AccessibilityInput>) {
  return auditRules({ violations: [], undecided: [], elements: 40, frames: 0, path: "/", now: 0, ...more });
}

test("impacts become severities and weights, the worst first", () => {
  const report = audit({ violations: [rule("region", "moderate"), rule("tabindex", "serious"), rule("empty-heading", "minor"), rule("image-alt", "critical")] });
  assert.deepEqual(
    report.findings.map((finding) => `${finding.type} ${finding.severity} ${finding.weight}`),
    ["image-alt critical 10", "tabindex warning 7", "region warning 3", "empty-heading info 1"],
  );
  assert.equal(report.score, 79);
  assert.equal(report.summary, "Accessibility is moderate. (40 elements analyzed). 4 issues to address");
});

test("a rule is told once, with its elements", () => {
  const [finding] = audit({ violations: [rule("image-alt", "critical", { count: 300, selectors: ["#a", "#b", "#c"] })] }).findings;
  assert.equal(finding?.count, 300);
  assert.equal(finding?.selector, "#a");
  assert.deepEqual(finding?.examples, ["#b", "#c"]);
  assert.equal(finding?.message, 'Images must have alternative text (300 elements) → add alt that says what it shows, alt="" if it is decoration');
  assert.equal(finding?.help, "https://example.test/image-alt");
});

test("contrast is told with its figures", () => {
  const detail = "Element has insufficient color contrast of 1.91 (foreground color: #bbbbbb, background color: #ffffff, font size: 12.0pt (16px), font weight: normal). Expected contrast ratio of 4.5:1";
  const [finding] = audit({ violations: [rule("color-contrast", "serious", { help: "Elements must meet minimum color contrast ratio thresholds", details: [detail] })] }).findings;
  assert.equal(finding?.message, "Text must stand out from its background: contrast 1.91 of 4.5, #bbbbbb on #ffffff → darken or lighten one of the two colours");
});

test("what to change is never cut", () => {
  const long = "Elements with these roles and attributes must have a name that people who cannot see them are told, in words of their language, every time";
  const [known, foreign] = audit({ violations: [rule("aria-roles", "critical", { help: long, count: 12_345 }), rule("new", "minor", { help: long, details: ["x".repeat(400)] })] }).findings;
  assert.equal(known?.message.length, 160);
  assert.match(known?.message ?? "", /… \(12345 elements\) → use a role that exists$/);
  assert.equal(foreign?.message.length, 160);
  assert.match(foreign?.message ?? "", /^Elements with these .*… → x{69}…$/);
});

test("what is found in a frame is told at the frame", () => {
  const frame = { selector: "#basket", path: "/widgets/basket.html" };
  const { findings } = audit({ violations: [rule("image-alt", "critical", { frame, selectors: ["img.a", "img.b"], count: 2 }), rule("image-alt", "critical")], undecided: [rule("color-contrast", "serious", { frame })] });
  assert.deepEqual(findings.map((finding) => [finding.type, finding.selector, finding.examples]), [["image-alt", "#basket", undefined], ["image-alt", "#a", undefined], ["needs-review", "#basket", undefined]]);
  assert.equal(findings[0]?.message, 'in the frame /widgets/basket.html, img.a: Images must have alternative text (2 elements) → add alt that says what it shows, alt="" if it is decoration');
  assert.notEqual(findings[0]?.id, findings[1]?.id);
});

test("a rule nobody here knows is explained by its check", () => {
  const [finding] = audit({ violations: [rule("brand-new", "serious", { help: "New things must be new.", details: ["Element is\nold"] })] }).findings;
  assert.equal(finding?.message, "New things must be new → Element is old");
});

test("what could not be decided and what was not looked into is told, not counted", () => {
  const report = audit({ undecided: [rule("color-contrast", "serious", { count: 12 })], frames: 2 });
  assert.equal(report.score, 100);
  assert.equal(report.summary, "Accessibility is good. (40 elements analyzed)");
  assert.deepEqual(report.findings.map((finding) => [finding.type, finding.weight]), [["needs-review", 0], ["frames-not-tested", 0]]);
});
