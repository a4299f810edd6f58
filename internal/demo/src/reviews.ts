// What buyers say.

import { h, slot, stars } from "./dom";
import { Fields, readJSON } from "./json";

interface Review {
  readonly author: string;
  readonly place: string;
  readonly stars: number;
  readonly text: string;
  readonly product: string;
}

export async function showReviews(): Promise<void> {
  const place = slot("reviews");
  try {
    const reviews = await loadReviews();
    place.replaceChildren(...reviews.map(quotation));
  } catch {
    place.replaceChildren(h("p", { class: "quiet" }, "Reviews cannot be shown right now."));
  }
}

async function loadReviews(): Promise<Review[]> {
  return readJSON(await fetch("api/reviews/latest"), (fields) => fields.list("reviews", parseReview));
}

function parseReview(value: unknown): Review {
  const fields = new Fields(value);
  return {
    author: fields.text("author"),
    place: fields.text("place"),
    stars: fields.number("stars"),
    text: fields.text("text"),
    product: fields.text("product"),
  };
}

function quotation(review: Review): HTMLElement {
  return h(
    "figure",
    { class: "review" },
    stars(review.stars),
    h("blockquote", {}, review.text),
    h("figcaption", {}, h("strong", {}, review.author), h("span", { class: "quiet" }, `${review.place} · bought the ${review.product}`)),
  );
}
