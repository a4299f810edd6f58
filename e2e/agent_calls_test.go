package e2e

import (
	"strings"
	"testing"
)

// callRecord is a record of window.__devtool_api as JSON carries it.
type callRecord struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Method    string   `json:"method"`
	URL       string   `json:"url"`
	Start     float64  `json:"start"`
	End       *float64 `json:"end"`
	Duration  *float64 `json:"duration"`
	Timestamp float64  `json:"timestamp"`
	Status    *int     `json:"status"`
	OK        *bool    `json:"ok"`
	Error     *string  `json:"error"`
	Aborted   bool     `json:"aborted"`
	Initiator *string  `json:"initiator"`
	BodyKey   *string  `json:"bodyKey"`
}

// ended waits in the page until every recorded call has ended, then returns
// the records.
const ended = `
const ended = async () => {
  for (let i = 0; i < 500; i++) {
    const calls = __devtool_api.getCalls();
    if (calls.length > 0 && calls.every((c) => c.end !== null)) return calls;
    await new Promise((r) => setTimeout(r, 20));
  }
  return __devtool_api.getCalls();
};`

// want is what a record must show; empty fields are not looked at.
type want struct {
	kind, method, url string
	status            int // -1: still unknown
	failure           string
	aborted, bodyKey  bool
	min, max          float64 // duration, in ms
}

