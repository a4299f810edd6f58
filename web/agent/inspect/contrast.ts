// The contrast of a text with what is behind it, by the definition of WCAG 2.
// Translucent layers and the opacity of whole groups are blended in the order
// in which a browser paints them.

export interface Colour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
  /** From 0 to 1. */
  readonly a: number;
}

export const white: Colour = { r: 255, g: 255, b: 255, a: 1 };

/** Reads the forms in which computed colours of the sRGB space come; null for others. */
export function parse(value: string): Colour | null {
  const rgb = /^rgba?\(\s*([\d.]+)[\s,]+([\d.]+)[\s,]+([\d.]+)(?:[\s,/]+([\d.]+%?))?\s*\)$/.exec(value.trim());
  if (rgb !== null) return { r: Number(rgb[1]), g: Number(rgb[2]), b: Number(rgb[3]), a: alpha(rgb[4]) };
  const srgb = /^color\(srgb\s+([-\d.e]+)\s+([-\d.e]+)\s+([-\d.e]+)(?:\s*\/\s*([\d.]+%?))?\s*\)$/.exec(value.trim());
  if (srgb !== null) return { r: Number(srgb[1]) * 255, g: Number(srgb[2]) * 255, b: Number(srgb[3]) * 255, a: alpha(srgb[4]) };
  return value.trim() === "transparent" ? { r: 0, g: 0, b: 0, a: 0 } : null;
}

function alpha(text: string | undefined): number {
  if (text === undefined) return 1;
  return text.endsWith("%") ? Number(text.slice(0, -1)) / 100 : Number(text);
}

/** One colour painted over an opaque one. */
export function over(top: Colour, below: Colour): Colour {
  const mix = (a: number, b: number): number => a * top.a + b * (1 - top.a);
  return { r: mix(top.r, below.r), g: mix(top.g, below.g), b: mix(top.b, below.b), a: 1 };
}

function luminance({ r, g, b }: Colour): number {
  const linear = (c: number): number => {
    const s = Math.min(1, Math.max(0, c / 255));
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** From 1 to 21. */
export function ratio(one: Colour, other: Colour): number {
  const a = luminance(one);
  const b = luminance(other);
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** One painted box: its own background, and the opacity that it and all in it are painted with. */
export interface Layer {
  readonly background: Colour;
  readonly opacity: number;
}

/** The colours behind and of a text inside nested layers, outermost first, on an opaque canvas. */
export function painted(layers: readonly Layer[], text: Colour, canvas: Colour): { readonly background: Colour; readonly text: Colour } {
  const layer = layers[0];
  if (layer === undefined) return { background: canvas, text: over(text, canvas) };
  const inside = painted(layers.slice(1), text, over(layer.background, canvas));
  const group = (colour: Colour): Colour => over({ ...colour, a: layer.opacity }, canvas);
  return { background: group(inside.background), text: group(inside.text) };
}

export interface Verdict {
  readonly ratio: number;
  readonly large: boolean;
  readonly needed: { readonly AA: number; readonly AAA: number };
  readonly passes: { readonly AA: boolean; readonly AAA: boolean };
}

/** WCAG's large text: from 18 points, or 14 when bold. */
export function verdict(value: number, fontSize: number, weight: number): Verdict {
  const large = fontSize >= 24 || (fontSize >= 18.66 && weight >= 700);
  const needed = large ? { AA: 3, AAA: 4.5 } : { AA: 4.5, AAA: 7 };
  return { ratio: Math.floor(value * 100) / 100, large, needed, passes: { AA: value >= needed.AA, AAA: value >= needed.AAA } };
}

export function hex({ r, g, b }: Colour): string {
  const two = (c: number): string => Math.round(Math.min(255, Math.max(0, c))).toString(16).padStart(2, "0");
  return `#${two(r)}${two(g)}${two(b)}`;
}
