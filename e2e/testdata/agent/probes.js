// Every probe runs in a page with the agent and in the same page without it;
// what it returns must be the same. A probe must not depend on timing.
"use strict";
const probes = {};
const probe = (name, run) => { probes[name] = run; };
const same = (a, b) => a === b;
const thrown = (run) => {
  try { return ["value", String(run())]; } catch (e) { return [e.constructor.name, e.name, e.message, e instanceof Error]; }
};
const settled = (p) => p.then((v) => ["fulfilled", String(v)], (e) => ["rejected", e.constructor.name, e.name, e.message]);
const frames = (e) => (e.stack || "").split("\n").map((l) => l.replace(/:\d+:\d+/g, "").trim());
const described = (owner, key) => {
  const d = Object.getOwnPropertyDescriptor(owner, key);
  return d && { kind: "value" in d ? "value" : "accessor", w: d.writable, e: d.enumerable, c: d.configurable, type: typeof (d.value || d.get) };
};
const wrapped = {
  "window.fetch": [window, "fetch"],
  "XMLHttpRequest.prototype.open": [XMLHttpRequest.prototype, "open"],
  "XMLHttpRequest.prototype.send": [XMLHttpRequest.prototype, "send"],
  "XMLHttpRequest.prototype.abort": [XMLHttpRequest.prototype, "abort"],
  "XMLHttpRequest.prototype.setRequestHeader": [XMLHttpRequest.prototype, "setRequestHeader"],
  "console.log": [console, "log"], "console.error": [console, "error"], "console.warn": [console, "warn"],
  "console.info": [console, "info"], "console.debug": [console, "debug"], "console.assert": [console, "assert"],
  "console.trace": [console, "trace"], "console.table": [console, "table"], "console.dir": [console, "dir"],
  "Function.prototype.toString": [Function.prototype, "toString"],
  "History.prototype.pushState": [History.prototype, "pushState"],
  "History.prototype.replaceState": [History.prototype, "replaceState"],
  "Document.prototype.open": [Document.prototype, "open"],
  "Document.prototype.write": [Document.prototype, "write"],
  "Document.prototype.writeln": [Document.prototype, "writeln"],
  "Element.prototype.attachShadow": [Element.prototype, "attachShadow"],
};
for (const [name, [owner, key]] of Object.entries(wrapped)) {
  const f = () => owner[key];
  probe(`${name}: descriptor`, () => described(owner, key));
  probe(`${name}: name and length`, () => [f().name, f().length, described(f(), "name"), described(f(), "length")]);
  probe(`${name}: own keys`, () => Reflect.ownKeys(f()).map(String));
  probe(`${name}: prototype`, () => [same(Object.getPrototypeOf(f()), Function.prototype), "prototype" in f(), typeof f()]);
  probe(`${name}: toString`, () => [f().toString(), String(f()), `${f()}`, Function.prototype.toString.call(f())]);
  probe(`${name}: toString of a bound copy`, () => [f().bind(null).toString(), f().bind(null).name]);
  probe(`${name}: caller and arguments`, () => [thrown(() => f().caller), thrown(() => f().arguments), Object.hasOwn(f(), "caller")]);
  probe(`${name}: is no constructor`, () => thrown(() => Reflect.construct(Object, [], f())));
  probe(`${name}: extensible, not frozen`, () => [Object.isExtensible(f()), Object.isFrozen(f()), Object.isSealed(f())]);
  probe(`${name}: class tag`, () => Object.prototype.toString.call(f()));
  probe(`${name}: one identity`, () => [same(f(), f()), same(Object.getOwnPropertyDescriptor(owner, key).value, f())]);
  probe(`${name}: place among its owner's keys`, () => owner === window ? Object.keys(window).indexOf("fetch") > 0 : Reflect.ownKeys(owner).indexOf(key));
  probe(`${name}: expandos stay`, () => { f().expando = 1; const r = [f().expando, Object.keys(f())]; delete f().expando; return r; });
  probe(`${name}: instanceof Function`, () => [f() instanceof Function, f() instanceof Object]);
  probe(`${name}: text in another realm is native`, () => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const text = frame.contentWindow.Function.prototype.toString.call(f());
    frame.remove();
    return /^function \w*\(\) \{ \[native code\] \}$/.test(text);
  });
}

probe("toString.toString", () => [Function.prototype.toString.toString(), Function.prototype.toString.call(Function.prototype.toString)]);
probe("toString of a non-function", () => [thrown(() => Function.prototype.toString.call({})), thrown(() => Function.prototype.toString.call(null))]);
probe("toString of page functions", () => [(function a(b) { return b; }).toString(), (() => 1).toString(), (class Q { x() {} }).toString(), Map.toString(), Object.getOwnPropertyDescriptor(Map.prototype, "size").get.toString()]);
probe("toString of a page's proxy", () => Function.prototype.toString.call(new Proxy(function f() {}, {})));
probe("toString stack", () => { try { Function.prototype.toString.call({}); } catch (e) { return frames(e); } });

