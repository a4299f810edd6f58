// Prices as the visitor is used to read them.

let format = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

/** Takes the visitor's own habit of writing numbers. */
export function setLocale(locale: string, currency: string): void {
  try {
    format = new Intl.NumberFormat(locale, { style: "currency", currency });
  } catch (error) {
    // oxlint-disable-next-line no-console
    console.error(`money: cannot write prices for locale "${locale}"`, error);
  }
}

export function price(pence: number): string {
  return format.format(pence / 100);
}
