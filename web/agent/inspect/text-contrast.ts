// getContrast: which colours meet in the page.

import { hex, painted, parse, ratio, verdict, white } from "./contrast";
import type { Colour, Layer, Verdict } from "./contrast";
import { find } from "./find";
import { ancestors, named } from "./words";

export interface ContrastInfo extends Verdict {
  readonly element: string;
  readonly text: string;
  readonly background: string;
  readonly fontSize: number;
  /** Why the ratio may be wrong: a picture or a gradient lies behind the text. */
  readonly unsure?: string;
}

let canvas: CanvasRenderingContext2D | null = null;

/** Any colour that CSS knows, through a canvas where it must be converted. */
function colourOf(value: string): Colour {
  const known = parse(value);
  if (known !== null) return known;
  canvas ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (canvas === null) return white;
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = "rgba(0, 0, 0, 0)";
  canvas.fillStyle = value;
  canvas.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0, a = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return { r, g, b, a: a / 255 };
}

/** What the browser paints where no element does. */
function pageCanvas(): Colour {
  const dark = /dark/.test(getComputedStyle(document.documentElement).colorScheme) && matchMedia("(prefers-color-scheme: dark)").matches;
  return dark ? { r: 18, g: 18, b: 18, a: 1 } : white;
}

/** The element and those around it, outermost first. */
function around(element: Element): Element[] {
  const chain: Element[] = [];
  for (const at of [element, ...ancestors(element)]) chain.unshift(at);
  return chain;
}

/** What lies behind the element's middle without being around it, the lowest first. */
function behind(element: Element, chain: readonly Element[]): Element[] {
  const box = element.getBoundingClientRect();
  const stack = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  const at = stack.findIndex((other) => other === element || element.contains(other));
  const others: Element[] = [];
  for (const other of at < 0 ? [] : stack.slice(at)) if (!chain.includes(other) && !element.contains(other)) others.unshift(other);
  return others;
}

export function getContrast(target: unknown): ContrastInfo {
  const element = find(target);
  const style = getComputedStyle(element);
  const chain = around(element);
  const others = behind(element, chain);
  let unsure = "";
  const layer = (at: Element): Layer => {
    const own = getComputedStyle(at);
    if (own.backgroundImage !== "none" && own.backgroundImage !== "") unsure = `a background image on ${named(at)} is not measured`;
    return { background: colourOf(own.backgroundColor), opacity: Number(own.opacity) };
  };
  const layers = chain.map(layer);
  // They are painted after the last one that is around them too. Their opacity is their own: it does not fade the text.
  for (const other of others) {
    const { background, opacity } = layer(other);
    const after = chain.filter((at) => at.contains(other)).length;
    layers.splice(Math.max(after, layers.length - chain.length + after), 0, { background: { ...background, a: background.a * opacity }, opacity: 1 });
  }
  if (others.some((other) => /^(?:img|video|canvas|svg|picture)$/.test(other.localName))) unsure = "a picture lies behind the text and is not measured";
  const seen = painted(layers, colourOf(style.color), pageCanvas());
  const fontSize = Number.parseFloat(style.fontSize) || 16;
  return {
    element: named(element),
    text: hex(seen.text),
    background: hex(seen.background),
    fontSize,
    ...verdict(ratio(seen.text, seen.background), fontSize, Number.parseInt(style.fontWeight, 10) || 400),
    ...(unsure === "" ? {} : { unsure }),
  };
}