probe("attachShadow: what it takes", () => {
  const box = document.createElement("div");
  const root = box.attachShadow({ mode: "open", delegatesFocus: true });
  return [same(root, box.shadowRoot), root.mode, root.delegatesFocus, root instanceof ShadowRoot, thrown(() => box.attachShadow({ mode: "open" })),
    thrown(() => box.attachShadow()), thrown(() => document.createElement("p").attachShadow({ mode: "ajar" })), thrown(() => document.createElement("img").attachShadow({ mode: "open" })),
    thrown(() => Element.prototype.attachShadow.call({}, { mode: "open" })), document.createElement("div").attachShadow({ mode: "closed" }).mode];
});
probe("attachShadow: stack", () => { try { document.createElement("img").attachShadow({ mode: "open" }); } catch (e) { return frames(e); } });
probe("attachShadow: a custom element's own", () => {
  class Own extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<slot></slot>"; } }
  customElements.define(`own-${Math.floor(performance.now() * 1000)}`, Own);
  return new Own().shadowRoot.innerHTML;
});

probe("fetch === window.fetch", () => [same(fetch, window.fetch), same(fetch, globalThis.fetch), same(self.fetch, fetch)]);
probe("fetch in a frame is another", () => {
  const frame = document.body.appendChild(document.createElement("iframe"));
  const r = [same(frame.contentWindow.fetch, fetch), frame.contentWindow.fetch.toString()];
  frame.remove();
  return r;
});
probe("fetch(): argument count", () => settled(fetch()));
probe("fetch(): argument count is a rejection, not a throw", () => thrown(() => { const p = fetch(); p.catch(() => {}); return p; }));
probe("fetch(): stack of the rejection", () => fetch().catch((e) => frames(e)));
probe("fetch on a wrong this", () => settled(fetch.call({}, "/api/json")));
probe("fetch on undefined, null, window", async () => [(await fetch.call(undefined, "/api/json")).status, (await fetch.call(null, "/api/json")).status, (await fetch.call(window, "/api/json")).status]);
probe("fetch detached", async () => { const f = fetch; return (await f("/api/json")).status; });
probe("fetch.apply, Reflect.apply", async () => [(await fetch.apply(window, ["/api/json"])).status, (await Reflect.apply(fetch, window, ["/api/json"])).status]);
probe("fetch bad url", () => settled(fetch("http://")));
probe("fetch bad url: stack", () => fetch("http://").catch((e) => frames(e)));
probe("fetch url with credentials", () => settled(fetch("http://a:b@127.0.0.1/")));
probe("fetch bad method", () => settled(fetch("/api/json", { method: "no way" })));
probe("fetch forbidden method", () => settled(fetch("/api/json", { method: "TRACE" })));
probe("fetch GET with body", () => settled(fetch("/api/json", { body: "x" })));
probe("fetch bad mode", () => settled(fetch("/api/json", { mode: "sideways" })));
probe("fetch init is a number", () => settled(fetch("/api/json", 1)));
probe("fetch init is null", async () => (await fetch("/api/json", null)).status);
probe("fetch of a symbol", () => settled(fetch(Symbol("x"))));
probe("fetch of undefined, null, number", async () => [(await fetch(undefined)).status, (await fetch(null)).status, (await fetch(7)).status]);
probe("fetch of an object: toString once", async () => { let n = 0; const r = await fetch({ toString() { n++; return "/api/json"; } }); return [n, r.status, new URL(r.url).pathname]; });
probe("fetch of an object that throws", () => settled(fetch({ toString() { throw new RangeError("no text"); } })));
probe("fetch of an object that throws, stack", () => fetch({ toString() { throw new RangeError("no text"); } }).catch((e) => frames(e)[1]));
probe("fetch of location and of a link", async () => { const a = document.createElement("a"); a.href = "/api/json"; return [(await fetch(location)).status, (await fetch(a)).status]; });
probe("fetch of an array and a String object", async () => [(await fetch(["/api/json"])).status, (await fetch(new String("/api/json"))).status]);
probe("fetch of a URL", async () => (await fetch(new URL("/api/json", location))).status);
probe("fetch of a Request", async () => (await fetch(new Request("/api/json"))).status);
probe("fetch of a Request with a body", async () => { const q = new Request("/api/echo", { method: "POST", body: "abc" }); const before = q.bodyUsed; const p = fetch(q); const during = q.bodyUsed; const r = await p; return [before, during, q.bodyUsed, await r.text()]; });
probe("fetch of a used Request", async () => { const q = new Request("/api/echo", { method: "POST", body: "abc" }); await q.text(); return settled(fetch(q)); });
probe("fetch of a Request with init", async () => { const q = new Request("/api/echo", { method: "POST", body: "abc" }); return (await fetch(q, { method: "PUT", body: "xyz" })).text(); });
probe("fetch of a frame's Request", async () => { const frame = document.body.appendChild(document.createElement("iframe")); const q = new frame.contentWindow.Request(new URL("/api/json", location)); const r = await fetch(q); frame.remove(); return r.status; });
probe("fetch: order in which init is read", async () => {
  const read = [];
  const init = new Proxy({ method: "POST", body: "x" }, { get: (t, k) => { read.push(String(k)); return t[k]; }, has: (t, k) => { read.push(`has ${String(k)}`); return k in t; } });
  await fetch("/api/echo", init);
  return read;
});
probe("fetch: accessors in init run once", async () => { let n = 0; await fetch("/api/echo", { get method() { n++; return "POST"; }, get body() { n++; return "x"; }, get signal() { n++; return null; } }); return n; });
probe("fetch: accessors that throw", () => settled(fetch("/api/echo", { get method() { throw new RangeError("mine"); } })));
probe("fetch body stream, form, params, blob, buffer", async () => {
  const form = new FormData(); form.set("a", "1");
  const out = [];
  for (const body of [new URLSearchParams("a=1"), new Blob(["blob"]), new TextEncoder().encode("bytes"), new TextEncoder().encode("buffer").buffer]) out.push(await (await fetch("/api/echo", { method: "POST", body })).text());
  out.push((await (await fetch("/api/echo", { method: "POST", body: form })).text()).length > 0);
  return out;
});
probe("fetch promise: kind", () => { const p = fetch("/api/json"); const r = [p instanceof Promise, Object.getPrototypeOf(p) === Promise.prototype, Object.keys(p), Object.prototype.toString.call(p)]; return p.then(() => [...r, p.constructor === Promise, Reflect.ownKeys(p)]); });
probe("fetch promise: constructor", () => { const p = fetch("/api/json"); const r = [p.constructor === Promise, Reflect.ownKeys(p), Object.hasOwn(p, "constructor")]; return p.then(() => r); });
probe("fetch promise: constructor can be set", () => { const p = fetch("/api/json"); class Mine extends Promise {} p.constructor = Mine; const q = p.then((r) => r.status); return q.then((s) => [s, q instanceof Mine, Object.keys(p)]); });
probe("fetch promise: frozen before use", async () => { const p = Object.freeze(fetch("/api/json")); return (await p).status; });
probe("fetch promise: enumeration", () => { const p = fetch("/api/json"); const keys = []; for (const k in p) keys.push(k); return p.then(() => [keys, JSON.stringify(p), Object.entries(p)]); });
probe("fetch promise: then is native and unshadowed", () => { const p = fetch("/api/json"); const r = [Object.hasOwn(p, "then"), Object.hasOwn(p, "catch"), p.then === Promise.prototype.then]; return p.then(() => r); });
probe("fetch: all, race, any, resolve", async () => [(await Promise.all([fetch("/api/json")]))[0].status, (await Promise.race([fetch("/api/json")])).status, (await Promise.any([fetch("/api/json")])).status, (await Promise.resolve(fetch("/api/json"))).status]);
probe("fetch: Promise.resolve keeps identity", () => { const p = fetch("/api/json"); return [same(Promise.resolve(p), p)].concat(); });
probe("microtask order of an immediate rejection", async () => {
  const log = [];
  const p = fetch("http://").catch(() => log.push("fetch"));
  let q = Promise.resolve();
  for (let i = 0; i < 6; i++) q = q.then(() => log.push(i));
  await p; await q;
  return log;
});
probe("microtask order with await", async () => {
  const log = [];
  const run = async () => { try { await fetch("http://"); } catch { log.push("caught"); } log.push("after"); };
  const done = run();
  let q = Promise.resolve();
  for (let i = 0; i < 8; i++) q = q.then(() => log.push(i));
  await done; await q;
  return log;
});
probe("microtask order of a promise returned from async", async () => {
  const log = [];
  const done = (async () => fetch("http://"))().catch(() => log.push("caught"));
  let q = Promise.resolve();
  for (let i = 0; i < 8; i++) q = q.then(() => log.push(i));
  await done; await q;
  return log;
});
probe("microtask order of two handlers", async () => { const log = []; const p = fetch("http://"); const a = p.catch(() => log.push("a")); const b = p.catch(() => log.push("b")); await a; await b; return log; });
probe("already aborted signal: order", async () => {
  const log = [];
  const c = new AbortController(); c.abort();
  const p = fetch("/api/json", { signal: c.signal }).catch((e) => log.push(e.name));
  let q = Promise.resolve();
  for (let i = 0; i < 6; i++) q = q.then(() => log.push(i));
  await p; await q;
  return log;
});
probe("abort: order of event and rejection", async () => {
  const log = [];
  const c = new AbortController();
  c.signal.addEventListener("abort", () => log.push("event"));
  const p = fetch("/api/slow?ms=2000", { signal: c.signal }).catch((e) => log.push(e.name));
  c.signal.addEventListener("abort", () => log.push("event 2"));
  c.abort();
  log.push("after");
  let q = Promise.resolve();
  for (let i = 0; i < 6; i++) q = q.then(() => log.push(i));
  await p; await q;
  return log;
});
probe("abort with a reason", async () => { const c = new AbortController(); const reason = { mine: true }; const p = fetch("/api/slow?ms=2000", { signal: c.signal }); c.abort(reason); try { await p; } catch (e) { return same(e, reason); } });
probe("abort error", async () => { const c = new AbortController(); const p = fetch("/api/slow?ms=2000", { signal: c.signal }); c.abort(); return settled(p); });
probe("abort while the body arrives", async () => { const c = new AbortController(); const r = await fetch("/api/drip", { signal: c.signal }); c.abort(); return [r.bodyUsed, await settled(r.text())]; });
probe("abort: signal of a Request", async () => { const c = new AbortController(); const q = new Request("/api/slow?ms=2000", { signal: c.signal }); const p = fetch(q); c.abort(); return [await settled(p), q.signal.aborted]; });
probe("AbortSignal.timeout", () => settled(fetch("/api/slow?ms=3000", { signal: AbortSignal.timeout(20) })));
probe("AbortSignal.any", async () => { const c = new AbortController(); const p = fetch("/api/slow?ms=2000", { signal: AbortSignal.any([c.signal]) }); c.abort(); return settled(p); });
probe("network error", () => settled(fetch("/api/hangup")));
probe("network error in the body", async () => { const r = await fetch("/api/cut"); return [r.status, await settled(r.text())]; });
probe("cors failure", () => settled(fetch(other + "/api/json")));
probe("opaque response", async () => { const r = await fetch(other + "/api/json", { mode: "no-cors" }); return [r.type, r.status, r.ok, r.body === null]; });
probe("manual redirect", async () => { const r = await fetch("/api/redirect", { redirect: "manual" }); return [r.type, r.status, r.url === location.origin + "/api/redirect"]; });
probe("followed redirect", async () => { const r = await fetch("/api/redirect"); return [r.redirected, new URL(r.url).pathname, r.status]; });
probe("refused redirect", () => settled(fetch("/api/redirect", { redirect: "error" })));
probe("response untouched", async () => { const r = await fetch("/api/json"); return [r.bodyUsed, r.body.locked, r.constructor === Response, Reflect.ownKeys(r), Object.getPrototypeOf(r) === Response.prototype]; });
probe("response clone, tee", async () => { const r = await fetch("/api/json"); const c = r.clone(); return [await r.text(), await c.text()]; });
probe("response read in pieces", async () => { const r = await fetch("/api/json"); const reader = r.body.getReader(); let n = 0; for (;;) { const { done, value } = await reader.read(); if (done) break; n += value.length; } return n; });
probe("statuses", async () => { const out = []; for (const s of [200, 204, 400, 404, 500, 503]) { const r = await fetch("/api/status?code=" + s); out.push([r.status, r.ok]); } return out; });
probe("data and blob urls", async () => [await (await fetch("data:text/plain,hi")).text(), await (await fetch(URL.createObjectURL(new Blob(["blob"])))).text()]);
probe("WebAssembly streaming of a fetch promise", () => settled(WebAssembly.compileStreaming(fetch("/api/json"))));
probe("page replaces fetch", async () => {
  const kept = window.fetch; let n = 0;
  window.fetch = function (...a) { n++; return kept.apply(this, a); };
  const r = await fetch("/api/json");
  window.fetch = kept;
  return [n, r.status, same(fetch, kept), described(window, "fetch")];
});
probe("page deletes fetch", () => { const kept = Object.getOwnPropertyDescriptor(window, "fetch"); const gone = delete window.fetch; const t = typeof window.fetch; Object.defineProperty(window, "fetch", kept); return [gone, t, typeof fetch]; });

