// The shop's settings.

import { type Fields, readJSON } from "./json";

export interface Config {
  /** In pence. */
  readonly freeShippingFrom: number;
  readonly notice: string;
  readonly supportHours: string;
}

let shared: Promise<Config> | undefined;

/** One request, whoever asks and how often. */
export function loadConfig(): Promise<Config> {
  shared ??= requestConfig();
  return shared;
}

async function requestConfig(): Promise<Config> {
  return readJSON(await fetch("api/config", { cache: "no-store" }), parseConfig);
}

function parseConfig(fields: Fields): Config {
  return {
    freeShippingFrom: fields.number("freeShippingFrom"),
    notice: fields.text("notice"),
    supportHours: fields.text("supportHours"),
  };
}
