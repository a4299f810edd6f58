import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocalHost, whereOf } from "../where";
import { detect, report } from "./audit";
import { isSessionCookie, refusal } from "./detect-cookies";
import type { SecurityFacts } from "./facts";
import { compareVersions, holeOf } from "./libraries";
import { allowsAnySite, allowsHandlers, parsePolicies, saysInline } from "./policy";
import { findSecrets } from "./secrets";
import { cookie, DEPLOYED, LOCAL, page, PLAIN, LOCATED, SOUND_HEADERS } from "./situations";

const told = (facts: SecurityFacts): string[] => detect(facts).map((fault) => `${fault.rule} ${fault.severity}`);
const policy = (text: string): [string, string][] => [["Content-Security-Policy", text]];

test("a dev server on the developer's machine scores full marks; the rest is one note", () => {
  assert.deepEqual(told(page()), ["production-headers info"]);
  const made = report(page(), detect(page()), LOCATED, 0);
  assert.deepEqual([made.score, made.grade, made.summary], [100, "A", "Security is good. (31 checks analyzed)"]);
  assert.match(made.findings[0]?.message ?? "", /Content-Security-Policy, X-Frame-Options, .* → set them where you deploy$/);
});

test("without the proxy's eyes the report says so, and counts fewer checks", () => {
  const facts = page({ headers: undefined });
  assert.deepEqual(told(facts), ["headers-not-seen info"]);
  assert.ok((report(facts, detect(facts), LOCATED, 0).checksAnalyzed ?? 99) < 31);
});

test("a deployed site: each missing header is a fault, a sound one has none", () => {
  assert.deepEqual(told(page({ where: DEPLOYED })), ["csp-missing warning", "clickjacking warning", "content-type-sniffing warning", "hsts-missing warning", "permissions-policy info"]);
  assert.deepEqual(told(page({ where: DEPLOYED, headers: SOUND_HEADERS })), []);
  // Over plain http there is nothing to be strict about.
  assert.ok(!told(page({ where: PLAIN })).some((line) => line.startsWith("hsts")));
});

test("policies: what every one of them leaves open", () => {
  const cases: [string[], string[]][] = [
    [["default-src 'self'"], ["csp-gaps info"]],
    [["default-src 'self'; base-uri 'none'"], []],
    [["img-src *"], []],
    [["script-src 'unsafe-inline'; object-src 'none'; base-uri 'none'"], ["csp-unsafe-inline info"]],
    [["script-src 'UNSAFE-INLINE' 'nonce-abc'; object-src 'none'; base-uri 'none'"], []],
    [["script-src 'unsafe-inline' 'sha256-abc='; object-src 'none'; base-uri 'none'"], []],
    [["script-src 'unsafe-inline'; base-uri 'none'", "default-src 'self'"], []],
    [["script-src 'unsafe-inline'; base-uri 'none', default-src 'self'"], []],
    [["default-src 'self'; style-src 'unsafe-inline'; base-uri 'none'"], []],
    [["default-src *; base-uri 'none'"], ["csp-any-site info"]],
    [["default-src 'self'; img-src * data:; base-uri 'none'"], []],
    [["script-src 'strict-dynamic' 'nonce-x' https: 'unsafe-inline'; object-src 'none'; base-uri 'none'"], []],
    [["script-src 'self' 'unsafe-eval'; object-src 'none'; base-uri 'none'"], ["csp-unsafe-eval info"]],
    [["script-src 'self' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'"], []],
    [["script-src 'self'; script-src 'unsafe-inline'; object-src 'none'; base-uri 'none'"], []],
    [["; ;"], []],
  ];
  for (const [policies, want] of cases) {
    const headers = policies.map((text) => ["content-security-policy", text] as const);
    assert.deepEqual(told(page({ headers })).filter((line) => line.startsWith("csp")), want, policies.join(" | "));
  }
  const [parsed] = parsePolicies(["script-src-attr 'none'; script-src 'unsafe-inline'"]);
  assert.ok(parsed !== undefined && saysInline(parsed) && !allowsHandlers(parsed) && !allowsAnySite(parsed));
});

