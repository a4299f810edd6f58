import assert from "node:assert/strict";
import { test } from "node:test";
import { frameLength, frames, toBase64 } from "./frames";
import { defaultWidth, maxHeight, options, sized } from "./shot";

const all = { x: 0, y: 0, width: 1280, height: 800 };

test("a picture is never wider than asked for", () => {
  assert.deepEqual(sized(all, 1024, 1), { area: all, scale: 0.8, width: 1024, height: 640, cut: 0 });
  assert.equal(sized(all, 1024, 2).width, 1024);
  assert.equal(sized({ ...all, width: 400 }, 1024, 2).width, 800);
  assert.equal(sized(all, Infinity, 2).width, 2560);
});

test("a page that is too tall is cut, and the rest is counted", () => {
  const tall = sized({ ...all, height: 100_000 }, 1024, 1);
  assert.equal(tall.height, maxHeight);
  assert.equal(tall.cut, 80_000);
});

test("what is asked for is read strictly where it matters", () => {
  assert.deepEqual(options("x"), { name: "x", selector: "", fullPage: false, format: "", maxWidth: defaultWidth });
  assert.equal(options(undefined).name, "");
  assert.equal(options({ maxWidth: -1 }).maxWidth, Infinity);
  assert.throws(() => options({ format: "gif" }), /unknown format "gif" \(valid: png, jpeg, webp\)/);
});

test("frames carry the whole picture and say how many they are", async () => {
  const base64 = await toBase64(new Blob([new Uint8Array(100_000).map((_, i) => i % 251)]));
  const sent = frames({ t: "shot", id: 3, name: "a\nb", scale: 1 }, base64);
  const [head, first] = (sent[0] ?? "").split("\n");
  assert.deepEqual(JSON.parse(head ?? ""), { t: "shot", id: 3, name: "a\nb", scale: 1, parts: sent.length - 1 });
  assert.equal((first ?? "") + sent.slice(1).join(""), base64);
  assert.equal(sent.length, Math.ceil(base64.length / frameLength));
  assert.equal(atob(base64).charCodeAt(99_999), 99_999 % 251);
  assert.equal(frames({ t: "shot", id: 0, name: "", scale: 1 }, "").length, 1);
});
