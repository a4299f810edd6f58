import assert from "node:assert/strict";
import { test } from "node:test";
import { report } from "./audit";
import { declarationsIn, editDistance, misspelt } from "./declarations";
import { detect } from "./detect";
import type { CssFacts } from "./facts";
import { isVendor, placeOf } from "./origin";
import { idsIn, isUtility, neededClasses, splitList, withoutStates } from "./selectors";
import { LOCATED, page, rule, sheet } from "./situations";

const told = (facts: CssFacts): string[] => detect(facts).map((fault) => `${fault.rule} ${fault.severity}`);
const rules = (count: number, make: (index: number) => ReturnType<typeof rule>) => Array.from({ length: count }, (_, index) => make(index));

test("a sound page has nothing to hear, one without rules is not judged", () => {
  assert.deepEqual(told(page()), []);
  assert.equal(report(page({ rules: [] }), detect(page()), LOCATED, 0).rulesAnalyzed, 0);
});

test("selectors without their states", () => {
  const cases: [string, string][] = [
    ["a:hover", "a"],
    [".b::before, .c:focus-visible > i", ".b,.c > i"],
    ["::selection", "*"],
    [":hover", "*"],
    ["p:not(:hover)", "p"],
    ["li:nth-child(2n+1):checked", "li:nth-child(2n+1)"],
    ["ul > :hover", "ul > *"],
    ["input::-webkit-search-cancel-button", "input"],
    [":root", ":root"],
    [".md\\:hover\\:x:hover", ".md\\:hover\\:x"],
    [".before\\:content-x::before", ".before\\:content-x"],
    ["a:first-child", "a:first-child"],
    [".x:placeholder-shown + .y", ".x + .y"],
  ];
  for (const [selector, want] of cases) assert.equal(withoutStates(selector), want, selector);
  assert.deepEqual(splitList("a, b:is(c, d), e[x='1,2']"), ["a", " b:is(c, d)", " e[x='1,2']"]);
});

test("what a selector needs and how strong it is", () => {
  assert.deepEqual(neededClasses(".a .b-c:not(.d)[class~='.e'].md\\:flex"), ["a", "b-c", "md:flex"]);
  assert.deepEqual(neededClasses(".text-\\[\\#fff\\].w-1\\/2 .\\31 0.größe"), ["text-[#fff]", "w-1/2", "10", "größe"]);
  assert.deepEqual(["#a #b", "#a", ":where(#a #b)", "p:not(#a)#b", "a[href='#x#y']", ".w-\\#a", "#a#b#c"].map(idsIn), [2, 1, 0, 1, 0, 0, 3]);
  assert.ok(isUtility(".mt-4") && isUtility(".md\\:flex:hover") && isUtility(".a, .b") && isUtility(".space-y-2 > :not([hidden]) ~ :not([hidden])"));
  assert.ok(!isUtility("p") && !isUtility(".a .b") && !isUtility(".a, p b"));
});

test("important: by hand and often; utilities, packages and scripts' styles do not count", () => {
  const forced = rules(20, (index) => rule(`p b${index}`, "width: 1px !important;"));
  assert.deepEqual(told(page({ rules: forced })), ["important-overuse warning"]);
  assert.deepEqual(told(page({ rules: forced.slice(1) })), []);
  assert.deepEqual(told(page({ rules: [...forced, ...rules(100, (index) => rule(`p i${index}`))] })), ["important-overuse info"]);
  assert.deepEqual(told(page({ rules: [...forced, ...rules(180, (index) => rule(`p i${index}`))] })), []);
  assert.deepEqual(told(page({ rules: rules(99, (index) => rule(`.m-${index}`, "margin: 1px !important;")) })), []);
  assert.deepEqual(told(page({ rules: forced, sheets: [sheet({ vendor: true })] })), []);
  assert.deepEqual(told(page({ rules: forced, sheets: [sheet({ generated: true })] })), []);
  assert.deepEqual(told(page({ rules: forced.map((item) => ({ ...item, context: "@media print\n" })) })), []);
});

test("unused: only when it is much, in share and in size", () => {
  const usage = (unused: number, unusedChars: number) => told(page({ usage: { rules: 100, unused, unusedChars } }));
  assert.deepEqual([usage(61, 21_000), usage(60, 21_000), usage(61, 20_480)], [["unused-rules info"], [], []]);
});

test("rules that stand twice: in one sheet, under the same conditions", () => {
  const once = rules(10, (index) => rule(`.d${index} p`));
  assert.deepEqual(told(page({ rules: [...once, ...once] })), ["duplicate-rules info"]);
  assert.deepEqual(told(page({ rules: [...once, ...once.slice(1)] })), []);
  assert.deepEqual(told(page({ sheets: [sheet(), sheet()], rules: [...once, ...once.map((item) => ({ ...item, sheet: 1 }))] })), []);
  assert.deepEqual(told(page({ rules: [...once, ...once.map((item) => ({ ...item, context: "@media print\n" }))] })), []);
});

test("hundreds of style elements of a library are no fault", () => {
  const sheets = Array.from({ length: 400 }, () => sheet({ generated: true }));
  assert.deepEqual(told(page({ sheets, rules: rules(400, (index) => rule(".css-1x2y3z", "z-index: 99999;", { sheet: index, zIndex: 99_999 })) })), []);
});

