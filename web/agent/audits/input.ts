// What an audit is told from outside: the things the proxy saw and a page
// cannot see. Typed at a console there is nothing of it, and the audits say so.

/** A cookie as the target set it, before the proxy made it fit its own origin. */
export interface SeenCookie {
  readonly name: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  /** As it was written: Strict, Lax, None; empty when it was not. */
  readonly sameSite: string;
  readonly path: string;
  readonly domain: string;
}

export interface SeenByProxy {
  /** Headers of the document's response, as the target sent them; one pair per line, names in any case. */
  readonly documentHeaders: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly SeenCookie[];
  readonly status: number;
  /** Scheme, host and port of what the proxy fronts. */
  readonly targetOrigin: string;
  /** Whether the browser reached the proxy, or the proxy the target, over TLS. */
  readonly tls: boolean;
  /** Addresses of files that the page asked for and did not get. */
  readonly failed?: readonly string[];
}

export interface AuditPageInput {
  readonly seen?: SeenByProxy;
}

/** All values of one of the document's response headers; undefined when the headers were not seen. */
export function headerValues(input: AuditPageInput, name: string): readonly string[] | undefined {
  const headers = input.seen?.documentHeaders;
  if (headers === undefined) return undefined;
  const wanted = name.toLowerCase();
  return headers.filter(([key]) => key.toLowerCase() === wanted).map(([, value]) => value);
}

/** Whatever an audit was called with, made safe to read: a person may have typed it. */
export function readInput(value: unknown): AuditPageInput {
  const seen = property(value, "seen");
  if (typeof seen !== "object" || seen === null) return {};
  return {
    seen: {
      documentHeaders: pairs(property(seen, "documentHeaders")),
      cookies: list(property(seen, "cookies")).map(cookie),
      status: Number(property(seen, "status")) || 0,
      targetOrigin: text(property(seen, "targetOrigin")),
      tls: property(seen, "tls") === true,
      failed: list(property(seen, "failed")).map(text),
    },
  };
}

function cookie(value: unknown): SeenCookie {
  return {
    name: text(property(value, "name")),
    secure: property(value, "secure") === true,
    httpOnly: property(value, "httpOnly") === true,
    sameSite: text(property(value, "sameSite")),
    path: text(property(value, "path")),
    domain: text(property(value, "domain")),
  };
}

function pairs(value: unknown): (readonly [string, string])[] {
  return list(value).map((pair) => {
    const [name, held] = list(pair);
    return [text(name), text(held)] as const;
  });
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
