// Cookies as the server set them, and those that scripts have.

import type { Fault } from "../fault";
import type { SeenCookie } from "../input";
import type { SecurityFacts } from "./facts";
import type { Rule } from "./rules";

/** Words that a cookie's name has when it says who somebody is. */
const SESSION_WORDS = new Set(["session", "sess", "sessid", "sessionid", "sid", "phpsessid", "jsessionid", "auth", "authtoken", "jwt", "token", "accesstoken", "refreshtoken", "idtoken", "login", "remember", "asp", "aspxauth"]);
/** Words of cookies that scripts must read, or that name nobody. */
const HARMLESS_WORDS = new Set(["csrf", "xsrf", "csrftoken", "xsrftoken", "csrfmiddlewaretoken", "antiforgery", "hmr", "ga", "gid", "analytics", "consent", "theme", "device", "anonymous", "anon", "recaptcha", "count"]);

function wordsOf(name: string): string[] {
  return name
    .replace(/^__(?:Host|Secure)-/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/** Whether whoever has the cookie is taken for its owner, by its name. */
export function isSessionCookie(name: string): boolean {
  const words = wordsOf(name);
  return words.some((word) => SESSION_WORDS.has(word)) && !words.some((word) => HARMLESS_WORDS.has(word));
}

/** Why browsers refuse to keep a cookie; undefined when they do not. */
export function refusal(cookie: SeenCookie): string | undefined {
  if (cookie.sameSite.toLowerCase() === "none" && !cookie.secure) return "SameSite=None needs Secure";
  if (cookie.name.startsWith("__Secure-") && !cookie.secure) return "the prefix __Secure- needs Secure";
  if (!cookie.name.startsWith("__Host-")) return undefined;
  if (!cookie.secure) return "the prefix __Host- needs Secure";
  if (cookie.domain !== "") return "the prefix __Host- allows no Domain";
  return cookie.path === "/" ? undefined : "the prefix __Host- needs Path=/";
}

/** One finding for each cookie and fault: each has its own place in the code. */
export function detectCookies(facts: SecurityFacts): Fault<Rule>[] {
  const found: Fault<Rule>[] = [];
  const add = (rule: Rule, severity: "warning" | "info", cookie: SeenCookie, other = ""): void => {
    found.push({ rule, severity, name: cookie.name, key: cookie.name, other });
  };
  const last = new Map(facts.cookies.map((cookie) => [cookie.name, cookie]));
  for (const cookie of last.values()) {
    const why = refusal(cookie);
    if (why !== undefined) add("cookie-refused", "warning", cookie, why);
    if (!isSessionCookie(cookie.name)) continue;
    if (!cookie.httpOnly) add("cookie-readable", "warning", cookie);
    if (why !== undefined) continue;
    // Plain http on the developer's machine has no use for Secure.
    if (!cookie.secure && facts.where.https && !facts.where.local) add("cookie-not-secure", "warning", cookie);
    if (cookie.sameSite === "") add("cookie-no-samesite", "info", cookie);
  }
  // All apps of one host share its cookies, whatever their port: who set these is not known.
  for (const name of facts.strayCookies) {
    if (isSessionCookie(name)) found.push({ rule: "cookie-readable", severity: "info", name, key: name });
  }
  return found;
}
