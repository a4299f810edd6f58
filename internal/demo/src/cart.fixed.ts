// What the visitor wants to buy, as the server knows it.

import { announce, parseBasket, type Basket } from "./basket";
import { readJSON } from "./json";
import { toast } from "./toast";

let shared: Promise<Basket> | undefined;

/** One request for all parts of the page; later changes are announced. */
export function loadCart(): Promise<Basket> {
  shared ??= requestCart();
  return shared;
}

async function requestCart(): Promise<Basket> {
  return readJSON(await fetch("api/cart", { cache: "no-store" }), parseBasket);
}

/** Puts one more of a product into the basket and says whether that worked. */
export async function addToCart(productId: number): Promise<boolean> {
  try {
    const response = await fetch("api/cart/items", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ productId }),
    });
    announce(await readJSON(response, parseBasket));
    return true;
  } catch {
    toast("That did not work. Please try again in a moment.");
    return false;
  }
}