// Waits that long, or at most that long for the first word where there must be one.
const rejections = (start, wait = 300, certain = false) => new Promise((resolve) => {
  const seen = [];
  let promise;
  const un = (e) => { seen.push(["unhandled", e.promise === promise, e.reason && e.reason.name, e.isTrusted]); e.preventDefault(); };
  const late = (e) => { seen.push(["handled", e.promise === promise]); };
  addEventListener("unhandledrejection", un);
  addEventListener("rejectionhandled", late);
  promise = start();
  const began = performance.now();
  const look = () => {
    if (performance.now() - began < wait && !(certain && seen.length > 0)) return setTimeout(look, certain ? 50 : wait);
    removeEventListener("unhandledrejection", un); removeEventListener("rejectionhandled", late); resolve(seen);
  };
  setTimeout(look, certain ? 50 : wait);
});
probe("unhandled rejection of fetch reaches the page", () => rejections(() => fetch("http://")));
probe("unhandled network error of fetch reaches the page", () => rejections(() => fetch("/api/hangup"), 10000, true));
probe("handled rejection of fetch does not", () => rejections(() => { const p = fetch("http://"); p.catch(() => {}); return p; }));
probe("awaited and caught rejection of fetch does not", () => rejections(() => { const p = fetch("http://"); (async () => { try { await p; } catch {} })(); return p; }));
probe("rejection handled by the second argument of then", () => rejections(() => { const p = fetch("http://"); p.then(() => {}, () => {}); return p; }));
probe("only fulfilled handler: the derived promise is reported", () => rejections(() => { const p = fetch("http://"); const d = p.then(() => {}); return d; }));
probe("finally: the derived promise is reported", () => rejections(() => { const p = fetch("http://"); return p.finally(() => {}); }));
probe("late handling of a rejection", () => rejections(() => { const p = fetch("http://"); setTimeout(() => p.catch(() => {}), 100); return p; }, 400));
probe("handling in a microtask is in time", () => rejections(() => { const p = fetch("http://"); queueMicrotask(() => p.catch(() => {})); return p; }));

