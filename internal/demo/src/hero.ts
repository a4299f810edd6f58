// The picture at the top.

import { h, slot } from "./dom";

/** Lays the season's photograph over the drawn scene; without it the scene stays. */
export function showLookbook(): void {
  const photo = h("img", { class: "hero-photo", src: "img/autumn-lookbook.webp", alt: "" });
  photo.addEventListener("error", () => photo.remove());
  slot("hero-scene").append(photo);
}
