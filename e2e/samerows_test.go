package e2e

import (
	"net/http"
	"strings"
)

func policies(p ...string) http.Header { return http.Header{"Content-Security-Policy": p} }

func typed(kind string) http.Header { return http.Header{"Content-Type": {kind}} }

// violations keeps what the page hears of its policies.
const violations = `globalThis.seen = []; addEventListener("securitypolicyviolation", (e) => seen.push([e.effectiveDirective, e.blockedURI, e.disposition, e.originalPolicy, e.sourceFile, e.lineNumber, e.columnNumber, e.sample, e.statusCode, e.target === document ? "document" : e.target.localName]));`

// nodes is a document as its nodes.
const nodes = `const tree = (n) => [n.nodeName, n.nodeValue, ...[...n.childNodes].map(tree)];`

// framed loads a frame and says what the page can see of it.
const framed = `const framed = async (set, read) => { const f = document.createElement("iframe"); set(f); await new Promise((r) => { f.onload = r; document.body.append(f) }); let out; try { out = await read(f) } catch (e) { out = e.name } f.remove(); return out };`

// listening is a page that says what it hears of its errors.
const listening = `<!doctype html><script>log = []; onerror = (m, f, l, c, e) => { log.push([m, f, l, c, e?.name, e?.stack]); return true }; addEventListener("error", (e) => log.push([e.filename, e.lineno, e.colno, e.defaultPrevented]))</script>
`

