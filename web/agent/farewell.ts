// The last words of a page that goes before its socket was open: a request that
// outlives the page. Errors at boot are what makes people leave.

import { apply, isObject, promiseThen, quietly } from "./native";
import type { Callable } from "./native";

const escape = encodeURIComponent;

/**
 * Posts a text with the browser's own fetch, whatever becomes of the page and of the request. It travels in a header:
 * of bodies the browser grants a page that leaves 64 KB in all, and those are the page's own.
 */
export function postLast(nativeFetch: Callable, url: string, text: string): void {
  quietly(() => {
    const init: RequestInit & { __proto__: null } = { __proto__: null, method: "POST", headers: { said: escape(text) }, keepalive: true, credentials: "omit" };
    const sent: unknown = apply(nativeFetch, undefined, [url, init]);
    const ignore = (): void => {};
    if (isObject(sent)) apply(promiseThen, sent, [ignore, ignore]); // a failure must not reach the page as a rejection
  });
}
