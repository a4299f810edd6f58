// A picture of the page, drawn again from its elements. It is what can be had
// in a person's own browser, where nobody may look at the screen: an
// approximation, and said to be one.

import { snapdom } from "@zumer/snapdom";
import type { Devtool } from "../devtool";
import { frames, toBase64 } from "./frames";
import { find } from "./find";
import { area, backdrop, formats, options, sized } from "./shot";
import type { Asked, Format, ShotOptions } from "./shot";
import { draw } from "./draw";
import { mend } from "./mend";

export interface Taken {
  readonly name: string;
  /** Number in the log. */
  readonly id: number;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  /** Pixels per CSS pixel. */
  readonly scale: number;
  readonly mode: "approximate";
  /** CSS pixels at the bottom that did not fit. */
  readonly cut?: number;
}

/** PNG is exact; beyond this many bytes a JPEG is tried, and the smaller one taken. */
const pngEnough = 150_000;

/** How long the server may take to answer. */
const patience = 15_000;

async function screenshot(what?: string | ShotOptions): Promise<Taken> {
  const asked = options(what);
  const tool = window.__devtool;
  if (tool === undefined) throw new Error("window.__devtool is not there");
  tool.drawing.pictures++;
  try {
    return await take(asked, tool);
  } finally {
    // Violations are told in a task of their own, a moment later.
    setTimeout(() => tool.drawing.pictures--, 200);
  }
}

async function take(asked: Asked, tool: Devtool): Promise<Taken> {
  const root = asked.selector === "" ? document.documentElement : find(asked.selector);
  const clip = area(root, asked);
  const size = sized(clip, asked.maxWidth, devicePixelRatio);
  const drawing = await snapdom(document.documentElement, {
    clip: size.area,
    dpr: 1,
    scale: size.scale,
    backgroundColor: backdrop(),
    fast: "auto",
    invalidate: true,
    cache: "disabled",
    plugins: [mend],
    exclude: "oriel-layer",
  });
  const canvas = await draw(drawing.url, size.width, size.height, backdrop());
  const blob = await encoded(canvas, asked.format);
  const base64 = await toBase64(blob);
  const head = { t: "shot", name: asked.name, scale: size.scale } as const;
  const kept = await within(
    tool.keep((id) => frames({ ...head, id }, base64)),
    patience,
  );
  if (kept.error !== undefined) throw new Error(`the picture was not kept: ${kept.error}`);
  return {
    name: asked.name,
    id: kept.seq ?? 0,
    path: kept.path ?? "",
    width: size.width,
    height: size.height,
    bytes: blob.size,
    scale: size.scale,
    mode: "approximate",
    ...(size.cut > 0 ? { cut: size.cut } : {}),
  };
}

async function encoded(canvas: HTMLCanvasElement, format: Format | ""): Promise<Blob> {
  if (format !== "") return toBlob(canvas, format);
  const png = await toBlob(canvas, "png");
  if (png.size <= pngEnough) return png;
  const jpeg = await toBlob(canvas, "jpeg");
  return jpeg.size < png.size ? jpeg : png;
}

function toBlob(canvas: HTMLCanvasElement, format: Format): Promise<Blob> {
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob === null ? failed(new Error(`this browser cannot make a ${format} of it`)) : done(blob)), `image/${format}`, 0.8);
  });
}

function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error("Oriel did not answer in time")), ms);
    promise.then(done, failed).finally(() => clearTimeout(timer));
  });
}

window.__devtool?.add(
  "screenshot",
  `screenshot(name | {name, selector, fullPage, format: ${formats.join("|")}, maxWidth}) draws the page again from its elements (an approximation) and keeps it; gives its path`,
  screenshot,
);
