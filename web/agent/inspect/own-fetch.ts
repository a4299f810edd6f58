// Stands in for the globals fetch and console in the rasteriser's bundle: what
// is fetched to draw a picture is not the page's own traffic and must not be in
// its call buffer, and what the rasteriser has to say is not the page's either.

import { apply, isCallable } from "../native";

const native: unknown = window.__devtool?.unmask(window.fetch) ?? window.fetch;

async function ownFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response: unknown = isCallable(native) ? await apply(native, window, [input, init]) : undefined;
  if (response instanceof Response) return response;
  throw new TypeError("this page has no fetch");
}

const nothing = (): void => {};
const silence = { log: nothing, info: nothing, warn: nothing, error: nothing, debug: nothing };

export { ownFetch as fetch, silence as console };
