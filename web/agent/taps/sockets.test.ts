import assert from "node:assert/strict";
import { test } from "node:test";
import { throughProxy } from "./sockets";

const page = { protocol: "http:", host: "127.0.0.1:24132", href: "http://127.0.0.1:24132/app/" };

test("sockets to the page's own server go through the proxy", () => {
  const cases: [url: string, target: string, want: string | undefined][] = [
    ["ws://localhost:8080/ws", "localhost:8080", "ws://127.0.0.1:24132/ws"],
    ["ws://localhost:8080/ws?a=1;b", "127.0.0.1:8080", "ws://127.0.0.1:24132/ws?a=1;b"],
    ["ws://0.0.0.0:8080/ws", "localhost:8080", "ws://127.0.0.1:24132/ws"],
    ["ws://[::1]:8080/ws", "localhost:8080", "ws://127.0.0.1:24132/ws"],
    ["wss://shop.test/live", "shop.test", "ws://127.0.0.1:24132/live"],
    // Not the page's own server.
    ["ws://localhost:8081/ws", "localhost:8080", undefined],
    ["ws://example.com:8080/ws", "localhost:8080", undefined],
    ["ws://localhost:8080/ws", "shop.test:8080", undefined],
    ["ws://127.0.0.1:24132/ws", "localhost:8080", undefined],
    ["/ws", "localhost:8080", undefined],
  ];
  for (const [url, target, want] of cases) assert.equal(throughProxy(url, target, page), want, url);
});

test("a page behind https stays behind it", () => {
  const secure = { protocol: "https:", host: "dev.test", href: "https://dev.test/" };
  assert.equal(throughProxy("ws://localhost:8080/ws", "localhost:8080", secure), "wss://dev.test/ws");
});
