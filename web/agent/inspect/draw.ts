// From the drawing, an SVG in a data: URL, to pixels. A page's policy may allow
// no such image; then an empty document of the proxy's own, which has no
// policy, draws it in a frame that is there only meanwhile.

import { quietly } from "../native";

/** Served by the proxy without a policy. */
export const blankURL = "/__devtool/blank.html";

const loadWithin = 20_000;

export async function draw(url: string, width: number, height: number, background: string): Promise<HTMLCanvasElement> {
  let image = await load(new Image(), url);
  if (image !== null) return paint(image, width, height, background);
  const frame = await openFrame();
  try {
    const Made: unknown = frame === null ? undefined : quietly(() => (frame.contentWindow === null ? undefined : Reflect.get(frame.contentWindow, "Image")));
    const made: unknown = typeof Made === "function" ? Reflect.construct(Made, []) : undefined;
    // It is an image of another realm.
    image = isImage(made) ? await load(made, url) : null;
    if (image === null) throw new Error("the page's content security policy lets no picture of it be drawn: open it with the browser tool, and take the screenshot there");
    return paint(image, width, height, background);
  } finally {
    frame?.remove();
  }
}

function isImage(value: unknown): value is HTMLImageElement {
  return typeof value === "object" && value !== null && "naturalWidth" in value && "decode" in value;
}

/** null when the image cannot be loaded. */
function load(image: HTMLImageElement, url: string): Promise<HTMLImageElement | null> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(null), loadWithin);
    const end = (loaded: HTMLImageElement | null): void => {
      clearTimeout(timer);
      done(loaded);
    };
    image.addEventListener("load", () => end(image), { once: true });
    image.addEventListener("error", () => end(null), { once: true });
    image.src = url;
  });
}

function paint(image: HTMLImageElement, width: number, height: number, background: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser gives no canvas to draw on");
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return canvas;
}

/** null when the page's policy allows no frame. */
function openFrame(): Promise<HTMLIFrameElement | null> {
  return new Promise((done) => {
    const frame = document.createElement("iframe");
    const timer = setTimeout(() => done(null), 5000);
    const end = (): void => {
      clearTimeout(timer);
      const there = quietly(() => frame.contentDocument?.URL.endsWith(blankURL)) === true;
      if (!there) frame.remove();
      done(there ? frame : null);
    };
    frame.addEventListener("load", end, { once: true });
    frame.addEventListener("error", end, { once: true });
    frame.setAttribute("aria-hidden", "true");
    Object.assign(frame.style, { position: "fixed", width: "1px", height: "1px", left: "-9px", top: "-9px", border: "0", visibility: "hidden" });
    frame.src = blankURL;
    document.documentElement.append(frame);
  });
}
