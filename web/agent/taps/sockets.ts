// Leads WebSockets that the page opens to its own server by name and port back
// through the proxy. Some dev servers (webpack's) write their own address into
// the client they serve; a page that came through the proxy would go around it
// and be refused there, for it has another origin.

import { replaceConstructor } from "../mask";
import { parseURL, quietly, read } from "../native";
import type { Attribute, Undo } from "../native";

/** Names of this machine: a server that listens on all of them may write any. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** Where a socket to `url` must go; undefined when it may go where it says. `target` is the proxied host:port. */
export function throughProxy(url: string, target: string, page: { readonly protocol: string; readonly host: string; readonly href: string }): string | undefined {
  const to = parseURL(url, page.href);
  if (!/^(?:ws|http)s?:$/.test(to.protocol) || to.host === page.host) return undefined;
  const own = parseURL(`${to.protocol}//${target}`);
  const same = to.host === own.host || (loopback.test(to.hostname) && loopback.test(own.hostname) && to.port === own.port);
  if (!same) return undefined;
  return `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}${to.pathname}${to.search}${to.hash}`;
}

const urlHref: Attribute = { of: "URL", key: "href", get: undefined };

/** Starts the tap; `target` is the host and port that the proxy fronts. */
export function tapSockets(target: string): Undo {
  if (target === "") return () => {};
  return replaceConstructor(globalThis, "WebSocket", (args) => {
    const url = args[0];
    const text = typeof url === "string" ? url : read(urlHref, url);
    const led = typeof text === "string" ? quietly(() => throughProxy(text, target, location)) : undefined;
    return led === undefined ? args : [led, ...args.slice(1)];
  });
}