func TestRecorder(t *testing.T) {
	cases := []struct {
		name string
		code string
		want []want
	}{
		{"fetch", `await (await fetch("/api/json")).json()`, []want{{kind: "fetch", method: "GET", url: "/api/json", status: 200}}},
		{"fetch that nobody waits for", `fetch("/api/json")`, []want{{kind: "fetch", method: "GET", url: "/api/json", status: 200}}},
		{"fragment and relative url", `await fetch("api/json?a=1#part")`, []want{{url: "/api/json?a=1", status: 200}}},
		{"base element", `const b = document.createElement("base"); b.href = "/api/"; document.head.append(b); const p = fetch("json"); b.remove(); await p`, []want{{url: "/api/json", status: 200}}},
		{"URL object", `await fetch(new URL("/api/json", location))`, []want{{url: "/api/json", status: 200}}},
		{"Request object", `await fetch(new Request("/api/echo", {method: "put", body: "x"}))`, []want{{method: "PUT", url: "/api/echo", status: 200}}},
		{"Request and init", `await fetch(new Request("/api/echo"), {method: "POST", body: "x"})`, []want{{method: "POST", status: 200, bodyKey: true}}},
		{"link element", `const a = document.createElement("a"); a.href = "/api/json"; await fetch(a)`, []want{{url: "/api/json", status: 200}}},
		{"method spelling", `await fetch("/api/echo", {method: "post"}); await fetch("/api/echo", {method: "patch"})`, []want{{method: "POST", status: 200}, {method: "patch", status: 200}}},
		{"streamed body", `const r = await fetch("/api/drip?ms=400"); await r.text()`, []want{{url: "/api/drip?ms=400", status: 200, min: 380, max: 5000}}},
		{"streamed body, not read", `const r = await fetch("/api/drip?ms=300"); window.kept = r`, []want{{status: 200, min: 280, max: 5000}}},
		{"same url, overlapping", `const a = fetch("/api/drip?ms=300"); const b = fetch("/api/drip?ms=300"); await (await a).text(); await (await b).text()`, []want{{status: 200, min: 280}, {status: 200, min: 280}}},
		{"error status", `await fetch("/api/status?code=503")`, []want{{status: 503}}},
		{"redirect", `await fetch("/api/redirect")`, []want{{url: "/api/redirect", status: 200}}},
		{"network error", `await fetch("/api/hangup").catch(() => {})`, []want{{status: 0, failure: "TypeError: Failed to fetch"}}},
		{"network error that nobody handles", `fetch("/api/hangup")`, []want{{status: 0, failure: "TypeError: Failed to fetch"}}},
		{"bad url", `await fetch("http://").catch(() => {})`, []want{{url: "http://", status: 0, failure: "Failed to parse URL"}}},
		{"abort", `const c = new AbortController(); const p = fetch("/api/slow?ms=5000", {signal: c.signal}); c.abort(); await p.catch(() => {})`, []want{{status: 0, failure: "AbortError", aborted: true, max: 2000}}},
		{"abort with a reason of one's own", `const c = new AbortController(); const p = fetch("/api/slow?ms=5000", {signal: c.signal}); c.abort("enough"); await p.catch(() => {})`, []want{{status: 0, failure: "enough", aborted: true}}},
		{"abort of a Request", `const c = new AbortController(); const p = fetch(new Request("/api/slow?ms=5000", {signal: c.signal})); c.abort(7); await p.catch(() => {})`, []want{{status: 0, failure: "7", aborted: true}}},
		{"abort in the body", `const c = new AbortController(); const r = await fetch("/api/drip", {signal: c.signal}); c.abort(); await r.text().catch(() => {})`, []want{{status: 200, failure: "AbortError", aborted: true, max: 3000}}},
		{"abort after the end", `const c = new AbortController(); const r = await fetch("/api/json", {signal: c.signal}); await r.text(); await ended(); c.abort()`, []want{{status: 200}}},
		{"one signal for many", `const c = new AbortController(); for (let i = 0; i < 3; i++) await (await fetch("/api/json", {signal: c.signal})).text(); await ended(); c.abort()`, []want{{status: 200}, {status: 200}, {status: 200}}},
		{"body cut off", `const r = await fetch("/api/cut"); await r.text().catch(() => {})`, []want{{status: 200}}},
		{"opaque that nobody waits for", `fetch(other + "/api/json", {mode: "no-cors"})`, []want{{status: 0}}},
		{"big body, never read", `window.big = await fetch("/api/big")`, []want{{status: 200}}},
		{"from the cache", `await (await fetch("/api/cached")).text(); await (await fetch("/api/cached")).text()`, []want{{status: 200}, {status: 200}}},
		{"from the cache, nobody waits", `fetch("/api/cached", {cache: "force-cache"})`, []want{{status: 200}}},
		{"HEAD and no content", `await fetch("/api/json", {method: "HEAD"}); await fetch("/api/status?code=204")`, []want{{method: "HEAD", status: 200}, {status: 204}}},
		{"another origin", `await (await fetch(other + "/api/cors")).text()`, []want{{status: 200}}},
		{"another origin after a preflight", `await (await fetch(other + "/api/cors", {method: "PUT", headers: {"x-own": "1"}})).text()`, []want{{method: "PUT", status: 200}}},
		{"another origin, nobody waits", `fetch(other + "/api/cors")`, []want{{status: 200}}},
		{"another origin refuses", `await fetch(other + "/api/json").catch(() => {})`, []want{{status: 0, failure: "TypeError"}}},
		{"xhr to another origin that refuses", `await send("GET", other + "/api/json")`, []want{{kind: "xhr", status: 0, failure: "NetworkError"}}},
		{"kept alive", `await fetch("/api/echo", {method: "POST", body: "x", keepalive: true})`, []want{{status: 200, bodyKey: true}}},
		{"data url", `await fetch("data:text/plain,x")`, []want{{url: "data:text/plain,x", status: 200}}},
		{"opaque", `await fetch(other + "/api/json", {mode: "no-cors"})`, []want{{status: 0}}},
		{"kept reference", `const f = fetch; await f("/api/json")`, []want{{status: 200}}},
		{"own traffic", `await fetch("/__devtool/nothing").catch(() => {}); await fetch("/api/json"); const x = new XMLHttpRequest; x.open("GET", "/__devtool/x", false); x.send()`, []want{{url: "/api/json"}}},
		{"a path that only looks like it", `await fetch("/api/status?code=204&p=/__devtool/x")`, []want{{url: "/api/status?code=204&p=/__devtool/x", status: 204}}},
		{"xhr", `await send("GET", "/api/json")`, []want{{kind: "xhr", method: "GET", url: "/api/json", status: 200}}},
		{"xhr post", `await send("post", "/api/echo", "body")`, []want{{kind: "xhr", method: "POST", status: 200, bodyKey: true}}},
		{"xhr streamed", `await send("GET", "/api/drip?ms=300")`, []want{{status: 200, min: 280}}},
		{"xhr network error", `await send("GET", "/api/hangup")`, []want{{kind: "xhr", status: 0, failure: "NetworkError"}}},
		{"xhr timeout", `await send("GET", "/api/slow?ms=5000", null, (x) => { x.timeout = 50 })`, []want{{status: 0, failure: "TimeoutError", max: 3000}}},
		{"xhr abort", `await send("GET", "/api/slow?ms=5000", null, (x) => setTimeout(() => x.abort(), 30))`, []want{{status: 0, failure: "AbortError", aborted: true}}},
		{"xhr synchronous", `const x = new XMLHttpRequest; x.open("GET", "/api/slow?ms=100", false); x.send()`, []want{{kind: "xhr", status: 200, min: 95}}},
		{"xhr synchronous network error", `try { const x = new XMLHttpRequest; x.open("GET", "/api/hangup", false); x.send() } catch {}`, []want{{status: 0, failure: "NetworkError"}}},
		{"xhr used twice", `const x = await send("GET", "/api/json"); await send("GET", "/api/status?code=404", null, () => {}, x)`, []want{{url: "/api/json", status: 200}, {url: "/api/status?code=404", status: 404}}},
		{"xhr opened anew while running", `const x = new XMLHttpRequest; x.open("GET", "/api/slow?ms=3000"); x.send(); await send("GET", "/api/json", null, () => {}, x)`, []want{{url: "/api/slow?ms=3000", status: 0, failure: "AbortError", aborted: true}, {url: "/api/json", status: 200}}},
		{"xhr opened but not sent", `new XMLHttpRequest().open("GET", "/api/nothing"); await send("GET", "/api/json")`, []want{{url: "/api/json"}}},
		{"xhr sent twice by mistake", `const p = send("GET", "/api/json", null, (x) => { window.x = x }); try { window.x.send() } catch {} await p`, []want{{url: "/api/json", status: 200}}},
		{"xhr subclass", `class Mine extends XMLHttpRequest {}; await send("GET", "/api/json", null, () => {}, new Mine)`, []want{{kind: "xhr", status: 200}}},
		{"service worker", `await navigator.serviceWorker.register("/sw.js"); if (!navigator.serviceWorker.controller) await new Promise((r) => navigator.serviceWorker.addEventListener("controllerchange", r, {once: true})); const r = await fetch("/api/worker"); await r.text()`, []want{{url: "/api/worker", status: 203}}},
		{"natives replaced", `const t = Promise.prototype.then, p = performance.now; Promise.prototype.then = function (...a) { return t.apply(this, a) }; performance.now = () => 0; const r = await fetch("/api/json"); Promise.prototype.then = t; performance.now = p`, []want{{status: 200, max: 5000}}},
	}
	other := agentSite(t, false, "")
	site := agentSite(t, true, other.URL)
	page := tab(t, browser(t), site.URL+"/page")
	const send = `const send = (method, url, body = null, prepare = () => {}, x = new XMLHttpRequest()) => new Promise((r) => { x.onloadend = () => r(x); x.open(method, url); prepare(x); x.send(body); });`
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			calls := eval[[]callRecord](t, page, `(async () => {`+ended+send+` __devtool_api.clear(); `+c.code+`; return ended() })()`)
			if len(calls) != len(c.want) {
				t.Fatalf("%d calls recorded, want %d: %+v", len(calls), len(c.want), calls)
			}
			for i, w := range c.want {
				compareCall(t, site.URL, calls[i], w)
			}
		})
	}
}