test("a policy in the page counts, all but its framing", () => {
  const facts = page({ where: DEPLOYED, headers: SOUND_HEADERS.slice(1), metaPolicies: ["default-src 'self'; base-uri 'self'; frame-ancestors 'none'"] });
  assert.deepEqual(told(facts), ["csp-meta-ignored warning", "clickjacking warning"]);
});

test("X-Frame-Options, X-Content-Type-Options, Referrer-Policy", () => {
  const cases: [string, string, string][] = [
    ["X-Frame-Options", "deny", ""],
    ["X-Frame-Options", "SAMEORIGIN, SAMEORIGIN", ""],
    ["X-Frame-Options", "ALLOW-FROM https://a.example", "frame-options-invalid warning"],
    ["X-Content-Type-Options", "NoSniff", ""],
    ["X-Content-Type-Options", "yes", "content-type-sniffing warning"],
    ["Referrer-Policy", "origin", ""],
    ["Referrer-Policy", "unsafe-url", "referrer-leak warning"],
    ["Referrer-Policy", "no-referrer, unknown-word", ""],
    ["Referrer-Policy", "unsafe-url, strict-origin", ""],
  ];
  for (const [name, value, want] of cases) {
    assert.deepEqual(told(page({ headers: [[name, value]] })).filter((line) => line !== "production-headers info"), want === "" ? [] : [want], `${name}: ${value}`);
  }
});

test("cookies that say who somebody is, by their names", () => {
  for (const name of ["sessionid", "PHPSESSID", "connect.sid", "JSESSIONID", "auth_token", "__Host-session", "next-auth.session-token", "sb-access-token", "rememberMe", "accessToken", "jwt"]) {
    assert.ok(isSessionCookie(name), name);
  }
  for (const name of ["theme", "csrftoken", "XSRF-TOKEN", "_ga", "__next_hmr_refresh_hash__", "cookie_consent", "locale", "sidebar_state", "anonymous_session_id", "author", "insider", "side"]) {
    assert.ok(!isSessionCookie(name), name);
  }
});

test("cookies that scripts have: told, not held against the page, for another app of the host may have set them", () => {
  const facts = page({ strayCookies: ["theme", "auth_token", "csrftoken"] });
  assert.deepEqual(told(facts), ["cookie-readable info", "production-headers info"]);
  const made = report(facts, detect(facts), LOCATED, 0);
  assert.equal(made.score, 100);
  assert.equal(made.findings[0]?.message, 'scripts can read the session cookie "auth_token", set by a script or another app of this host → let the server set it, HttpOnly');
});

test("cookies: what is asked of them where", () => {
  const lax = { httpOnly: true, sameSite: "Lax" };
  const cases: [SecurityFacts["where"], ReturnType<typeof cookie>, string[]][] = [
    [LOCAL, cookie("sessionid", lax), []],
    [LOCAL, cookie("sessionid", { ...lax, sameSite: "" }), ["cookie-no-samesite info"]],
    [LOCAL, cookie("sessionid", { sameSite: "Lax" }), ["cookie-readable warning"]],
    [LOCAL, cookie("theme"), []],
    [DEPLOYED, cookie("sessionid", lax), ["cookie-not-secure warning"]],
    [PLAIN, cookie("sessionid", lax), []],
    [LOCAL, cookie("widget", { sameSite: "none" }), ["cookie-refused warning"]],
    [LOCAL, cookie("widget", { sameSite: "None", secure: true }), []],
  ];
  for (const [where, item, want] of cases) {
    assert.deepEqual(told(page({ where, cookies: [item] })).filter((line) => line.startsWith("cookie")), want, JSON.stringify(item));
  }
  assert.equal(refusal(cookie("__Host-a", { secure: true, domain: "a.example" })), "the prefix __Host- allows no Domain");
  assert.equal(refusal(cookie("__Host-a", { secure: true })), undefined);
  assert.match(refusal(cookie("__Secure-a")) ?? "", /needs Secure/);
});

