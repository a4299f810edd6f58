// Narrowing the grid down, by words and by shelf. It asks nobody.

import { slot } from "./dom";
import type { ProductCard } from "./ProductCard";

export async function startSearch(listed: Promise<readonly ProductCard[]>): Promise<void> {
  const cards = await listed;
  const box = slot("search");
  const shelves = [...document.querySelectorAll<HTMLButtonElement>("[data-shelf]")];
  let shelf = "";
  const narrow = (): void => {
    const text = box instanceof HTMLInputElement ? box.value : "";
    const shown = cards.filter((card) => {
      card.root.hidden = !card.matches(text, shelf);
      return !card.root.hidden;
    });
    slot("found").textContent = shown.length === 1 ? "1 object" : `${shown.length} objects`;
  };
  box.addEventListener("input", narrow);
  for (const button of shelves) {
    button.addEventListener("click", () => {
      shelf = button.dataset["shelf"] ?? "";
      for (const other of shelves) other.setAttribute("aria-pressed", String(other === button));
      narrow();
    });
  }
  narrow();
}