func compareCall(t *testing.T, origin string, got callRecord, w want) {
	t.Helper()
	if w.kind != "" && got.Kind != w.kind {
		t.Errorf("kind = %q, want %q", got.Kind, w.kind)
	}
	if w.method != "" && got.Method != w.method {
		t.Errorf("method = %q, want %q", got.Method, w.method)
	}
	if w.url != "" && strings.TrimPrefix(got.URL, origin) != w.url {
		t.Errorf("url = %q, want %q", got.URL, w.url)
	}
	if got.End == nil || got.Duration == nil || got.Status == nil || got.OK == nil {
		t.Fatalf("never ended: %+v", got)
	}
	if w.status != 0 && *got.Status != w.status {
		t.Errorf("status = %d, want %d", *got.Status, w.status)
	}
	if want := *got.Status >= 200 && *got.Status < 300; *got.OK != want {
		t.Errorf("ok = %v with status %d", *got.OK, *got.Status)
	}
	failure := ""
	if got.Error != nil {
		failure = *got.Error
	}
	if (failure == "") != (w.failure == "") || !strings.Contains(failure, w.failure) {
		t.Errorf("error = %q, want %q", failure, w.failure)
	}
	if got.Aborted != w.aborted {
		t.Errorf("aborted = %v, want %v", got.Aborted, w.aborted)
	}
	if (got.BodyKey != nil) != w.bodyKey {
		t.Errorf("bodyKey = %v, want one: %v", got.BodyKey, w.bodyKey)
	}
	if *got.Duration < w.min || (w.max > 0 && *got.Duration > w.max) || *got.End-got.Start != *got.Duration {
		t.Errorf("duration = %v (%v to %v), want %v to %v", *got.Duration, got.Start, *got.End, w.min, w.max)
	}
	if got.Initiator == nil || strings.Contains(*got.Initiator, "__devtool") {
		t.Errorf("initiator = %v, want the caller's stack without the agent", got.Initiator)
	}
}