test("keys: found by shape, placeholders and public ones are none", () => {
  const jwt = (claims: string): string => `eyJhbGciOiJIUzI1NiJ9.${btoa(claims).replace(/=/g, "")}.c2lnbmF0dXJlLWlzLW5vdC1yZWFs`;
  const cases: [string, string | undefined][] = [
    ["key: 'AKIAQ3EGRSTUVW2XYZ57'", "AWS access key"],
    ["AKIAIOSFODNN7EXAMPLE", undefined],
    ["xAKIAQ3EGRSTUVW2XYZ57", undefined],
    [`"${["sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"].join("_")}"`, "Stripe secret key"],
    ["pk_live_4eC39HqLyjWDarjtT1zdp7dc", undefined],
    ["sk_test_xxxxxxxxxxxxxxxxxxxxxxxx", undefined],
    ["task_live_4eC39HqLyjWDarjtT1zdp7dc", undefined],
    ["ghp_Zk3vQ9xT1mB7rN5cW2yH8dJ4sL6fG0pAbCdE", "GitHub token"],
    ["ghp_short", undefined],
    ["sk-fading-circle sk-cube-grid sk-folding-cube-with-many-names", undefined],
    [`sk-proj-${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fH3jL5nP7r"}`, "OpenAI key"],
    ["AIzaSyD4k9vQxT1mB7rN5cW2yH8dJ3sL6fG0pZe", "Google API key"],
    ["-----BEGIN PRIVATE KEY-----", undefined],
    [`-----BEGIN RSA PRIVATE KEY-----\\n${"MIIEowIBAAKCAQEA7bq3".repeat(3)}`, "private key"],
    [jwt('{"sub":"42","name":"Ann"}'), "JSON Web Token"],
    [jwt('{"role":"anon","iss":"supabase"}'), undefined],
    [jwt('{"role":"service_role"}'), "service key"],
    ["eyJub3QiOiJoZWFkIn0.eyJzdWIiOiI0MiIsIm5hbWUiOiJBbm4ifQ.c2lnbmF0dXJlLWlzLW5vdC1yZWFs", undefined],
    ["import{eyJfoo}from'./a.eyJbar.js'", undefined],
  ];
  for (const [text, want] of cases) assert.equal(findSecrets(text)[0]?.kind, want, text);
});

test("a key never leaves the page", () => {
  const facts = page({ secrets: [{ kind: "GitHub token", start: "ghp_", where: "comment", key: "" }] });
  const [finding] = report(facts, detect(facts), LOCATED, 0).findings;
  assert.equal(finding?.message, 'GitHub token "ghp_…" in an HTML comment: every visitor has it → keep it on the server and replace it');
  assert.equal(finding?.severity, "critical");
});

test("libraries: the versions with a hole, and not one more", () => {
  const cases: [string, string, boolean][] = [
    ["jQuery", "3.4.1", true],
    ["jQuery", "3.5.0", false],
    ["jQuery", "3.5.0-rc.1", true],
    ["jQuery", "3.10.0", false],
    ["jQuery", "1.12.4", true],
    ["AngularJS", "1.8.3", true],
    ["lodash", "4.17.20", true],
    ["lodash", "4.17.21", false],
    ["lodash", "4.17.100", false],
    ["Underscore", "1.13.6", false],
    ["Bootstrap", "4.3.0", true],
    ["Bootstrap", "4.6.2", false],
    ["Bootstrap", "3.4.1", false],
    ["Bootstrap", "5.3.3", false],
    ["Moment.js", "2.10.0", false],
    ["Moment.js", "2.29.3", true],
    ["DOMPurify", "2.5.8", false],
    ["DOMPurify", "3.1.0", true],
    ["jQuery", "latest", false],
    ["Vue", "2.0.0", false],
  ];
  for (const [name, version, want] of cases) assert.equal(holeOf({ name, version }) !== undefined, want, `${name} ${version}`);
  assert.ok(compareVersions("1.2", "1.2.0") === 0 && compareVersions("1.10", "1.9") > 0);
});

