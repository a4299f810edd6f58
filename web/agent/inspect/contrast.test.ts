import assert from "node:assert/strict";
import { test } from "node:test";
import { hex, over, painted, parse, ratio, verdict, white } from "./contrast";
import type { Colour } from "./contrast";

const black: Colour = { r: 0, g: 0, b: 0, a: 1 };
const grey = (n: number, a = 1): Colour => ({ r: n, g: n, b: n, a });

test("colours are read in the forms that browsers give", () => {
  for (const [text, want] of [
    ["rgb(1, 2, 3)", { r: 1, g: 2, b: 3, a: 1 }],
    ["rgba(1, 2, 3, 0.5)", { r: 1, g: 2, b: 3, a: 0.5 }],
    ["rgb(1 2 3 / 25%)", { r: 1, g: 2, b: 3, a: 0.25 }],
    ["color(srgb 1 0 0 / 0.5)", { r: 255, g: 0, b: 0, a: 0.5 }],
    ["transparent", { r: 0, g: 0, b: 0, a: 0 }],
    ["oklch(0.5 0.1 20)", null],
    ["red", null],
    ["rgb(1, 2)", null],
  ] as const) {
    assert.deepEqual(parse(text), want, text);
  }
});

test("the ratio is WCAG's", () => {
  assert.equal(ratio(black, white), 21);
  assert.equal(ratio(white, white), 1);
  assert.equal(Math.floor(ratio(grey(0x76), white) * 100) / 100, 4.54); // the lightest grey that passes
  assert.ok(ratio(grey(0x77), white) < 4.5);
});

test("translucent layers are blended from the bottom up", () => {
  const none = { background: grey(0, 0), opacity: 1 };
  // Half black over half white over black: 0.5 * 0 + 0.5 * 127.5.
  const two = painted([{ background: grey(255, 0.5), opacity: 1 }, none, { background: grey(0, 0.5), opacity: 1 }], white, black);
  assert.equal(hex(two.background), hex(grey(63.75)));
  // The order matters.
  const other = painted([{ background: grey(0, 0.5), opacity: 1 }, { background: grey(255, 0.5), opacity: 1 }], white, black);
  assert.equal(hex(other.background), hex(grey(127.5)));
});

test("opacity fades a group with all that is in it, once", () => {
  // Black text on a white card at half opacity, on black: the card is grey, the text stays black.
  const card = painted([{ background: white, opacity: 0.5 }], black, black);
  assert.equal(hex(card.background), hex(grey(127.5)));
  assert.equal(hex(card.text), "#000000");
  // Nested groups multiply.
  const nested = painted([{ background: grey(0, 0), opacity: 0.5 }, { background: white, opacity: 0.5 }], black, black);
  assert.equal(hex(nested.background), hex(grey(63.75)));
});

test("translucent text is blended with its own background", () => {
  assert.equal(hex(painted([], grey(0, 0.5), white).text), hex(over(grey(0, 0.5), white)));
});

test("large text needs less", () => {
  assert.deepEqual(verdict(3.2, 24, 400).passes, { AA: true, AAA: false });
  assert.deepEqual(verdict(3.2, 23, 400).passes, { AA: false, AAA: false });
  assert.equal(verdict(3.2, 19, 700).large, true);
  assert.equal(verdict(3.2, 18, 700).large, false);
  assert.equal(verdict(4.499, 16, 400).ratio, 4.49); // never rounded up to a pass
});
