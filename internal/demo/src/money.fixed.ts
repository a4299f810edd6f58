// Prices as the visitor is used to read them.

let format = new Intl.NumberFormat("en-GB", { style: "currency", currency: "GBP" });

/** Takes the visitor's own habit of writing numbers. Profiles carry POSIX names: en_GB, not en-GB. */
export function setLocale(locale: string, currency: string): void {
  format = new Intl.NumberFormat(locale.replace("_", "-"), { style: "currency", currency });
}

export function price(pence: number): string {
  return format.format(pence / 100);
}