const xhr = (method, url, prepare = () => {}, async = true) => new Promise((resolve) => {
  const x = new XMLHttpRequest();
  const log = [];
  for (const t of ["readystatechange", "loadstart", "progress", "load", "error", "abort", "timeout", "loadend"]) x.addEventListener(t, (e) => log.push(`${t}${t === "readystatechange" ? x.readyState : ""}:${e.isTrusted}:${e.constructor.name}`));
  x.open(method, url, async);
  x.addEventListener("loadend", () => setTimeout(() => resolve([log.filter((l, i) => !(l.startsWith("progress") && log[i - 1] === l) && !(l.startsWith("readystatechange3") && log[i - 1] === l)), x.status, x.readyState, x.responseText])));
  prepare(x);
  x.send();
});
probe("xhr own keys and constants", () => [Reflect.ownKeys(XMLHttpRequest).map(String), Reflect.ownKeys(XMLHttpRequest.prototype).map(String), XMLHttpRequest.DONE, new XMLHttpRequest().OPENED, XMLHttpRequest.name, XMLHttpRequest.length, XMLHttpRequest.toString()]);
probe("xhr instance", () => { const x = new XMLHttpRequest(); return [x instanceof XMLHttpRequest, x instanceof XMLHttpRequestEventTarget, Object.keys(x), Object.prototype.toString.call(x), x.constructor === XMLHttpRequest, Reflect.ownKeys(x)]; });
probe("xhr instance after open", () => { const x = new XMLHttpRequest(); const r = x.open("GET", "/api/json"); return [r, Reflect.ownKeys(x), x.readyState, x.onloadend, x.onerror]; });
probe("xhr without new", () => thrown(() => XMLHttpRequest()));
probe("xhr open: argument count", () => [thrown(() => new XMLHttpRequest().open()), thrown(() => new XMLHttpRequest().open("GET"))]);
probe("xhr open: bad method, bad url", () => [thrown(() => new XMLHttpRequest().open("no way", "/")), thrown(() => new XMLHttpRequest().open("TRACE", "/")), thrown(() => new XMLHttpRequest().open("GET", "http://"))]);
probe("xhr open: stack", () => { try { new XMLHttpRequest().open("GET", "http://"); } catch (e) { return frames(e).slice(0, 3); } });
probe("xhr open: wrong this", () => [thrown(() => XMLHttpRequest.prototype.open.call({}, "GET", "/")), thrown(() => XMLHttpRequest.prototype.send.call({}))]);
probe("xhr send: wrong state", () => [thrown(() => new XMLHttpRequest().send()), thrown(() => { const x = new XMLHttpRequest(); x.open("GET", "/api/json"); x.send(); x.send(); })]);
probe("xhr open: conversions", () => { const log = []; const x = new XMLHttpRequest(); x.open({ toString() { log.push("method"); return "get"; } }, { toString() { log.push("url"); return "/api/json"; } }); return log; });
probe("xhr open: url object throws", () => thrown(() => new XMLHttpRequest().open("GET", { toString() { throw new RangeError("mine"); } })));
probe("xhr open: url object throws on a wrong this", () => thrown(() => XMLHttpRequest.prototype.open.call({}, "GET", { toString() { throw new RangeError("mine"); } })));
probe("xhr setRequestHeader", () => [thrown(() => new XMLHttpRequest().setRequestHeader("a", "b")), thrown(() => { const x = new XMLHttpRequest(); x.open("GET", "/"); return x.setRequestHeader("a"); })]);
probe("xhr events", () => xhr("GET", "/api/json"));
probe("xhr events of a 404", () => xhr("GET", "/api/status?code=404"));
probe("xhr events of a network error", () => xhr("GET", "/api/hangup"));
probe("xhr events of an abort", () => xhr("GET", "/api/slow?ms=2000", (x) => setTimeout(() => x.abort(), 50)));
probe("xhr events of a timeout", () => xhr("GET", "/api/slow?ms=3000", (x) => { x.timeout = 50; }));
probe("xhr ontimeout handler", () => new Promise((resolve) => { const x = new XMLHttpRequest(); x.open("GET", "/api/slow?ms=3000"); x.timeout = 30; x.ontimeout = function (e) { resolve([this === x, e.type, e.target === x, e.currentTarget === x, e.eventPhase]); }; x.send(); }));
probe("xhr handler attributes", () => new Promise((resolve) => { const x = new XMLHttpRequest(); x.open("GET", "/api/json"); const log = []; x.onreadystatechange = () => log.push(x.readyState); x.onload = (e) => log.push(e.type); x.onloadend = () => resolve(log); x.send(); }));
probe("xhr reuse", () => new Promise((resolve) => { const x = new XMLHttpRequest(); const out = []; x.onload = () => { out.push(x.status); if (out.length === 3) return resolve(out); x.open("GET", "/api/status?code=" + (200 + out.length)); x.send(); }; x.open("GET", "/api/json"); x.send(); }));
probe("xhr open while running", () => new Promise((resolve) => { const x = new XMLHttpRequest(); const log = []; for (const t of ["load", "abort", "loadend"]) x.addEventListener(t, () => log.push(t)); x.open("GET", "/api/slow?ms=500"); x.send(); x.open("GET", "/api/json"); x.addEventListener("loadend", () => resolve([log, x.responseURL.endsWith("/api/json")])); x.send(); }));
probe("xhr stopImmediatePropagation", () => new Promise((resolve) => { const x = new XMLHttpRequest(); const log = []; x.addEventListener("load", (e) => { log.push(1); e.stopImmediatePropagation(); }); x.addEventListener("load", () => log.push(2)); x.onloadend = () => resolve(log); x.open("GET", "/api/json"); x.send(); }));
probe("xhr synchronous", () => { const x = new XMLHttpRequest(); const log = []; x.onreadystatechange = () => log.push(x.readyState); x.onload = () => log.push("load"); x.open("GET", "/api/json", false); const r = x.send(); return [r, x.status, x.responseText, log]; });
probe("xhr synchronous network error", () => thrown(() => { const x = new XMLHttpRequest(); x.open("GET", "/api/hangup", false); x.send(); }));
probe("xhr synchronous network error: stack", () => { try { const x = new XMLHttpRequest(); x.open("GET", "/api/hangup", false); x.send(); } catch (e) { return frames(e).slice(1, 3); } });
probe("xhr subclass", () => new Promise((resolve) => { class Mine extends XMLHttpRequest { open(...a) { this.opened = a[1]; super.open(...a); } get mine() { return 1; } } const x = new Mine(); x.open("GET", "/api/json"); x.onload = () => resolve([x instanceof Mine, x instanceof XMLHttpRequest, x.mine, x.opened, x.status, Reflect.ownKeys(x)]); x.send(); }));
probe("xhr old-style subclass", () => { const kept = XMLHttpRequest.prototype.open; let n = 0; XMLHttpRequest.prototype.open = function () { n++; return kept.apply(this, arguments); }; const x = new XMLHttpRequest(); x.open("GET", "/api/json"); XMLHttpRequest.prototype.open = kept; return [n, x.readyState, same(XMLHttpRequest.prototype.open, kept)]; });
probe("xhr upload events", () => new Promise((resolve) => { const x = new XMLHttpRequest(); const log = []; for (const t of ["loadstart", "load", "loadend"]) x.upload.addEventListener(t, (e) => log.push(e.type)); x.open("POST", "/api/echo"); x.onloadend = () => resolve([log, x.responseText]); x.send("body"); }));
probe("xhr bodies", async () => { const out = []; const form = new FormData(); form.set("a", "1"); for (const body of ["text", new URLSearchParams("a=1"), new Blob(["blob"]), new TextEncoder().encode("bytes"), null, undefined]) out.push(await new Promise((resolve) => { const x = new XMLHttpRequest(); x.open("POST", "/api/echo"); x.onload = () => resolve(x.responseText); x.send(body); })); return out; });
probe("xhr response types", async () => { const out = []; for (const type of ["", "text", "json", "arraybuffer", "blob"]) out.push(await new Promise((resolve) => { const x = new XMLHttpRequest(); x.open("GET", "/api/json"); x.responseType = type; x.onload = () => resolve(Object.prototype.toString.call(x.response)); x.send(); })); return out; });

