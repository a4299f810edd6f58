// The strip below the hero: who you are and where your things will be.

import { h, slot, spinner } from "./dom";
import { setLocale } from "./money";
import { loadSession } from "./session";

export async function showDelivery(): Promise<void> {
  const strip = slot("delivery");
  try {
    const visit = await loadSession((label) => strip.replaceChildren(spinner(label)));
    setLocale(visit.preferences.locale, visit.preferences.currency);
    slot("account").textContent = visit.user.name;
    strip.replaceChildren(
      h("p", {}, h("strong", {}, `Welcome back, ${visit.user.name}.`), ` Collect at ${visit.store.name}`),
      h("p", { class: "quiet" }, `${visit.store.ready} · open ${visit.store.hours}`),
    );
  } catch {
    strip.replaceChildren(h("p", {}, "Delivery across the UK in two to three days."));
  }
}
