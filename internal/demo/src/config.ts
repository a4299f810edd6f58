// The shop's settings.

import { type Fields, readJSON } from "./json";

export interface Config {
  /** In pence. */
  readonly freeShippingFrom: number;
  readonly notice: string;
  readonly supportHours: string;
}

export async function loadConfig(): Promise<Config> {
  return readJSON(await fetch("api/config", { cache: "no-store" }), parseConfig);
}

function parseConfig(fields: Fields): Config {
  return {
    freeShippingFrom: fields.number("freeShippingFrom"),
    notice: fields.text("notice"),
    supportHours: fields.text("supportHours"),
  };
}