probe("console is itself", () => [same(console, window.console), Object.keys(console).sort(), Object.prototype.toString.call(console), same(console.log, console.log)]);
probe("console returns undefined", () => [console.log(""), console.error(""), console.assert(true)].map(String));
probe("console detached", () => { const { log } = console; return thrown(() => log("detached")); });
probe("console runs no code of its arguments", () => { let n = 0; const o = { toString() { n++; return ""; }, get a() { n++; return 1; }, toJSON() { n++; } }; console.log(o); console.info("%o", o); return new Promise((r) => setTimeout(() => r(n), 50)); });
probe("console does not look at a proxy at once", () => { let n = 0; const o = new Proxy({}, { get() { n++; }, ownKeys() { n++; return []; }, getOwnPropertyDescriptor() { n++; } }); console.log(o); return n; });
probe("history", () => { const before = history.length; const r = [history.pushState({ a: 1 }, "", "?x"), history.state, location.search, history.replaceState(null, "", "?"), history.state, history.length - before]; return r.map(String); });
probe("history errors", () => [thrown(() => history.pushState()), thrown(() => history.pushState({}, "", "http://elsewhere/")), thrown(() => history.pushState(() => {}, ""))]);
probe("popstate and hashchange", () => new Promise((resolve) => { const log = []; const p = (e) => log.push(["pop", e.isTrusted]); const h = () => { log.push("hash"); removeEventListener("popstate", p); removeEventListener("hashchange", h); resolve(log); }; addEventListener("popstate", p); addEventListener("hashchange", h); location.hash = "#probe" + Math.random(); }));

