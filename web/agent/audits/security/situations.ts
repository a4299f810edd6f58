// The situations whose reports stand in contract/reports, where the Go tests
// read them. For tests only.

import type { Located } from "../fault";
import type { SeenCookie } from "../input";
import { whereOf } from "../where";
import type { SecurityFacts } from "./facts";

export const LOCAL = whereOf({}, "http://localhost:5173/shop");
export const DEPLOYED = whereOf({ seen: { documentHeaders: [], cookies: [], status: 200, targetOrigin: "https://shop.example", tls: true } }, "http://localhost:5173/shop");
export const PLAIN = whereOf({ seen: { documentHeaders: [], cookies: [], status: 200, targetOrigin: "http://shop.example", tls: false } }, "http://localhost:5173/shop");

/** Headers of a site that has thought of all of it. */
export const SOUND_HEADERS: readonly (readonly [string, string])[] = [
  ["Content-Security-Policy", "default-src 'self'; script-src 'self' 'nonce-r4nd0m'; object-src 'none'; base-uri 'self'; frame-ancestors 'none'"],
  ["X-Content-Type-Options", "nosniff"],
  ["Strict-Transport-Security", "max-age=31536000; includeSubDomains"],
  ["Permissions-Policy", "camera=()"],
];

/** A page with nothing wrong. */
export function page(more: Partial<SecurityFacts> = {}): SecurityFacts {
  return {
    where: LOCAL,
    headers: [],
    cookies: [],
    strayCookies: [],
    metaPolicies: [],
    metaReferrer: "",
    scripts: [],
    insecure: [],
    forms: [],
    passwords: [],
    passwordsOff: [],
    openers: [],
    handlers: [],
    voidSandboxes: [],
    secrets: [],
    libraries: [],
    ...more,
  };
}

export function cookie(name: string, more: Partial<SeenCookie> = {}): SeenCookie {
  return { name, secure: false, httpOnly: false, sameSite: "", path: "/", domain: "", ...more };
}

/** The selectors of the elements in the situations. */
export const LOCATED: Located = { selectors: new Map(Array.from({ length: 20 }, (_, ref) => [ref, `#e${ref}`])), sources: new Map() };

export function situations(): Map<string, SecurityFacts> {
  return new Map([
    ["security-development", page()],
    ["security-console", page({ headers: undefined })],
    ["security-deployed", page({ where: DEPLOYED, headers: SOUND_HEADERS })],
    [
      "security-faults",
      page({
        where: DEPLOYED,
        headers: [
          ["content-security-policy", "script-src * 'unsafe-inline' 'unsafe-eval'"],
          ["Server", "nginx/1.18.0"],
        ],
        cookies: [cookie("sessionid"), cookie("widget", { sameSite: "None" })],
        scripts: [
          { ref: 1, url: "https://cdn.jsdelivr.net/npm/bread@1.2.3/bread.js", integrity: false },
          { ref: 2, url: "https://unpkg.com/bread", integrity: false },
        ],
        insecure: [
          { ref: 3, url: "http://static.example/a.js", active: true },
          { ref: 4, url: "http://static.example/a.png", active: false },
        ],
        forms: [{ ref: 5, action: "http://pay.example/take?token=1", method: "post", password: false }],
        passwords: [6],
        passwordsOff: [6],
        openers: [7],
        handlers: [8, 9, 10, 11, 12, 13, 14],
        voidSandboxes: [15],
        secrets: [
          { kind: "Stripe secret key", start: "sk_l", where: "script", key: "", ref: 16 },
          { kind: "JSON Web Token", start: "eyJh", where: "localStorage", key: "auth" },
          { kind: "Google API key", start: "AIza", where: "script", key: "", ref: 16 },
        ],
        libraries: [
          { name: "jQuery", version: "1.12.4" },
          { name: "AngularJS", version: "1.8.3" },
        ],
      }),
    ],
  ]);
}
