// Splits URLs without the URL global: the same code runs in an engine that has
// none. It takes what the browser has already resolved and never throws.

export interface Param {
  readonly name: string;
  readonly value: string;
}

export interface UrlParts {
  /** Scheme, host and port, lower case, without a default port; empty when there is no host. */
  readonly origin: string;
  /** Starts with a slash. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly params: readonly Param[];
  /** data:, blob: and the like never leave the page. */
  readonly local: boolean;
}

const MAX_SHOWN = 300;
export const NO_PARAMS: readonly Param[] = [];
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const SECRET_NAME = /(token|secret|passw|api_?-?key|access_?-?key|signature|^sig$|session|^auth|jwt|credential|^code$|^pwd$)/i;

/** The prefix read last and its origin: most URLs of a page share one. */
let lastPrefix = "";
let lastOrigin = "";

export function splitUrl(url: string): UrlParts {
  const hash = url.indexOf("#");
  const bare = hash < 0 ? url : url.slice(0, hash);
  const mark = bare.indexOf("?");
  const beforeQuery = mark < 0 ? bare : bare.slice(0, mark);
  const query = mark < 0 || mark === bare.length - 1 ? "" : bare.slice(mark);
  let origin = "";
  let path = beforeQuery;
  const slashes = beforeQuery.indexOf("//");
  if (slashes === 0 || (slashes > 0 && beforeQuery.indexOf(":") === slashes - 1)) {
    const end = beforeQuery.indexOf("/", slashes + 2);
    const prefix = end < 0 ? beforeQuery : beforeQuery.slice(0, end);
    if (prefix !== lastPrefix) {
      lastOrigin = originOf(prefix.slice(0, slashes), prefix.slice(slashes + 2));
      lastPrefix = prefix;
    }
    origin = lastOrigin;
    path = end < 0 ? "/" : beforeQuery.slice(end);
  } else if (!beforeQuery.startsWith("/")) {
    if (SCHEME.test(beforeQuery)) {
      return { origin: beforeQuery.slice(0, beforeQuery.indexOf(":") + 1).toLowerCase(), path: "/", query: "", params: NO_PARAMS, local: true };
    }
    path = `/${path}`;
  }
  return { origin, path, query, params: query === "" ? NO_PARAMS : paramsOf(query), local: false };
}

/** A text that survives being decoded, or itself. */
export function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Path, with its origin when that is not the page's. */
export function shownPath(url: UrlParts, pageOrigin: string): string {
  return clean(withOrigin(url.path, url.origin, pageOrigin));
}

/** Path and query, secrets left out, with its origin when that is not the page's. */
export function shownUrl(url: UrlParts, pageOrigin: string): string {
  return clean(withOrigin(url.path + shownQuery(url.params), url.origin, pageOrigin));
}

export function shownQuery(params: readonly Param[]): string {
  if (params.length === 0) return "";
  const parts = params.map(({ name, value }) => {
    if (SECRET_NAME.test(decode(name)) && value !== "") return `${name}=[redacted]`;
    return value === "" ? name : `${name}=${value}`;
  });
  return `?${parts.join("&")}`;
}

export function withOrigin(path: string, origin: string, pageOrigin: string): string {
  return origin === pageOrigin ? path : origin + path;
}

/** A page's text made fit to stand in a line of ours: one line, bounded. */
export function clean(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what this is about
  const line = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN - 1)}…`;
}

function originOf(scheme: string, authority: string): string {
  const protocol = scheme.toLowerCase();
  let host = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
  if (protocol === "http:") host = host.replace(/:80$/, "");
  if (protocol === "https:") host = host.replace(/:443$/, "");
  return `${protocol}//${host}`;
}

/** Takes a query with its question mark. */
export function paramsOf(query: string): readonly Param[] {
  const params: Param[] = [];
  for (let from = 1; from < query.length; ) {
    let to = query.indexOf("&", from);
    if (to < 0) to = query.length;
    if (to > from) {
      const equals = query.indexOf("=", from);
      const named = equals >= 0 && equals < to;
      params.push({ name: query.slice(from, named ? equals : to), value: named ? query.slice(equals + 1, to) : "" });
    }
    from = to + 1;
  }
  return params;
}