probe("globals that can be enumerated", () => { const names = []; for (const k in window) names.push(k); return names; });
probe("globals: keys", () => Object.keys(window));
probe("globals: own names but the agent's two", () => Object.getOwnPropertyNames(window).filter((n) => n !== "__devtool" && n !== "__devtool_api"));
probe("globals: symbols", () => Object.getOwnPropertySymbols(window).map(String));
probe("document.scripts", () => [...document.scripts].map((s) => s.src.replace(/.*\//, "") || s.textContent.length));
probe("document markup", () => document.documentElement.outerHTML);
probe("document own keys", () => [Reflect.ownKeys(document).map(String), Reflect.ownKeys(Document.prototype).length, Reflect.ownKeys(History.prototype).map(String)]);
probe("prototypes untouched", () => [Object.prototype, Array.prototype, Promise.prototype, Response.prototype, Request.prototype, Error, Error.prototype, EventTarget.prototype, Function.prototype].map((o) => Reflect.ownKeys(o).map(String)));
probe("Error.stackTraceLimit", async () => { const before = Error.stackTraceLimit; await fetch("/api/json"); console.error(""); return [before, Error.stackTraceLimit, described(Error, "stackTraceLimit")]; });
probe("Error.prepareStackTrace sees only the page", async () => {
  const seen = new Set();
  Error.prepareStackTrace = (e, sites) => { for (const s of sites) seen.add(String(s.getFileName()).replace(/.*\//, "")); return "prepared"; };
  const text = new Error("x").stack;
  await fetch("/api/json");
  console.error("prepared");
  if (window.__devtool_api) window.__devtool_api.getCalls();
  await new Promise((r) => setTimeout(r, 30));
  delete Error.prepareStackTrace;
  return [text, [...seen], typeof Error.prepareStackTrace];
});
probe("stack of an error in the page", () => frames(new Error("mine")));
probe("stack in a handler of fetch", () => fetch("/api/json").then(() => frames(new Error("mine"))));
probe("stack after await of fetch", async () => { await fetch("/api/json"); return frames(new Error("mine")); });
probe("stack in xhr handlers", () => new Promise((resolve) => { const x = new XMLHttpRequest(); x.open("GET", "/api/json"); x.onload = () => resolve(frames(new Error("mine"))); x.send(); }));
probe("stack in toString of a fetch input", () => new Promise((resolve) => { fetch({ toString() { resolve(frames(new Error("mine")).filter((l) => !l.includes("agent"))); return "/api/json"; } }); }));
probe("window.onerror", () => new Promise((resolve) => { window.onerror = (m, f, l, c, e) => { window.onerror = null; resolve([m, f.replace(/.*\//, ""), typeof l, e instanceof RangeError]); return true; }; setTimeout(() => { throw new RangeError("planted"); }); }));
probe("line number of an inline error", () => window.inlineLine);
probe("currentScript", () => [document.currentScript === null, window.seenCurrentScript]);
probe("performance entries of the page", () => performance.getEntriesByType("mark").length);
probe("EventTarget methods", () => [EventTarget.prototype.addEventListener.toString(), Object.hasOwn(window, "addEventListener"), described(EventTarget.prototype, "addEventListener")]);
probe("event order on window", () => { const log = []; const f = (n) => () => log.push(n); addEventListener("planted", f(1), true); addEventListener("planted", f(2)); dispatchEvent(new Event("planted")); return log; });
probe("click is not passive or prevented", () => { const b = document.createElement("button"); document.body.append(b); let prevented; b.addEventListener("click", (e) => { e.preventDefault(); prevented = e.defaultPrevented; }); b.click(); b.remove(); return prevented; });
probe("left alone", () => [WebSocket, EventSource, MutationObserver, PerformanceObserver, Response, Request, Headers, Promise, Error, URL, AbortController, WeakMap, Worker].map((f) => [f.toString(), Reflect.ownKeys(f).map(String), Reflect.ownKeys(f.prototype).map(String)]));
probe("left alone: methods", () => [navigator.sendBeacon, EventTarget.prototype.addEventListener, EventTarget.prototype.dispatchEvent, Element.prototype.remove, Node.prototype.appendChild, setTimeout, queueMicrotask, requestIdleCallback, performance.now, postMessage, Promise.prototype.then, JSON.stringify].map((f) => [f.toString(), f.name, f.length]));
probe("order in which a response reaches two handlers", async () => { const log = []; const p = fetch("/api/json"); const a = p.then(() => { log.push("a"); queueMicrotask(() => log.push("a+")); }); const b = p.then(() => { log.push("b"); queueMicrotask(() => log.push("b+")); }); await a; await b; await null; return log; });
probe("response and microtasks of an await", async () => { const log = []; const one = (async () => { await fetch("/api/json"); log.push(1); await null; log.push(2); await null; log.push(3); })(); await one; return log; });
probe("beacon", () => navigator.sendBeacon("/api/echo", "x"));
probe("websocket constructor", () => { class Sub extends WebSocket { constructor() { super("ws://x.invalid/"); } } const s = new Sub(); const d = Object.getOwnPropertyDescriptor(window, "WebSocket"); s.close(); return [s instanceof WebSocket, s instanceof Sub, Object.getPrototypeOf(s) === Sub.prototype, WebSocket.prototype.constructor === WebSocket, new WebSocket("ws://x.invalid/").constructor === WebSocket, WebSocket.name, WebSocket.length, WebSocket.CONNECTING, d.enumerable, d.writable, d.configurable, typeof d.value, Object.prototype.toString.call(WebSocket), WebSocket.toString()]; });
probe("websocket errors", () => { const say = (run) => { try { run(); return "fine"; } catch (e) { return [e.name, e.message, e.constructor === TypeError || e instanceof DOMException, /__devtool/.test(e.stack)]; } }; return [say(() => WebSocket("ws://x.invalid/")), say(() => new WebSocket()), say(() => new WebSocket("nonsense://x")), say(() => new WebSocket("ws://x.invalid/#f")), say(() => new WebSocket("ws://x.invalid/", ["a", "a"])), say(() => new WebSocket(Symbol())), say(() => new WebSocket({ toString() { throw new TypeError("mine"); } }))]; });
probe("websocket url", () => { const s = new WebSocket("ws://x.invalid:81/a?b#".slice(0, -1)); const out = [s.url, s.protocol, s.readyState, s.binaryType]; s.close(); return out; });
probe("websocket", () => new Promise((resolve) => { const s = new WebSocket(location.origin.replace("http", "ws") + "/api/json"); const log = []; s.onerror = (e) => log.push(e.type); s.onclose = (e) => resolve([...log, e.code, Reflect.ownKeys(s)]); }));
probe("eventsource", () => new Promise((resolve) => { const s = new EventSource("/api/json"); s.onerror = () => { s.close(); resolve([s.readyState, Reflect.ownKeys(s)]); }; }));
probe("structured clone of wrapped functions", () => thrown(() => structuredClone(fetch))[0]);
probe("hostile: natives replaced", async () => {
  const kept = [Promise.prototype.then, Array.prototype.push, JSON.stringify, Map.prototype.get, WeakMap.prototype.get, Reflect.apply, Object.defineProperty, Array.prototype.indexOf, WeakMap.prototype.set];
  const bad = () => { throw new Error("replaced"); };
  Array.prototype.push = bad; JSON.stringify = bad; Map.prototype.get = bad; WeakMap.prototype.get = bad; WeakMap.prototype.set = bad; Reflect.apply = bad; Object.defineProperty = bad; Array.prototype.indexOf = bad;
  let r;
  try { r = await (await fetch("/api/json")).text(); console.log("x", { a: 1 }); await new Promise((ok) => setTimeout(ok, 20)); }
  finally { [, Array.prototype.push, JSON.stringify, Map.prototype.get, WeakMap.prototype.get, Reflect.apply, Object.defineProperty, Array.prototype.indexOf, WeakMap.prototype.set] = kept; }
  return r;
});
probe("hostile: Object.prototype polluted", async () => {
  for (const k of ["get", "set", "apply", "has", "value", "method", "capture"]) Object.prototype[k] = undefined;
  try { return (await fetch("/api/json")).status; } finally { for (const k of ["get", "set", "apply", "has", "value", "method", "capture"]) delete Object.prototype[k]; }
});
probe("hostile: frozen prototypes", async () => { Object.freeze(Promise.prototype); Object.freeze(Response.prototype); return (await fetch("/api/json")).status; });

async function runProbes() {
  const out = {};
  for (const [name, run] of Object.entries(probes)) {
    let timer;
    const late = new Promise((r) => { timer = setTimeout(() => r("probe never ended"), 5000); });
    try { out[name] = await Promise.race([Promise.resolve(run()), late]); } catch (e) { out[name] = `probe threw ${e && e.name}: ${e && e.message}`; }
    clearTimeout(timer);
    out[name] = (JSON.stringify(out[name]) ?? "undefined").split(location.origin).join("ORIGIN");
  }
  return out;
}
