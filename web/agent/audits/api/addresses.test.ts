import assert from "node:assert/strict";
import { test } from "node:test";
import { Addresses } from "./addresses";
import { templateOf } from "./template";
import { random } from "./trace";
import { splitUrl } from "./url";

test("a URL that begins like others is read as if it were the first", () => {
  const next = random(17);
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? "";
  const origins = ["http://app.test", "https://App.test:443", "//cdn.test", "", "http:/", "blob:http://a", "data:text", "a/b", "http://u:p@x.test:80", "http://"];
  const folders = ["/", "/api/", "/api/v2/", "/users/", "/users/17/", "/posts/2024/", "/reports/", "/page/", "//", "/a//b/", "/tiles/12/2200/", "/{id}/", ""];
  const names = ["", "17", "05", "2024", "7", "me", "first-steps", "a1B2c3D4e5", "17.json", "Orders(17)", "ann@a.test", "seg.m4s", "{id}", "1343", "d:e", "12/x"];
  const queries = ["", "", "?", "?a=1", "?u=/x/y", "?a#b", "#a", "#a/b?c", "?_rsc=1"];
  const addresses = new Addresses();
  for (let turn = 0; turn < 5000; turn++) {
    const text = pick(origins) + pick(folders) + pick(names) + pick(queries);
    const { origin, path, query, params, local, template, ids } = addresses.of(text);
    const whole = splitUrl(text);
    assert.deepEqual({ origin, path, query, params, local }, whole, text);
    assert.deepEqual({ text: template.text, ids, places: template.places }, templateOf(whole.path), text);
  }
});

test("one template for all that differ in ids alone", () => {
  const addresses = new Addresses();
  const templates = ["http://a/u/1", "http://a/u/2?x=1", "http://a/u/3#f", "http://a/u/x1B2c3D4e5"].map((url) => addresses.of(url).template);
  assert.equal(new Set(templates).size, 1);
  assert.notEqual(addresses.of("http://a/u/{id}").template, templates[0]);
  assert.notEqual(addresses.of("http://b/u/1").template, templates[0]);
});
