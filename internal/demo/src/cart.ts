// What the visitor wants to buy, as the server knows it.

import { announce, parseBasket, type Basket } from "./basket";
import { readJSON, refusal } from "./json";

export async function loadCart(): Promise<Basket> {
  return readJSON(await fetch("api/cart", { cache: "no-store" }), parseBasket);
}

/** Puts one more of a product into the basket and says whether that worked. */
export async function addToCart(productId: number): Promise<boolean> {
  const response = await fetch("api/cart/items", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ productId }),
  });
  if (!response.ok) throw new Error(`could not add product ${productId}: ${await refusal(response)}`);
  announce(await readJSON(response, parseBasket));
  return true;
}
