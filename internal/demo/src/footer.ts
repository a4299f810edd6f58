// The bottom of the page repeats what is in the basket and when somebody answers.

import { onBasket, type Basket } from "./basket";
import { loadCart } from "./cart";
import { loadConfig } from "./config";
import { slot } from "./dom";
import { price } from "./money";

export async function showFooter(): Promise<void> {
  onBasket(showSummary);
  await Promise.all([showHours(), showTotal()]);
}

async function showHours(): Promise<void> {
  try {
    slot("support-hours").textContent = (await loadConfig()).supportHours;
  } catch {
    slot("support-hours").textContent = "on weekdays";
  }
}

async function showTotal(): Promise<void> {
  try {
    showSummary(await loadCart());
  } catch {
    slot("footer-cart").textContent = "";
  }
}

function showSummary(basket: Basket): void {
  const things = basket.count === 1 ? "1 thing" : `${basket.count} things`;
  slot("footer-cart").textContent = `${things} in your basket, ${price(basket.total)}`;
}
