// The only place where the security audit's faults become words.

import type { Fault, Words } from "../fault";
import { clip, counted, oneLine, quoted, shownAddress } from "../words";
import type { Rule } from "./rules";

const MDN = "https://developer.mozilla.org/en-US/docs/Web/";

export const HELP: Readonly<Partial<Record<Rule, string>>> = {
  "csp-missing": `${MDN}HTTP/Guides/CSP`,
  "csp-unsafe-inline": `${MDN}HTTP/Guides/CSP`,
  "csp-unsafe-eval": `${MDN}HTTP/Guides/CSP`,
  "clickjacking": `${MDN}HTTP/Reference/Headers/X-Frame-Options`,
  "content-type-sniffing": `${MDN}HTTP/Reference/Headers/X-Content-Type-Options`,
  "hsts-missing": `${MDN}HTTP/Reference/Headers/Strict-Transport-Security`,
  "cookie-readable": `${MDN}HTTP/Guides/Cookies`,
  "cookie-refused": `${MDN}HTTP/Reference/Headers/Set-Cookie`,
  "mixed-content": `${MDN}Security/Mixed_content`,
  "script-no-integrity": `${MDN}Security/Subresource_Integrity`,
};

const named = (fault: Fault): string => quoted(fault.name ?? "");
const address = (fault: Fault): string => shownAddress(fault.name ?? "", "", 60);

export const WORDS: Words<Rule> = {
  "secret-in-page": secretWords,
  "password-over-http": () => "a password field on a page without TLS: anybody on the way can read it → serve the page over https",
  "mixed-content": (fault) =>
    fault.severity === "info"
      ? `${address(fault)} is loaded over http and will be blocked or upgraded on an https page → use https`
      : `${counted(fault.refs?.length ?? 0, "resource")} over http on an https page, e.g. ${address(fault)} → use https`,
  "form-insecure-action": (fault) => `a form sends its data over plain http to ${address(fault)} → use https`,
  "form-password-get": () => "a form sends a password in the address (method GET): it ends in histories and logs → method=\"post\"",
  "vulnerable-library": (fault) => {
    const [what = "", fixed = ""] = (fault.other ?? "").split("\n");
    return `${clip(oneLine(fault.name ?? ""), 40)}: ${what} → ${fixed === "" ? "move to a library that is maintained" : `update to ${fixed} or later`}`;
  },
  "csp-missing": () => "no Content-Security-Policy: any injected script runs → send one, best with nonces",
  "csp-report-only": () => "the Content-Security-Policy is report-only: it blocks nothing → send it as Content-Security-Policy once the reports are quiet",
  "csp-unsafe-inline": () => "the Content-Security-Policy allows 'unsafe-inline' scripts: injected ones run too → nonces or hashes",
  "csp-unsafe-eval": (fault) =>
    fault.severity === "info"
      ? "the Content-Security-Policy allows 'unsafe-eval': dev servers may need it → leave it out where you deploy"
      : "the Content-Security-Policy allows 'unsafe-eval': text becomes code → leave it out",
  "csp-any-site": () => "the Content-Security-Policy lets scripts come from any site → name the hosts, or nonces with 'strict-dynamic'",
  "csp-gaps": (fault) => `the Content-Security-Policy says nothing about ${fault.name ?? ""} → add ${gapFix(fault.name ?? "")}`,
  "csp-meta-ignored": (fault) => `browsers ignore ${fault.name ?? ""} in a meta policy → send it as a header`,
  "clickjacking": () => "any site may show this page in a frame → Content-Security-Policy: frame-ancestors 'self'",
  "frame-options-invalid": (fault) => `X-Frame-Options ${named(fault)} is ignored by browsers → DENY, SAMEORIGIN or frame-ancestors`,
  "content-type-sniffing": (fault) =>
    fault.name === "" ? "no X-Content-Type-Options: browsers may guess types → nosniff" : `X-Content-Type-Options ${named(fault)} means nothing → nosniff`,
  "hsts-missing": () => "no Strict-Transport-Security: the first visit can be led to http → max-age=31536000",
  "hsts-short": (fault) => `Strict-Transport-Security holds for ${counted(fault.amount ?? 0, "day")} → max-age=31536000`,
  "referrer-leak": (fault) => `Referrer-Policy ${named(fault)} tells other sites the whole address → strict-origin-when-cross-origin`,
  "version-banner": (fault) => `the header ${fault.name ?? ""} names a version (${quoted(fault.other ?? "", 30)}) → leave the version out`,
  "cookie-readable": (fault) =>
    fault.severity === "info"
      ? `scripts can read the session cookie ${named(fault)}, set by a script or another app of this host → let the server set it, HttpOnly`
      : `scripts can read the session cookie ${named(fault)} → set HttpOnly`,
  "cookie-not-secure": (fault) => `the session cookie ${named(fault)} also travels over http → set Secure`,
  "cookie-refused": (fault) => `browsers refuse the cookie ${named(fault)}: ${fault.other ?? ""} → correct its attributes`,
  "cookie-no-samesite": (fault) => `the session cookie ${named(fault)} leaves SameSite to the browser → SameSite=Lax or Strict`,
  "script-no-integrity": (fault) => `${counted(fault.refs?.length ?? 0, "script")} of a public CDN without integrity, e.g. ${address(fault)} → add integrity and crossorigin`,
  "script-unpinned": (fault) => `${address(fault)} has no fixed version: tomorrow it may be other code → name the whole version`,
  "sandbox-void": () => "allow-scripts with allow-same-origin on a frame of this site: it can take its sandbox off → drop one of the two",
  "blank-opener": () => "rel=\"opener\" lets the other site steer this tab → leave it out",
  "inline-handlers": (fault) =>
    fault.severity === "warning"
      ? `${counted(fault.refs?.length ?? 0, "inline handler")} that the Content-Security-Policy blocks → addEventListener`
      : `${counted(fault.refs?.length ?? 0, "inline handler")} (on… attributes, javascript: links) stand in the way of a strict policy → addEventListener`,
  "password-autocomplete-off": () => "autocomplete=\"off\" on a password keeps password managers out → current-password or new-password",
  "permissions-policy": () => "no Permissions-Policy: embedded pages may ask for camera, location and more → name what you use",
  "production-headers": (fault) => `not sent by this dev server: ${fault.name ?? ""} → set them where you deploy`,
  "headers-not-seen": () => "the response's headers and cookies were not seen → run the audit tool on the proxy to have them judged",
};

function gapFix(names: string): string {
  return names
    .split(" and ")
    .map((name) => (name === "object-src" ? "object-src 'none'" : "base-uri 'self'"))
    .join("; ");
}

const PLACES: Readonly<Record<string, string>> = {
  script: "an inline script",
  attribute: "an attribute",
  comment: "an HTML comment",
};

/** The key itself is never told: its kind and how it begins are enough to find it. */
function secretWords(fault: Fault): string {
  const [start = "", where = "", key = ""] = (fault.other ?? "").split("\n");
  const place = PLACES[where] ?? `${where} ${quoted(key, 30)}`;
  const what = `${fault.name ?? ""} ${quoted(`${start}…`, 8)} in ${place}`;
  if (fault.severity === "info") return `${what} → public by design: restrict it to your sites`;
  if (fault.severity === "critical") return `${what}: every visitor has it → keep it on the server and replace it`;
  return where.endsWith("Storage") ? `${what}: any script can take it → an HttpOnly cookie` : `${what}: part of the page's source → fetch it when needed`;
}