test("sheets: twice, large, imported", () => {
  const url = "http://a.test/a.css";
  assert.deepEqual(told(page({ sheets: [sheet({ url }), sheet({ url })] })), ["stylesheet-twice warning"]);
  assert.deepEqual(told(page({ sheets: [sheet(), sheet()] })), []);
  assert.deepEqual(told(page({ sheets: [sheet({ chars: 307_201 })] })), ["stylesheet-large info"]);
  assert.deepEqual(told(page({ sheets: [sheet({ chars: 307_200 })] })), []);
  assert.deepEqual(told(page({ sheets: [sheet({ chars: 1_048_577 })] })), ["stylesheet-large warning"]);
  assert.deepEqual(told(page({ sheets: [sheet({ chars: 5_000_000, generated: true })] })), []);
  assert.deepEqual(told(page({ sheets: [sheet({ imported: 1 })] })), ["import-chain info"]);
  assert.deepEqual(told(page({ sheets: [sheet({ imported: 1 }), sheet({ imported: 2 })] })), ["import-chain warning"]);
});

test("motion", () => {
  const moving = (properties: string[], area: number, more: Partial<CssFacts> = {}) => told(page({ endless: [{ ref: 1, name: "x", properties, area }], ...more }));
  assert.deepEqual(moving(["opacity"], 90_000), []);
  assert.deepEqual(moving(["transform"], 9_999), []);
  assert.deepEqual(moving(["transform"], 10_000), ["motion-not-reduced info"]);
  assert.deepEqual(moving(["transform"], 10_000, { reducedMotion: true }), []);
  assert.deepEqual(moving(["transform"], 10_000, { unreadable: [1] }), ["stylesheet-unreadable info"]);
  assert.deepEqual(moving(["left"], 100), ["layout-animation warning"]);
  assert.deepEqual(moving(["borderTopColor", "borderRadius", "backgroundColor"], 90_000), []);
  assert.deepEqual(moving(["borderTopWidth"], 100), ["layout-animation warning"]);
});

test("declarations, with their lines", () => {
  const text = `/* a: b;
 c: d */
@import url("x;y");
@font-face { src: url(x) }
p { colr: red;
  background: url(data:a;b:c); --own: { x: y };
  &:hover { wdith: 1px }
  content: "a: b; c: d"
}
@media (min-width: 1px) { a:hover { top: 1px } }
@keyframes k { from { lft: 0 } }
`;
  assert.deepEqual(declarationsIn(text).map((item) => `${item.property}:${item.line}`), ["colr:5", "background:6", "wdith:7", "content:8", "top:10", "lft:11"]);
  assert.deepEqual(declarationsIn("p { color: red"), []);
  assert.deepEqual(declarationsIn('a { content: "unclosed\n; colr: x }').map((item) => item.property), ["content", "colr"]);
});

test("misspelt, or another browser's", () => {
  const known = ["color", "column-gap", "font-size", "width", "position", "line-height"];
  assert.deepEqual(["colr", "wdith", "font-szie", "lin-height", "zzzzzz"].map((name) => misspelt(name, known)), ["color", "width", "font-size", "line-height", ""]);
  for (const name of ["-moz-appearance", "font-smooth", "user-drag", "behavior", "scrollbar-face-color", "line-clamp", "grid-something", "scroll-start"]) assert.equal(misspelt(name, known), undefined, name);
  assert.deepEqual([editDistance("abc", "acb", 3), editDistance("abc", "abc", 3), editDistance("a", "xyz", 3)], [1, 0, 3]);
});

test("whose sheet it is", () => {
  for (const path of ["/app/node_modules/x/y.css", "http://a.test/vendor/z.css", "/css/bootstrap.min.css?v=3", "https://a.test/lib/font-awesome.css", "/assets/tailwind.css", "ace/css/ace_editor.css"]) assert.ok(isVendor(path), path);
  for (const path of ["/src/app.css", "/src/vendor-list.css", "/css/styles.css", "/src/components/Bootstrapper.css", ""]) assert.ok(!isVendor(path), path);
  assert.deepEqual([placeOf("src/a.css", 3), placeOf("src/a.scss", 3), placeOf("")], [{ file: "src/a.css", line: 3 }, { file: "src/a.scss" }, undefined]);
});

test("one finding for each misspelt word, with its first place", () => {
  const item = (property: string, line: number) => ({ ref: 1, property, suggestion: "color", place: { file: "src/a.css", line } });
  const facts = page({ unknown: [item("colr", 3), item("colr", 9), item("coolr", 4)] });
  assert.deepEqual(report(facts, detect(facts), LOCATED, 0).findings.map((found) => [found.count, found.place]), [[2, { file: "src/a.css", line: 3 }], [1, { file: "src/a.css", line: 4 }]]);
});

test("a stylesheet that did not come: the page's own is a fault, another site's a note", () => {
  const own = { ref: 3, url: "http://localhost:5173/gone.css", own: true };
  const other = { ref: 4, url: "https://fonts.example/a.css?family=b", own: false };
  const facts = page({ failed: [own, other] });
  assert.deepEqual(detect(facts).map((fault) => `${fault.rule} ${fault.severity}`), ["stylesheet-failed warning", "stylesheet-failed info"]);
  const made = report(facts, detect(facts), LOCATED, 0);
  assert.equal(made.score, 96);
  assert.deepEqual(made.findings.map((finding) => finding.message), [
    "http://localhost:5173/gone.css did not load → correct its address, or take the link out",
    "1 stylesheet of other sites did not load, e.g. https://fonts.example/a.css: not judged → get_errors says why",
  ]);
});
