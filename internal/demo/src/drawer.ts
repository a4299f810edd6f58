// The basket that slides in from the side.

import { onBasket, type Basket, type Item } from "./basket";
import { loadCart } from "./cart";
import { art, h, slot } from "./dom";
import { price } from "./money";

export async function showDrawer(): Promise<void> {
  const drawer = slot("cart-drawer");
  slot("cart-open").addEventListener("click", () => {
    if (drawer instanceof HTMLDialogElement) drawer.showModal();
  });
  // A click on what lies around the panel is a click on the dialog itself.
  drawer.addEventListener("click", (event) => {
    if (event.target === drawer && drawer instanceof HTMLDialogElement) drawer.close();
  });
  onBasket(showItems);
  try {
    showItems(await loadCart());
  } catch {
    slot("cart-items").replaceChildren(h("li", { class: "quiet" }, "Your basket cannot be shown right now."));
  }
}

function showItems(basket: Basket): void {
  slot("cart-items").replaceChildren(...basket.items.map(line));
  slot("cart-total").textContent = price(basket.total);
}

function line(item: Item): HTMLElement {
  return h(
    "li",
    {},
    h("span", { class: `thumb tone-${item.tone}` }, art(item.art, "art")),
    h("span", { class: "line-name" }, item.name, h("span", { class: "quiet" }, `${item.quantity} × ${price(item.price)}`)),
    h("span", { class: "line-sum" }, price(item.price * item.quantity)),
  );
}
