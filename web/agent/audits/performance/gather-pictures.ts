// The images of the page: their files' pixels, their boxes, where they stand.

import { isDevTool } from "../dev-elements";
import type { Elements } from "../fault";
import type { Slice } from "../slice";
import type { Picture, Resource } from "./facts";

/** A page may hold any number of images; the first of them tell. */
const MAX_IMAGES = 2000;

export async function gatherPictures(files: readonly Resource[], elements: Elements, slice: Slice): Promise<Picture[]> {
  const bytes = new Map<string, number>();
  for (const file of files) bytes.set(file.url, file.encoded);
  const found: Picture[] = [];
  for (const image of [...document.images].slice(0, MAX_IMAGES)) {
    if (slice.due()) await slice.rest();
    if (image.naturalWidth === 0 || image.offsetWidth === 0 || isDevTool(image)) continue;
    const url = image.currentSrc;
    const top = image.getBoundingClientRect().top + window.scrollY;
    const cut = getComputedStyle(image).objectFit === "none";
    found.push({
      ref: elements.add(image),
      url,
      naturalWidth: image.naturalWidth,
      naturalHeight: image.naturalHeight,
      // Of the picture itself, without border and padding.
      width: image.width,
      height: image.height,
      screens: top / Math.max(1, window.innerHeight),
      lazy: image.loading === "lazy",
      // A sprite, of which a part is shown, is no waste either.
      vector: cut || /\.svg(?:[?#]|$)|^data:image\/svg/i.test(url),
      // What needs no loading cannot come late.
      sized: !/^https?:/.test(url) || isSized(image),
      bytes: bytes.get(url) ?? 0,
    });
  }
  return found;
}

/** Whether the layout knows the box before the file is there. */
function isSized(image: HTMLImageElement): boolean {
  const { position, aspectRatio, contain } = getComputedStyle(image);
  // Out of the flow nothing follows it.
  if (position === "absolute" || position === "fixed" || /strict|size/.test(contain)) return true;
  const width = given(image, "width");
  const height = given(image, "height");
  if (width && height) return true;
  // Attributes give a ratio: `auto 4 / 3`.
  return aspectRatio !== "" && aspectRatio !== "auto" && (width || height);
}

/** Whether a length was written for it, by style or attribute; `auto` is none. */
function given(image: HTMLImageElement, name: "width" | "height"): boolean {
  const map: unknown = Reflect.get(image, "computedStyleMap");
  // Without it nothing can be said, and nothing is.
  if (typeof map !== "function") return true;
  return image.computedStyleMap().get(name)?.toString() !== "auto";
}
