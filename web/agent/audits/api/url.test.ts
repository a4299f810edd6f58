import assert from "node:assert/strict";
import { test } from "node:test";
import { isIdLike, mayBeIdParam } from "./id-like";
import { fileKindOf, templateOf } from "./template";
import { shownUrl, splitUrl } from "./url";

test("a URL is split as the browser wrote it", () => {
  const cases: [string, string, string, string][] = [
    ["https://Shop.Test:443/a/b?x=1&y#frag", "https://shop.test", "/a/b", "?x=1&y"],
    ["http://user:pw@shop.test:8080", "http://shop.test:8080", "/", ""],
    ["http://[::1]:3000/x?u=http://a/b", "http://[::1]:3000", "/x", "?u=http://a/b"],
    ["//cdn.test/x", "//cdn.test", "/x", ""],
    ["/only/path", "", "/only/path", ""],
    ["relative", "", "/relative", ""],
    ["", "", "/", ""],
  ];
  for (const [text, origin, path, query] of cases) {
    const url = splitUrl(text);
    assert.deepEqual([url.origin, url.path, url.query, url.local], [origin, path, query, false], text);
  }
  for (const text of ["data:text/html,<b>", "blob:http://a/1-2", "about:blank"]) assert.equal(splitUrl(text).local, true, text);
});

test("what is shown carries a foreign origin and no secret", () => {
  const shown = (text: string): string => shownUrl(splitUrl(text), "http://app.test");
  assert.equal(shown("http://app.test/a?q=1&flag"), "/a?q=1&flag");
  assert.equal(shown("http://api.test/a?api_key=1&apiKey=2&X-Signature=3&sort=up"), "http://api.test/a?api_key=[redacted]&apiKey=[redacted]&X-Signature=[redacted]&sort=up");
});

test("ids", () => {
  const yes = [
    "7", "00042", "18446744073709551615", "3f2b8c1a-9d4e-4f6a-8b7c-1e2d3f4a5b6c", "01HV3Q8ZJ4K5M6N7P8Q9R0S1T2", "65f1a2b3c4d5e6f7a8b9c0d1",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709", "V1StGXR8_Z5jdHi6B-myT", "cjld2cjxh0000qzrmn831i7rn", "dQw4w9WgXcQ", "user_8fk2m1", "cus_NffrFeUfNV2Hib",
    "INV-2024-001", "order-1001", "user:42", "ann%40a.test",
  ];
  const no = [
    "", "users", "me", "v1", "v2.1", "v1beta1", "V2", "first-steps", "top-10-books", "iphone-15-pro", "my-post-about-h2o", "2024-05-17", "1.5", "1,2,3", "oauth2",
    "notificationPreferences", "en-US", "utf-8-sig-names", "getUserById", "sha256", "base64url",
  ];
  assert.deepEqual(yes.filter((value) => !isIdLike(value)), []);
  assert.deepEqual(no.filter(isIdLike), []);
  assert.deepEqual(["id", "userId", "user_id", "sku", "product"].filter((name) => !mayBeIdParam(name)), []);
  assert.deepEqual(["page", "per_page", "offset", "cursor", "q", "_", "ts", "year", "w", "lang", "pageToken"].filter(mayBeIdParam), []);
});

test("templates", () => {
  const cases: [string, string][] = [
    ["/api/users/17", "/api/users/{id}"],
    ["/api/users/17/posts/9", "/api/users/{id}/posts/{id}"],
    ["/api/v2/users/17", "/api/v2/users/{id}"],
    ["/2/users/17", "/2/users/{id}"],
    ["/data/17.json", "/data/{id}.json"],
    ["/odata/Orders(17)", "/odata/Orders({id})"],
    ["/odata/Orders('A1b2C3')/Lines", "/odata/Orders({id})/Lines"],
    ["/posts/page/3", "/posts/page/3"],
    ["/reports/2024", "/reports/2024"],
    ["/blog/2024/05", "/blog/2024/05"],
    ["/users/2024", "/users/{id}"],
    ["/api/users/", "/api/users/"],
    ["/tiles/12/2200/1343", "/tiles/12/2200/1343"],
    ["/tiles/12/2200/1343@2x", "/tiles/12/2200/1343@2x"],
    ["/shops/3/orders/2200/1343", "/shops/{id}/orders/{id}/{id}"],
    ["/a/3/2200/1343", "/a/{id}/{id}/{id}"],
  ];
  for (const [path, template] of cases) assert.equal(templateOf(path).text, template, path);
});

test("files", () => {
  assert.deepEqual(["/a/chunk-1f.js", "/t/1/2.pbf", "/v/seg-1.m4s", "/api/v1.2/users", "/data/17.json", "/x.png/y", "/blog/x/__data.json"].map((path) => fileKindOf(path)), ["asset", "asset", "media", "", "", "", "asset"]);
  assert.deepEqual(["?_rsc=1wtp7", "?a=1&_rsc=x", "?rsc=1", "?user_rsc=1"].map((query) => fileKindOf("/blog/x", query)), ["asset", "asset", "", ""]);
});