var sameRows = []sameRow{
	// What the page's server is told, and what it answers.
	{name: "request", code: `const h = (await (await fetch("/echo", {headers: {"x-a": "1", "X-B": ""}})).json()).Header; for (const k of ["Referer", "Connection", "X-Forwarded-For"]) delete h[k]; return h`},
	{name: "request with a body", code: `const j = await (await fetch("/echo", {method: "POST", body: "abc"})).json(); return [j.Method, j.Body, j.Length, j.Coding, j.Header["Content-Type"], j.Header["Content-Length"]]`},
	{name: "request said back in the header", code: `const r = await fetch("/echo", {method: "POST"}); return [r.headers.get("x-request-origin"), r.headers.get("x-request-referer")]`},
	{name: "request said back in the body", code: `return (await (await fetch("/echo", {method: "POST"})).json()).Header.Origin`, known: "the target is told its own origin, or it would refuse the request as another site's"},
	{name: "large body", code: `const j = await (await fetch("/echo", {method: "POST", body: new Blob(["x".repeat(100000)])})).json(); return [j.Length, j.Coding, j.Body.length]`},
	{name: "methods", code: `const out = []; for (const method of ["DELETE", "PATCH", "patch", "OPTIONS", "Chicken"]) { const j = await (await fetch("/echo", {method})).json(); out.push([j.Method, j.Length, j.Coding, j.Header["Content-Length"]]) } return out`},
	{name: "headers of a page that a script fetches", code: `return [...(await fetch("/page.html")).headers].filter(([k]) => k !== "date")`},
	{name: "headers without a type", code: `const x = new XMLHttpRequest; x.open("GET", "/head?body=hello&Content-Type=", false); x.send(); return x.getAllResponseHeaders().replace(/date:.*/, "")`},
	{name: "headers that name the server", code: `return [...(await fetch("/head?X-Inertia-Location=TARGET/a&HX-Redirect=TARGET/b&Link=<TARGET/c>%3Brel=preload")).headers].filter(([k]) => /loc|hx|link/.test(k))`},
	{name: "statuses", code: `const out = []; for (const s of [200, 204, 205, 206, 226, 300, 304, 305, 400, 451, 599, 600, 999]) out.push(await fetch("/head?body=x&status=" + s, {redirect: "manual"}).then(async (r) => [s, r.status, r.type, await r.text()], (e) => [s, e.message])); return out`},
	{name: "redirects", code: `const out = []; for (const s of [301, 303, 308]) for (const l of ["/echo", "echo?a#b", "TARGET/echo", "?x", "//", "data:text/plain,x", "", "/%20 x", "/é"]) out.push(await fetch("/head?status=" + s + "&Location=" + encodeURIComponent(l), {method: "POST", body: "b"}).then(async (r) => [s, l, r.status, r.url, r.redirected, (await r.text()).includes('"Body":"b"')], (e) => [s, l, e.message])); return out`},
	{name: "awkward answers", code: `const ok = "HTTP/1.1 200 OK\r\n", none = "Content-Length: 0\r\n\r\n"; const out = []; for (const b of [ok + "Content-Type: a/b\r\nA: 1\r\nA: 2\r\n" + none, ok + "X: a\r\n b\r\n" + none, ok + "Content-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nT: 1\r\n\r\n", ok + "Content-Type: a/b\r\nContent-Length: 20\r\n\r\nhi", ok + "Content-Type: a/b\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi", ok + "Content-Type: a/b\r\nContent-Encoding: odd\r\nContent-Length: 2\r\n\r\nhi", ok + "X-L: caf\u00e9\r\nEmpty:\r\n" + none, "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n" + ok + none]) out.push(await fetch("/raw?bytes=" + encodeURIComponent(b)).then(async (r) => [r.status, await r.text().catch((e) => e.message), [...r.headers].filter(([k]) => k !== "date")], (e) => e.message)); return out`},
	{name: "cookies", code: `for (const c of ["a=1", "b=2; HttpOnly", "c=3; Secure; SameSite=None", "__Host-d=4; Secure; Path=/", "e=5; SameSite=Strict; Max-Age=100", "f", "=g", "h=5; Path=/x", "i=\"q, u\""]) await fetch("/head?Set-Cookie=" + encodeURIComponent(c)); return document.cookie.split("; ").sort()`},
	{name: "cache", code: framed + `const out = []; for (const c of ["no-cache", "max-age=100", "no-store"]) { const id = "id=" + location.port; const u = "/cached?cache=" + c + "&" + id; const load = () => framed((f) => f.src = u, (f) => f.contentDocument.title + f.contentDocument.scripts.length); const get = async () => { const r = await fetch(u); return [r.status, (await r.text()).length, r.headers.get("etag")] }; out.push([await load(), await load(), await get(), await get(), await load()], await (await fetch("/asked?" + id)).json()) } return out`},
	{name: "event stream", code: `return new Promise((r) => { const log = []; const s = new EventSource("/events"); s.onopen = () => log.push("open"); s.onmessage = (e) => { log.push([e.data, e.origin, e.lastEventId]); if (log.length > 5) { s.close(); r(log) } }; s.onerror = () => log.push("error " + s.readyState) })`},
	{name: "event streams refused", code: `const out = []; for (const u of ["/head?Content-Type=text/plain", "/head?status=204", "/head?status=500"]) out.push(await new Promise((r) => { const s = new EventSource(u); s.onerror = () => { r(["error", s.readyState]); s.close() } })); return out`},
	{name: "web socket", code: `return new Promise((r) => { const s = new WebSocket(location.origin.replace("http", "ws") + "/ws", ["a", "b"]); const log = []; s.onopen = () => { log.push(["open", s.protocol, s.extensions, s.url]); s.send("hi") }; s.onmessage = (e) => { log.push([e.data, e.origin, e.source, e.lastEventId]); s.send("bye") }; s.onerror = () => log.push("error"); s.onclose = (e) => r([...log, e.code, e.reason, e.wasClean]) })`},
	{name: "web sockets refused", code: `const out = []; for (const u of ["/echo", "/head?status=401", "/raw?bytes=x", "/raw?bytes=HTTP/1.1%20101%20x%0D%0A%0D%0A"]) out.push(await new Promise((r) => { const s = new WebSocket(location.origin.replace("http", "ws") + u); const log = []; s.onerror = () => log.push("error"); s.onclose = (e) => r([...log, e.code, e.reason, e.wasClean]) })); return out`},
	{name: "beacon", code: `const id = "id=" + location.port; navigator.sendBeacon("/report?" + id, new Blob(['{"a":1}'], {type: "application/json"})); for (;;) { const l = await (await fetch("/reports?" + id)).json(); if (l) return l }`},
	{name: "quota of requests that outlive the page", code: `const all = [65536, 1].map((n) => fetch("/echo", {method: "POST", body: "x".repeat(n), keepalive: true}).then((r) => r.status, (e) => e.message)); return Promise.all(all)`},

	// The platform's objects, across realms too.
	{name: "a page that a script fetches", code: `const x = new XMLHttpRequest; x.open("GET", "/page.html"); x.responseType = "document"; await new Promise((r) => { x.onload = r; x.send() }); return [x.response.documentElement.outerHTML, (await (await fetch("/page.html", {headers: {accept: "text/html"}})).text()).length]`},
	{name: "blank frames", code: framed + `const out = []; for (const set of [() => {}, (f) => f.srcdoc = "<p>x", (f) => f.src = "javascript:'y'", (f) => f.src = URL.createObjectURL(new Blob(["<p>z"], {type: "text/html"}))]) out.push(await framed(set, (f) => f.contentDocument.documentElement.outerHTML)); return out`},
	{name: "frame", code: framed + `return framed((f) => f.src = "/page.html", (f) => { const w = f.contentWindow; return [w.document.documentElement.outerHTML, w.length, length, w.history.length === history.length, w.document.referrer] })`},
	{name: "object element", code: `const f = document.createElement("object"); f.data = "/page.html"; await new Promise((r) => { f.onload = r; document.body.append(f) }); const d = f.contentDocument.documentElement.outerHTML; f.remove(); return d`},
	{name: "types of a frame", code: framed + `const out = []; for (const t of [["text/html", "text/plain"], ["text/plain", "text/html"], ["text/html,text/plain"], ["text/html;charset=gbk,text/plain"], ["text/html;charset=gbk", "text/html"], ["text/html", "*/*"]]) out.push(await framed((f) => f.src = "/head?body=%3C!doctype html%3E%3Cp%3Ex&" + t.map((x) => "Content-Type=" + encodeURIComponent(x)).join("&"), (f) => [f.contentDocument.contentType, f.contentDocument.characterSet, f.contentDocument.body.textContent])); return out`},
	{name: "frames of which a policy is required", code: framed + `const out = []; for (const p of ["script-src 'unsafe-inline'", "default-src 'none'; script-src 'unsafe-inline'", "img-src 'none'", "script-src 'nonce-a' 'unsafe-inline'"]) for (const q of ["policy=" + encodeURIComponent(p), "allow=*"]) out.push(await framed((f) => { f.csp = p; f.src = "/page.html?" + q }, (f) => f.contentDocument.title + f.contentDocument.scripts.length)); return out`},
	{name: "frames in a sandbox", code: framed + `const out = []; for (const s of ["", "allow-scripts", "allow-scripts allow-same-origin"]) out.push(await framed((f) => { f.sandbox = s; f.src = "/page.html" }, (f) => f.contentDocument.documentElement.outerHTML)); return out`},
	{name: "frame in a sandbox without scripts", code: framed + `return framed((f) => { f.sandbox = "allow-same-origin"; f.src = "/page.html" }, (f) => f.contentDocument.scripts.length)`, known: "the request does not say so, and a script that does not run cannot take itself away"},
	{name: "realms", body: `<!doctype html><iframe src="/page.html"></iframe><iframe src="/page.html"></iframe>`, code: `const a = frames[0], b = frames[1]; const out = []; const p = a.fetch.call(b, "/echo"); out.push(p instanceof b.Promise); const r = await p; out.push(r instanceof b.Response, r.headers.get("x-request-referer")); const x = new a.XMLHttpRequest; XMLHttpRequest.prototype.open.call(x, "GET", "/echo"); b.XMLHttpRequest.prototype.send.call(x); await new Promise((r) => x.onload = r); out.push(x.status);
const thrown = (run) => { try { run() } catch (e) { out.push(e.name, e.message, e instanceof a.TypeError, e instanceof a.DOMException) } }; thrown(() => a.XMLHttpRequest.prototype.open.call({}, "GET", "/")); thrown(() => a.document.createElement("img").attachShadow({mode: "open"})); thrown(() => new a.WebSocket("foo:")); thrown(() => document.write.call(a.document, Symbol()));
const w = Reflect.construct(a.WebSocket, ["ws://x.invalid/"], b.WebSocket); out.push(Object.getPrototypeOf(w) === b.WebSocket.prototype); w.close(); out.push(await a.fetch("http://").catch((e) => e instanceof a.TypeError), a.fetch.toString()); return out`},
	{name: "a frame that is gone", body: `<!doctype html><iframe src="/page.html"></iframe>`, code: `const a = frames[0]; const f = a.fetch, X = a.XMLHttpRequest, W = a.WebSocket, d = a.document, c = a.console; document.querySelector("iframe").remove(); const out = []; const t = async (run) => { try { out.push(String(await run())) } catch (e) { out.push([e.name, e.message]) } }; await t(() => f.call(a, "/echo")); await t(() => { const x = new X; x.open("GET", "/echo"); x.send() }); await t(() => new W("ws://x.invalid/")); await t(() => d.open()); await t(() => d.write("x")); await t(() => c.log("x")); return out`},
	{name: "errors that nobody catches", body: listening + `<script>new XMLHttpRequest().open("GET", "http://")</script>
<script>new XMLHttpRequest().send()</script>
<script>document.createElement("img").attachShadow({mode: "open"})</script>
<script>new WebSocket("foo:")</script>
<script>Function.prototype.toString.call(1)</script>
<script>document.write(Symbol())</script>
<script>addEventListener("unhandledrejection", (e) => { log.push(e.reason.stack); e.preventDefault() }); fetch("http://")</script>`, code: `await soon(); return log`},

	// The page's life.
	{name: "events", body: `<!doctype html><head><script>log = []; for (const t of ["DOMContentLoaded", "readystatechange"]) document.addEventListener(t, (e) => log.push([t, document.readyState, e.eventPhase])); for (const t of ["load", "pageshow", "error"]) addEventListener(t, (e) => log.push([t, e.target === document, e.persisted]))</script></head>`, code: `await soon(); return log`},
	{name: "what the first script sees", body: `<!doctype html><html><head><script>log = [document.scripts.length, document.currentScript === document.scripts[0], document.head.childNodes.length, document.documentElement.outerHTML.length, document.getElementsByTagName("*").length]; new MutationObserver((l) => { for (const m of l) for (const n of m.removedNodes) log.push(n.nodeName) }).observe(document, {childList: true, subtree: true})</script><title>x</title></head><body></body></html>`, code: `return [log, document.documentElement.outerHTML]`},
	{name: "navigation entry", body: samePage, code: `const n = performance.getEntriesByType("navigation")[0]; return [n.name, n.type, n.redirectCount, n.nextHopProtocol, n.responseStatus, n.contentType, n.contentEncoding, n.deliveryType, n.workerStart, n.transferSize - n.encodedBodySize, n.serverTiming, Object.keys(n.toJSON())]`},
	{name: "written anew", body: samePage, code: `document.open(); document.write("<!doctype html><title>n</title><script>log = [document.scripts.length, document.currentScript === document.scripts[0]]<\/script><p>x"); document.close(); return [log, document.documentElement.outerHTML, document.readyState, document.URL]`},
	{name: "history", body: samePage, code: `const n = history.length; history.pushState(1, "", "?a"); history.replaceState(2, "", "?b"); return [history.length - n, navigation.entries().length - n, navigation.currentEntry.url, navigator.userActivation.hasBeenActive, document.activeElement.localName]`},
	{name: "kept by the browser", back: true, body: `<!doctype html><script>kept = []; onpageshow = (e) => kept.push(e.persisted)</script>`, code: `return [kept, performance.getEntriesByType("navigation")[0].notRestoredReasons?.reasons]`},
	{name: "base", body: `<!doctype html><head><base href="/deep/er/"><script src="x.js?code=window.ok=document.currentScript.src"></script>`, code: `return [ok, document.baseURI]`},
	{name: "agent among the resources", body: samePage, code: `return performance.getEntriesByType("resource").filter((e) => !e.name.endsWith("favicon.ico")).length`, known: "one entry cannot be taken out, and hiding it costs every page a third of a millisecond"},

	// The document, as the parser makes it.
	{name: "no head", body: "<!doctype html>\n<!-- c -->\n<p>x", code: nodes + `return tree(document)`},
	{name: "only text", body: "  text & more", code: nodes + `return [tree(document), document.compatMode]`},
	{name: "head with attributes", body: "<!doctype html><html lang=en a='>'><head id=h class=c >\n<title>t</title>\n</head>\n<body>\n", code: nodes + `return [tree(document), document.head.id]`},
	{name: "head that ends at once", body: "<!doctype html><html></head><link><body>x", code: nodes + `return tree(document)`},
	{name: "foreign root", body: "<svg><script>window.x = document.scripts.length</script></svg>", code: nodes + `return [tree(document), window.x]`},
	{name: "plain text for ever", body: "<plaintext><head>x", code: nodes + `return tree(document)`},
	{name: "template first", body: "<template><head></head><p>x</p></template><noscript><p>a</p></noscript><p>y", code: `return document.documentElement.outerHTML + document.querySelector("template").innerHTML`},
	{name: "old doctype", body: `<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><head></head>`, code: `return [document.compatMode, document.doctype.publicId]`},
	{name: "byte order mark", body: "\ufeff<!doctype html><p>é", code: `return [document.characterSet, document.documentElement.outerHTML, document.compatMode]`},
	{name: "charset after a long title", head: typed("text/html"), body: "<!doctype html><head><title>" + strings.Repeat("x", 850) + "</title><meta charset=windows-1251>\xcf", code: `return [document.characterSet, document.body.textContent]`},
	{name: "charset after a long script", head: typed("text/html"), body: "<!doctype html><head><script>/*" + strings.Repeat("x", 940) + "*/</script><meta charset=windows-1251>\xcf", code: `return [document.characterSet, document.body.textContent]`},
	{name: "no charset", head: typed("text/html"), body: "<!doctype html><p>\xe9t\xe9", code: `return [document.characterSet, document.body.textContent]`},
	{name: "charset of scripts", head: typed("text/html; charset=windows-1252"), body: "<!doctype html><script src=/head?Content-Type=text/javascript&body=x='%E9'></script>", code: `return [document.characterSet, x]`},
	{name: "xml", head: typed("text/xml"), body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head></html>`, code: `return [new XMLSerializer().serializeToString(document), document.contentType]`},
	{name: "xhtml", head: typed("application/xhtml+xml"), body: `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p/></body></html>`, code: `return [new XMLSerializer().serializeToString(document), document.contentType]`},
	{name: "svg", head: typed("image/svg+xml"), body: `<svg xmlns="http://www.w3.org/2000/svg"><script>window.x = document.getElementsByTagName("script").length</script></svg>`, code: `return [x, document.contentType]`},
	{name: "text", head: typed("text/plain"), body: `<html><head>`, code: `return document.body.textContent`},

	// Policies, and what is said when they are broken.
	{name: "fetch blocked", head: policies("connect-src 'self'; script-src 'self' 'unsafe-inline'"), body: `<!doctype html><script src="/f.js?code=function%20go(){return%20fetch('http://other.test/').catch(()=>{})}"></script><p>`, code: violations + `await go(); await soon(); return seen`},
	{name: "xhr blocked", head: policies("connect-src 'self'"), body: `<!doctype html><script>` + violations + `const x = new XMLHttpRequest; x.open("GET", "http://other.test/"); x.send()</script>`, code: `await soon(); return seen.map((e) => e.toSpliced(6, 1))`},
	{name: "event source, beacon blocked", head: policies("connect-src 'self'"), body: `<!doctype html><head>
<script>` + violations + `new EventSource("http://other.test/"); seen.push(navigator.sendBeacon("http://other.test/", "x"))</script>`, code: `await soon(); return seen`},
	{name: "web socket blocked", head: policies("connect-src 'self'"), code: violations + `try { new WebSocket("ws://other.test/") } catch (e) { seen.push(e.name) } await soon(); return seen.map((e) => e[4])`, known: "the browser names the file that makes the call, which is the agent's"},
	{name: "image blocked", head: policies("default-src 'none'; script-src 'nonce-abc'; connect-src 'self'"), code: violations + `new Image().src = "/x.png"; await soon(); return seen`},
	{name: "policy that the agent needs more than", head: policies("default-src 'none'"), code: violations + `new Image().src = "/x.png"; await soon(); return seen.map((e) => e[3])`, known: "what was added to it is in its text"},
	{name: "scripts blocked", head: policies("default-src 'none'"), code: violations + `const s = document.createElement("script"); s.text = "window.ran = 1"; document.head.append(s); document.body.setAttribute("onclick", "x()"); document.body.click(); await soon(); return [seen.map((e) => e.toSpliced(3, 1)), window.ran, document.scripts.length]`},
	{name: "reports", head: policies("img-src 'none'; script-src 'self'; report-uri /report?id=csp"), code: `new Image().src = "/no.png"; for (;;) { const l = await (await fetch("/reports?id=csp")).json(); const own = (l ?? []).map((r) => r["csp-report"]).filter((r) => r["document-uri"] === document.URL); if (own.length) return own.map((r) => [r["effective-directive"], r["original-policy"], r["blocked-uri"].split("/").pop(), r["status-code"]]) }`},
	{name: "reports to observers", head: policies("default-src 'none'; connect-src 'self'"), code: `const seen = []; new ReportingObserver((l) => seen.push(...l.map((r) => [r.type, r.body?.effectiveDirective])), {buffered: true}).observe(); await soon(150); return seen`},
	{name: "policy added by a script", body: `<!doctype html><head><script>` + violations + `const m = document.createElement("meta"); m.httpEquiv = "Content-Security-Policy"; m.content = "connect-src 'none'"; document.head.append(m)</script></head>`, code: `await soon(400); return seen`},
	{name: "trusted types: written while loading", head: policies("require-trusted-types-for 'script'"), body: `<!doctype html><script>` + violations + `
try { document.write("<p>x") } catch (e) { seen.push(e.stack) }</script>`, code: `await soon(); return seen`},
	{name: "trusted types: sinks", head: policies("require-trusted-types-for 'script'"), code: violations + `const r = []; for (const f of [() => document.body.innerHTML = "x", () => document.createElement("script").src = "/x.js", () => document.createElement("script").text = "1", () => setTimeout("1"), () => new Worker("/x.js"), () => new DOMParser().parseFromString("x", "text/html"), () => document.createElement("iframe").srcdoc = "x", () => document.writeln("x")]) try { f(); r.push(0) } catch (e) { r.push(e.message) } await soon(); return [r, seen.map((e) => e.toSpliced(4, 3))]`},
	{name: "trusted types: policies", head: policies("require-trusted-types-for 'script'; trusted-types a"), code: violations + `const r = []; for (const n of ["a", "a", "b", "default"]) try { r.push(trustedTypes.createPolicy(n, {}).name) } catch (e) { r.push(e.name + e.message) } r.push(trustedTypes.defaultPolicy); await soon(); return [r, seen.map((e) => e.toSpliced(3, 1))]`},
	{name: "trusted types: only names", head: policies("trusted-types a 'allow-duplicates'"), code: violations + `const r = []; for (const n of ["a", "a", "b", "oriel"]) try { r.push(trustedTypes.createPolicy(n, {}).name) } catch (e) { r.push(e.name + e.message) } await soon(); return [r, seen]`},
	{name: "isolation", head: http.Header{"Cross-Origin-Opener-Policy": {"same-origin"}, "Cross-Origin-Embedder-Policy": {"require-corp"}}, code: `return [crossOriginIsolated, document.scripts.length]`},
	{name: "sandbox", head: http.Header{"Cross-Origin-Embedder-Policy": {"require-corp"}, "Content-Security-Policy": {"sandbox allow-scripts"}}, code: `return [origin, document.scripts.length]`},
	{name: "integrity policy", head: http.Header{"Integrity-Policy": {"blocked-destinations=(script)"}}, code: violations + `await soon(); return [document.scripts.length, seen]`},
}
