// The grid of products.

import { track } from "./analytics";
import { h, slot } from "./dom";
import { readJSON } from "./json";
import { ProductCard } from "./ProductCard";
import { parseProducts, type Product } from "./types";

/** About as many as there will be, so that nothing moves when they come. */
const PLACES = 12;

export async function showProducts(): Promise<ProductCard[]> {
  const grid = slot("grid");
  grid.replaceChildren(...Array.from({ length: PLACES }, () => h("div", { class: "card skeleton", "aria-hidden": "true" })));
  const products = await loadProducts();
  const cards = products.map((product) => new ProductCard(product));
  for (const card of cards) showStock(card);
  grid.replaceChildren(...cards.map((card) => card.root));
  track("view_item_list", cards.length);
  return cards;
}

/** Every product comes with its stock. */
async function loadProducts(): Promise<Product[]> {
  return readJSON(await fetch("api/products?include=stock"), parseProducts);
}

function showStock(card: ProductCard): void {
  if (card.product.stock === undefined) card.hideStock();
  else card.showStock(card.product.stock);
}
