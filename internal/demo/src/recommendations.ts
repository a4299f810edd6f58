// A few more things to look at.

import { art, h, slot } from "./dom";
import { type Fields, readJSON } from "./json";
import { price } from "./money";
import type { ProductCard } from "./ProductCard";
import type { Product } from "./types";

const SHOWN = 4;

interface Recommended {
  readonly title: string;
  readonly productIds: readonly number[];
}

/** Shows what the ranking suggests, or what sells best when it has no answer. */
export async function showRecommendations(listed: Promise<readonly ProductCard[]>): Promise<void> {
  const [recommended, cards] = await Promise.all([loadRecommendations(), listed]);
  const products = cards.map((card) => card.product);
  const picks = recommended === undefined ? bestsellers(products) : products.filter((product) => recommended.productIds.includes(product.id));
  slot("picks-title").textContent = recommended?.title ?? "Bestsellers this month";
  slot("picks-note").textContent = recommended === undefined ? "Your personal picks are taking a short break." : "";
  slot("picks").replaceChildren(...picks.slice(0, SHOWN).map(pick));
}

async function loadRecommendations(): Promise<Recommended | undefined> {
  try {
    return await readJSON(await fetch("api/recommendations"), parseRecommended);
  } catch {
    return undefined;
  }
}

function parseRecommended(fields: Fields): Recommended {
  return {
    title: fields.text("title"),
    productIds: fields.list("productIds", (id) => {
      if (typeof id !== "number") throw new TypeError("expected a number in productIds");
      return id;
    }),
  };
}

function bestsellers(products: readonly Product[]): Product[] {
  return [...products].sort((a, b) => b.reviews - a.reviews);
}

function pick(product: Product): HTMLElement {
  return h(
    "li",
    { class: "pick" },
    h("span", { class: `thumb tone-${product.tone}` }, art(product.art, "art")),
    h("span", {}, h("strong", {}, product.name), h("span", { class: "quiet" }, `${product.maker} · ${price(product.price)}`)),
  );
}
