// The notice at the very top and the button that opens the basket.

import { onBasket, type Basket } from "./basket";
import { loadCart } from "./cart";
import { loadConfig } from "./config";
import { slot } from "./dom";
import { price } from "./money";

export async function showHeader(): Promise<void> {
  onBasket(showCount);
  await Promise.all([showNotice(), showBadge()]);
}

async function showNotice(): Promise<void> {
  try {
    const config = await loadConfig();
    slot("notice").textContent = `${config.notice} · free delivery from ${price(config.freeShippingFrom)}`;
  } catch {
    slot("notice").textContent = "Objects for unhurried homes";
  }
}

async function showBadge(): Promise<void> {
  try {
    showCount(await loadCart());
  } catch {
    slot("cart-count").textContent = "";
  }
}

function showCount(basket: Basket): void {
  slot("cart-count").textContent = String(basket.count);
}
