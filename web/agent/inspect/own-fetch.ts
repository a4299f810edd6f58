// Stands in for the global fetch in the rasteriser's bundle: what is fetched to
// draw a picture is not the page's own traffic and must not be in its call
// buffer.

import { apply, isCallable } from "../native";

const native: unknown = window.__devtool?.unmask(window.fetch) ?? window.fetch;

async function ownFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response: unknown = isCallable(native) ? await apply(native, window, [input, init]) : undefined;
  if (response instanceof Response) return response;
  throw new TypeError("this page has no fetch");
}

export { ownFetch as fetch };
