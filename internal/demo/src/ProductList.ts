// The grid of products.

import { track } from "./analytics";
import { slot, spinner } from "./dom";
import { readJSON } from "./json";
import { ProductCard } from "./ProductCard";
import { parseProducts, parseStock, type Product, type Stock } from "./types";

export async function showProducts(): Promise<ProductCard[]> {
  const grid = slot("grid");
  grid.replaceChildren(spinner("Loading the collection…"));
  const products = await loadProducts();
  const cards = products.map((product) => new ProductCard(product));
  grid.replaceChildren(...cards.map((card) => card.root));
  void showAllStock(cards);
  return cards;
}

async function loadProducts(): Promise<Product[]> {
  return readJSON(await fetch("api/products"), parseProducts);
}

/** Each card asks for its own stock. */
async function showAllStock(cards: readonly ProductCard[]): Promise<void> {
  await Promise.all(cards.map(showStock));
  track("view_item_list", cards.length);
}

async function showStock(card: ProductCard): Promise<void> {
  card.waitForStock();
  try {
    card.showStock(await loadStock(card.product.id));
  } catch {
    card.hideStock();
  }
}

async function loadStock(productId: number): Promise<Stock> {
  return readJSON(await fetch(`api/products/${productId}/stock`), parseStock);
}
