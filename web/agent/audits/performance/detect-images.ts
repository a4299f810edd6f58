// Images: more pixels than are shown, no place kept free, loaded too early.

import { counted } from "../words";
import type { PerformanceFacts, Picture } from "./facts";
import { IMAGE_DENSITY, IMAGE_FAR_BYTES, IMAGE_FAR_SCREENS, IMAGE_WASTE_BYTES, IMAGE_WASTE_PIXELS, WEIGHTS } from "./thresholds";
import { kilobytes } from "./told";
import type { Told } from "./told";

export function detectImages(facts: PerformanceFacts): Told[] {
  return [...oversized(facts), ...unsized(facts), ...notLazy(facts)];
}

/** Share of the pixels that nobody sees. */
export function wastedShare(picture: Picture, density: number): number {
  const { naturalWidth, naturalHeight, width, height, vector } = picture;
  if (vector || width <= 0 || height <= 0) return 0;
  const enough = Math.max(density, IMAGE_DENSITY);
  // Too large in one direction only: it is cut to its box, on purpose.
  if (naturalWidth <= width * enough || naturalHeight <= height * enough) return 0;
  return 1 - (width * height * enough * enough) / (naturalWidth * naturalHeight);
}

function oversized({ pictures, density }: PerformanceFacts): Told[] {
  let wasted = 0;
  const found = pictures
    .map((picture) => ({ picture, share: wastedShare(picture, density) }))
    .filter(({ picture, share }) => {
      if (picture.bytes > 0) return picture.bytes * share >= IMAGE_WASTE_BYTES;
      return picture.naturalWidth * picture.naturalHeight * share >= IMAGE_WASTE_PIXELS;
    })
    .sort((a, b) => b.picture.bytes * b.share - a.picture.bytes * a.share);
  const worst = found[0]?.picture;
  if (worst === undefined) return [];
  for (const { picture, share } of found) wasted += picture.bytes * share;
  const saved = wasted > 0 ? `, ~${kilobytes(wasted)} too much` : "";
  const example = `${worst.naturalWidth}×${worst.naturalHeight} for a box of ${Math.round(worst.width)}×${Math.round(worst.height)}`;
  return [
    {
      type: "image-oversized",
      severity: "warning",
      weight: WEIGHTS.imageOversized,
      message: `${counted(found.length, "image")} much larger than shown (${example})${saved} → scale the file or use srcset`,
      refs: found.map(({ picture }) => picture.ref),
      count: found.length,
    },
  ];
}

function unsized({ pictures }: PerformanceFacts): Told[] {
  const found = pictures.filter((picture) => !picture.sized && picture.width > 0 && picture.height > 0);
  if (found.length === 0) return [];
  return [
    {
      type: "image-unsized",
      severity: "warning",
      weight: WEIGHTS.imageUnsized,
      message: `${counted(found.length, "image")} without a size: what follows jumps when it loads → add width and height`,
      refs: found.map((picture) => picture.ref),
      count: found.length,
    },
  ];
}

function notLazy({ pictures }: PerformanceFacts): Told[] {
  const found = pictures.filter((picture) => !picture.lazy && picture.screens >= IMAGE_FAR_SCREENS && picture.bytes >= IMAGE_FAR_BYTES);
  if (found.length === 0) return [];
  const bytes = found.reduce((sum, picture) => sum + picture.bytes, 0);
  return [
    {
      type: "image-not-lazy",
      severity: "info",
      weight: WEIGHTS.imageNotLazy,
      message: `${counted(found.length, "image")} far below the fold, ${kilobytes(bytes)}, loaded at once → add loading="lazy"`,
      refs: found.map((picture) => picture.ref),
      count: found.length,
    },
  ];
}
