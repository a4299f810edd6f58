// What a picture is to show, and how large it gets.

export const formats = ["png", "jpeg", "webp"] as const;
export type Format = (typeof formats)[number];

export interface ShotOptions {
  readonly name?: string;
  readonly selector?: string;
  readonly fullPage?: boolean;
  readonly format?: string;
  /** In pixels; below 0: no bound. */
  readonly maxWidth?: number;
}

export interface Asked {
  readonly name: string;
  readonly selector: string;
  readonly fullPage: boolean;
  /** "": the smaller of PNG and JPEG. */
  readonly format: Format | "";
  readonly maxWidth: number;
}

/** Wide enough to read, and few tokens: as internal/browser/shot has it. */
export const defaultWidth = 1024;
/** Most pixels of a height. */
export const maxHeight = 16_000;

export function options(what: string | ShotOptions | undefined): Asked {
  const o: ShotOptions = typeof what === "object" && what !== null ? what : { name: what === undefined ? "" : String(what) };
  const format = o.format === undefined || o.format === "" ? "" : formats.find((f) => f === o.format);
  if (format === undefined) throw new Error(`unknown format ${JSON.stringify(o.format)} (valid: ${formats.join(", ")})`);
  const width = Number(o.maxWidth ?? 0);
  return {
    name: String(o.name ?? "").slice(0, 80),
    selector: String(o.selector ?? ""),
    fullPage: o.fullPage === true,
    format,
    maxWidth: width < 0 ? Infinity : width > 0 ? width : defaultWidth,
  };
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Sized {
  readonly area: Area;
  readonly scale: number;
  readonly width: number;
  readonly height: number;
  /** CSS pixels at the bottom that did not fit. */
  readonly cut: number;
}

/** How large an area of the page becomes: never wider than asked for, never taller than a canvas can be. */
export function sized(of: Area, maxWidth: number, ratio: number): Sized {
  const scale = Math.min(ratio, maxWidth / of.width);
  const most = Math.floor(maxHeight / scale);
  const cut = Math.max(0, of.height - most);
  const kept = { ...of, height: of.height - cut };
  return { area: kept, scale, width: Math.max(1, Math.round(kept.width * scale)), height: Math.max(1, Math.round(kept.height * scale)), cut };
}

/** What to show, in whole pixels from the corner of the document. */
export function area(root: Element, asked: Asked): Area {
  if (asked.selector !== "") {
    const box = root.getBoundingClientRect();
    if (box.width === 0 || box.height === 0) throw new Error(`${asked.selector} is not drawn: it is ${box.width}×${box.height}`);
    const x = Math.floor(box.left + scrollX);
    const y = Math.floor(box.top + scrollY);
    return { x, y, width: Math.ceil(box.right + scrollX) - x, height: Math.ceil(box.bottom + scrollY) - y };
  }
  const page = document.documentElement;
  if (asked.fullPage) {
    const body = document.body;
    return { x: 0, y: 0, width: Math.max(page.scrollWidth, 1), height: Math.max(page.scrollHeight, body === null ? 0 : body.scrollHeight, 1) };
  }
  return { x: scrollX, y: scrollY, width: Math.max(innerWidth, 1), height: Math.max(innerHeight, 1) };
}

/** The colour behind the page, as the browser paints it where no element does. */
export function backdrop(): string {
  for (const element of [document.documentElement, document.body]) {
    if (element === null) continue;
    const colour = getComputedStyle(element).backgroundColor;
    if (colour !== "" && colour !== "transparent" && colour !== "rgba(0, 0, 0, 0)") return colour;
  }
  return /dark/.test(getComputedStyle(document.documentElement).colorScheme) && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#ffffff";
}
