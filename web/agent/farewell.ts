// The last words of a page that goes before its socket was open: a request that
// outlives the page. Errors at boot are what makes people leave.

import { apply, isObject, promiseThen, quietly } from "./native";
import type { Callable } from "./native";

/** Posts a text with the browser's own fetch, whatever becomes of the page and of the request. */
export function postLast(nativeFetch: Callable, url: string, body: string): void {
  quietly(() => {
    const init: RequestInit & { __proto__: null } = { __proto__: null, method: "POST", body, keepalive: true, credentials: "omit" };
    const sent: unknown = apply(nativeFetch, undefined, [url, init]);
    const ignore = (): void => {};
    if (isObject(sent)) apply(promiseThen, sent, [ignore, ignore]); // a failure must not reach the page as a rejection
  });
}
