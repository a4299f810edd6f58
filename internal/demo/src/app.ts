// The page's parts, in the order in which they ask for what they need.

import { track } from "./analytics";
import { showDelivery } from "./delivery";
import { showDrawer } from "./drawer";
import { h, slot } from "./dom";
import { showFooter } from "./footer";
import { showHeader } from "./header";
import { showLookbook } from "./hero";
import { showProducts } from "./ProductList";
import { showRecommendations } from "./recommendations";
import { showReviews } from "./reviews";
import { startSearch } from "./search";

function start(): void {
  const delivery = showDelivery();
  const products = showProducts();
  const parts = [showHeader(), showRecommendations(products), showReviews(), showDrawer(), showFooter(), startSearch(products)];
  showLookbook();
  track("page_view");
  void settle([delivery, ...parts]);
}

/** Marks the page as complete; without products there is nothing to see, and that is said. */
async function settle(parts: readonly Promise<void>[]): Promise<void> {
  try {
    await Promise.all(parts);
  } catch {
    slot("grid").replaceChildren(h("p", { class: "quiet" }, "The shelves cannot be shown right now. Please load the page again."));
  }
  document.documentElement.dataset["ready"] = "";
}

start();
