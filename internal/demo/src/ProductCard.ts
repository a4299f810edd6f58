// One product in the grid.

import { addToCart } from "./cart";
import { track } from "./analytics";
import { art, h, stars } from "./dom";
import { price } from "./money";
import type { Product, Stock } from "./types";

const FEW = 3;
const ADDED_MS = 1600;

export class ProductCard {
  readonly product: Product;
  readonly root: HTMLElement;
  private readonly stock = h("p", { class: "stock" });
  private readonly button: HTMLButtonElement;

  constructor(product: Product) {
    this.product = product;
    this.button = h("button", { type: "button" });
    this.label("Add to basket");
    this.button.addEventListener("click", () => void this.add());
    this.root = h(
      "article",
      { class: "card", "data-product": String(product.id), "data-category": product.category },
      this.picture(),
      h("div", { class: "card-body" }, ...this.words(), this.stock, this.button),
    );
  }

  waitForStock(): void {
    this.stock.className = "stock waiting";
    this.stock.replaceChildren(h("span", { class: "spinner", "aria-hidden": "true" }), "Checking stock…");
  }

  showStock(stock: Stock): void {
    this.stock.className = `stock ${stock.available === 0 ? "out" : stock.available <= FEW ? "few" : "in"}`;
    this.stock.textContent = stockLabel(stock);
    this.button.disabled = stock.available === 0;
    if (stock.available === 0) this.label("Sold out");
  }

  /** What the button says, and of which product to those who do not see the card. */
  private label(text: string): void {
    this.button.textContent = text;
    this.button.setAttribute("aria-label", `${text}: ${this.product.name}`);
  }

  /** Without an answer nothing is promised, and nothing is refused. */
  hideStock(): void {
    this.stock.className = "stock";
    this.stock.textContent = "Stock shown at checkout";
  }

  matches(text: string, category: string): boolean {
    const { name, maker } = this.product;
    const named = `${name} ${maker}`.toLowerCase().includes(text.trim().toLowerCase());
    return named && (category === "" || category === this.product.category);
  }

  private picture(): HTMLElement {
    const { badge, tone } = this.product;
    const frame = h("div", { class: `picture tone-${tone}` }, art(this.product.art, "art"));
    if (badge !== "") frame.append(h("span", { class: "badge" }, badge));
    return frame;
  }

  private words(): HTMLElement[] {
    const { name, maker, rating, reviews, was } = this.product;
    const amount = h("p", { class: "price" }, price(this.product.price));
    if (was > 0) amount.append(" ", h("s", {}, price(was)));
    return [
      h("div", { class: "card-head" }, h("h3", {}, name), amount),
      h("p", { class: "maker" }, maker),
      h("p", { class: "rating" }, stars(rating), h("span", { class: "quiet" }, `${rating.toFixed(1)} (${reviews})`)),
    ];
  }

  private async add(): Promise<void> {
    this.button.disabled = true;
    this.label("Adding…");
    const added = await addToCart(this.product.id);
    this.label(added ? "Added ✓" : "Add to basket");
    this.button.disabled = false;
    if (!added) return;
    track("add_to_cart", 1);
    window.setTimeout(() => this.label("Add to basket"), ADDED_MS);
  }
}

function stockLabel(stock: Stock): string {
  if (stock.available === 0) return stock.back === "" ? "Sold out" : `Sold out, ${stock.back}`;
  return stock.available <= FEW ? `Only ${stock.available} left` : "In stock";
}
