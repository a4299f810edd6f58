import { slot } from "./dom";

const SHOWN_MS = 3200;
let hiding = 0;

/** Says something in passing. */
export function toast(text: string): void {
  const place = slot("toast");
  place.textContent = text;
  place.classList.add("shown");
  window.clearTimeout(hiding);
  hiding = window.setTimeout(() => place.classList.remove("shown"), SHOWN_MS);
}