test("mixed content and forms: only what goes to another machine over http", () => {
  const script = (url: string) => ({ ref: 1, url, active: true });
  assert.deepEqual(told(page({ where: DEPLOYED, headers: SOUND_HEADERS, insecure: [script("http://static.example/a.js")] })), ["mixed-content critical"]);
  assert.deepEqual(told(page({ where: DEPLOYED, headers: SOUND_HEADERS, insecure: [script("http://localhost:9/a.js"), script("http://localhost:5173/b.js")] })), []);
  assert.deepEqual(told(page({ insecure: [{ ...script("http://static.example/a.png"), active: false }] })), ["mixed-content info", "production-headers info"]);
  assert.ok(!told(page({ where: PLAIN, insecure: [script("http://static.example/a.js")] })).includes("mixed-content critical"));
  const form = (action: string | undefined, method: string, password: boolean) => told(page({ headers: SOUND_HEADERS, forms: [{ ref: 1, action, method, password }] }));
  assert.deepEqual(form("http://pay.example/", "post", false), ["form-insecure-action warning"]);
  assert.deepEqual(form("http://search.example/", "get", false), []);
  assert.deepEqual(form("/login", "get", true), ["form-password-get warning"]);
  assert.deepEqual([form(undefined, "get", true), form("#", "get", true), form("/login", "post", true), form("javascript:void 0", "get", true)], [[], [], [], []]);
  assert.deepEqual(told(page({ where: PLAIN, headers: SOUND_HEADERS, passwords: [1] })), ["password-over-http critical"]);
  assert.deepEqual(told(page({ headers: SOUND_HEADERS, passwords: [1] })), []);
});

test("scripts of others: a hash where the address has a version, never where the file changes", () => {
  const script = (url: string, integrity = false) => told(page({ headers: SOUND_HEADERS, scripts: [{ ref: 1, url, integrity }] }));
  assert.deepEqual(script("https://cdn.jsdelivr.net/npm/a@1.2.3/a.js"), ["script-no-integrity warning"]);
  assert.deepEqual(script("https://cdn.jsdelivr.net/npm/a@1.2.3/a.js", true), []);
  assert.deepEqual(script("https://cdnjs.cloudflare.com/ajax/libs/Chart.js/2.8.0/Chart.min.js"), ["script-no-integrity warning"]);
  assert.deepEqual(script("https://code.jquery.com/jquery-3.7.1.min.js"), ["script-no-integrity warning"]);
  assert.deepEqual(script("https://cdn.jsdelivr.net/npm/a@1"), ["script-unpinned info"]);
  for (const url of ["https://js.stripe.com/v3/", "https://www.googletagmanager.com/gtag/js?id=G-1.2.3", "https://static.shop.example/1.2.3/app.js"]) assert.deepEqual(script(url), [], url);
});

test("inline handlers: a few are let be, unless the policy blocks them", () => {
  const handlers = (count: number, headers: readonly (readonly [string, string])[]) => told(page({ headers, handlers: Array.from({ length: count }, (_, ref) => ref) })).filter((line) => line.startsWith("inline"));
  assert.deepEqual(handlers(4, []), []);
  assert.deepEqual(handlers(5, []), ["inline-handlers info"]);
  assert.deepEqual(handlers(1, policy("script-src 'self'")), ["inline-handlers warning"]);
  assert.deepEqual(handlers(1, policy("script-src 'self' 'unsafe-inline'")), []);
});

test("machines of a developer's own", () => {
  for (const host of ["localhost", "app.localhost", "127.0.0.1", "127.1.2.3", "[::1]", "192.168.1.7", "10.0.0.2", "172.20.0.3", "mac.local", "shop.test", "devbox", "0.0.0.0", "[fd12::1]"]) assert.ok(isLocalHost(host), host);
  for (const host of ["shop.example", "localhost.evil.com", "172.32.0.1", "11.0.0.1", "8.8.8.8", "test.com", "[2606:4700::1]", "127.0.0.1.nip.io"]) assert.ok(!isLocalHost(host), host);
});

test("the page's address is the target's, and any page has one", () => {
  const seen = { documentHeaders: [], cookies: [], status: 200, targetOrigin: "https://shop.example", tls: true };
  const at = whereOf({ seen }, "http://localhost:4000/a/b?c=1#d");
  assert.deepEqual([at.url, at.path, at.https, at.local, at.origins], ["https://shop.example/a/b?c=1", "/a/b", true, false, ["http://localhost:4000", "https://shop.example"]]);
  assert.equal(whereOf({ seen: { ...seen, targetOrigin: "no address" } }, "http://localhost:4000/a").local, true);
  assert.equal(whereOf({}, "about:blank").local, true);
});
