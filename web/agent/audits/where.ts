// Where the page lives: on a developer's machine or on a server for everybody.
// Much of what a deployed page owes its readers a dev server does not.

import { parseURL } from "../native";
import type { AuditPageInput } from "./input";

export interface Where {
  /** The page's address as the target has it. */
  readonly url: string;
  readonly path: string;
  readonly host: string;
  /** Whether readers reach it over TLS. */
  readonly https: boolean;
  /** A machine of the developer's own, or one on the same network. */
  readonly local: boolean;
  /** The page's own origins: the target's, and the proxy's before it. */
  readonly origins: readonly string[];
}

/** Names that no public server has. */
const LOCAL_NAMES = /(?:^|\.)(?:localhost|local|test|internal|lan|home\.arpa)$/;
const LOCAL_ADDRESSES = /^(?:(?:127|10)\.\d+\.\d+\.\d+|(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+|0\.0\.0\.0)$/;

export function isLocalHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[|\]$/g, "");
  if (name === "" || name === "::1" || name === "::" || /^f[cde][0-9a-f]{2}:/.test(name)) return true;
  if (LOCAL_NAMES.test(name) || LOCAL_ADDRESSES.test(name)) return true;
  // A name without a dot is one of the local network's.
  return !name.includes(".") && !name.includes(":");
}

export function whereOf(input: AuditPageInput, pageUrl: string): Where {
  const page = parseURL(pageUrl);
  const target = urlOr(input.seen?.targetOrigin, page);
  // An address without a host, such as about:blank, is its own.
  const at = resolve(`${page.pathname}${page.search}`, target.origin) ?? page;
  return {
    url: at.href,
    path: page.pathname,
    host: at.hostname,
    https: at.protocol === "https:",
    local: isLocalHost(at.hostname),
    origins: [...new Set([page.origin, at.origin])],
  };
}

function urlOr(text: string | undefined, otherwise: URL): URL {
  if (text === undefined || text === "") return otherwise;
  try {
    return parseURL(text);
  } catch {
    return otherwise;
  }
}

/** The address made absolute; undefined for what is none. */
export function resolve(address: string, base: string): URL | undefined {
  try {
    return parseURL(address, base);
  } catch {
    return undefined;
  }
}