// TestCallAPI looks at the face of the buffer: what is in flight, the totals,
// the groups, the bound.
func TestCallAPI(t *testing.T) {
	site := agentSite(t, true, "")
	page := tab(t, browser(t), site.URL+"/page")
	checks := []struct{ name, code, want string }{
		{"in flight", `__devtool_api.clear(); window.c = new AbortController; window.p = fetch("/api/slow?ms=20000", {signal: c.signal}).catch(() => {}); const [r] = __devtool_api.getCalls(); return [r.end, r.duration, r.status, r.ok, r.error, __devtool_api.getStats().inFlight]`, `[null,null,null,null,null,1]`},
		{"in flight, head arrived", `c.abort(); await p; __devtool_api.clear(); window.r = await fetch("/api/drip?ms=1500"); const [a] = __devtool_api.getCalls(); const open = [a.end, a.status]; await r.text(); const [b] = await ended(); return [open, b.end > 1000]`, `[[null,200],true]`},
		{"copies", `const [a] = __devtool_api.getCalls(); a.url = "changed"; return __devtool_api.getCalls()[0].url !== "changed"`, `true`},
		{"json safe", `const c = __devtool_api.getCalls(); return JSON.stringify(JSON.parse(JSON.stringify(c))) === JSON.stringify(c)`, `true`},
		{"fields", `return Object.keys(__devtool_api.getCalls()[0])`, `["id","kind","method","url","start","end","duration","timestamp","status","ok","error","aborted","initiator","bodyKey"]`},
		{"clear", `__devtool_api.clear(); return [__devtool_api.getCalls().length, __devtool_api.getStats().total]`, `[0,0]`},
		{"failed", `await fetch("/api/json"); await fetch("/api/status?code=404"); await fetch("/api/hangup").catch(() => {}); await ended(); return [__devtool_api.getFailedCalls().length, __devtool_api.getStats().failed]`, `[2,2]`},
		{"slow", `await (await fetch("/api/slow?ms=150")).text(); await ended(); return [__devtool_api.getSlowCalls().length, __devtool_api.getSlowCalls(100).length, __devtool_api.getSlowCalls(0).length]`, `[0,1,4]`},
		{"repeated", `__devtool_api.clear(); const post = (body) => fetch("/api/echo", {method: "POST", body}); await fetch("/api/json"); await fetch("/api/json"); await post("a"); await post("b"); await post("b"); await post("b"); return __devtool_api.getRepeatedCalls().map((g) => [g.method, g.count, g.ids.length])`, `[["POST",3,3],["GET",2,2]]`},
		{"bound", `__devtool_api.clear(); for (let i = 0; i < 1005; i++) await fetch("data:," + i); const c = __devtool_api.getCalls(); return [c.length, c[0].url, c[999].url, __devtool_api.getStats().dropped]`, `[1000,"data:,5","data:,1004",5]`},
		{"timestamp", `__devtool_api.clear(); await fetch("data:,"); const [c] = __devtool_api.getCalls(); return Math.abs(c.timestamp - Date.now()) < 5000 && c.timestamp === performance.timeOrigin + c.start`, `true`},
		{"initiator", `__devtool_api.clear(); async function loadUsers() { return fetch("/api/json") } await loadUsers(); return __devtool_api.getCalls()[0].initiator.split("\n")[0].startsWith("at loadUsers (")`, `true`},
		{"names are hidden", `return [Object.keys(window).includes("__devtool_api"), "__devtool_api" in window]`, `[false,true]`},
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			got := eval[string](t, page, `(async () => {`+ended+` return JSON.stringify(await (async () => {`+c.code+`})()) })()`)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// callBudget is the most that recording may add to a call, in microseconds.
const callBudget = 40

// TestRecordingCost prints what recording a call costs, stack included: fetch
// of a data: URL with the agent minus the native fetch kept by the page, in
// turns. The machine is shared, so the bound that fails is a generous one.
func TestRecordingCost(t *testing.T) {
	site := agentSite(t, true, "")
	page := tab(t, browser(t), site.URL+"/bench")
	got := eval[map[string]float64](t, page, `(async () => {
		const deep = (n, f) => n === 0 ? f("data:,x") : deep(n - 1, f);
		const serial = async (f) => { const t = performance.now(); for (let i = 0; i < 40; i++) await deep(8, f); return (performance.now() - t) * 25; };
		const burst = async (f) => { const all = []; const t = performance.now(); for (let i = 0; i < 40; i++) all.push(deep(8, f)); const d = (performance.now() - t) * 25; await Promise.all(all); return d; };
		const at = (a, q) => a.sort((x, y) => x - y)[Math.floor(a.length * q)];
		const runs = { plain: [], tapped: [], plainBurst: [], tappedBurst: [] };
		for (let i = 0; i < 60; i++) {
			runs.plain.push(await serial(pristine)); runs.tapped.push(await serial(fetch));
			runs.plainBurst.push(await burst(pristine)); runs.tappedBurst.push(await burst(fetch));
		}
		const out = {};
		for (const [name, a] of Object.entries(runs)) { out[name] = at(a, 0.5); out[name + "Best"] = at(a, 0.1); }
		const t = performance.now(); out.n = __devtool_api.getCalls().length; out.read = performance.now() - t;
		return out;
	})()`)
	added, addedBest := got["tapped"]-got["plain"], got["tappedBest"]-got["plainBest"]
	burst, burstBest := got["tappedBurst"]-got["plainBurst"], got["tappedBurstBest"]-got["plainBurstBest"]
	t.Logf("fetch of a data: URL, native %.0f µs: recording adds %.1f µs awaited one by one and %.1f µs in a burst (medians; best tenth %.1f and %.1f µs); reading %v calls takes %.1f ms",
		got["plain"], added, burst, addedBest, burstBest, got["n"], got["read"])
	if burstBest > 3*callBudget {
		t.Errorf("recording adds %.1f µs to a call at best, budget %d µs", burstBest, callBudget)
	}
}
