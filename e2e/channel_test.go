package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"oriel/internal/journal"
	"oriel/internal/page"
)

// channelSite is a site with the agent's tag in each page, as the proxy would
// put it there, and a hub behind it that can be restarted.
type channelSite struct {
	*httptest.Server
	secret  page.Secret
	hub     *page.Hub
	serving atomic.Pointer[page.Hub] // hub, for the server's goroutines
	journal *journal.Journal
}

func newChannelSite(t *testing.T) *channelSite {
	t.Helper()
	s := &channelSite{secret: page.NewSecret(), journal: journal.New(nil)}
	s.start()
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		if err := s.hub.Close(); err != nil {
			t.Error(err)
		}
		s.Close()
	})
	return s
}

// start puts a new hub into service.
func (s *channelSite) start() {
	s.hub = page.NewHub(page.Options{Proxy: "web", Secret: s.secret, Journal: s.journal})
	s.serving.Store(s.hub)
}

// Policies a page may come with, already amended as the proxy amends them.
const (
	pagePolicyNonce = "default-src 'none'; script-src 'nonce-abc123'; connect-src %s/__devtool/"
	pagePolicyFiles = "default-src 'none'; script-src %s/__devtool/; connect-src %s/__devtool/"
	pagePolicyTypes = "require-trusted-types-for 'script'; trusted-types oriel"
	pagePolicyBoth  = pagePolicyNonce + "; " + pagePolicyTypes
)

func (s *channelSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.URL.Path, page.Prefix) {
		s.serving.Load().ServeHTTP(w, r)
		return
	}
	origin := "http://" + r.Host
	socket := "ws://" + r.Host
	nonce, inline := "", true
	policy := ""
	switch r.URL.Path {
	case "/nonce":
		nonce, policy = "abc123", fmt.Sprintf(pagePolicyNonce, socket)
	case "/files":
		inline, policy = false, fmt.Sprintf(pagePolicyFiles, origin, socket)
	case "/files-unknown": // a policy that the proxy did not foresee, as from a meta element
		policy = fmt.Sprintf(pagePolicyFiles, origin, socket)
	case "/types":
		policy = pagePolicyTypes
	case "/nonce-types":
		nonce, policy = "abc123", fmt.Sprintf(pagePolicyBoth, socket)
	case "/files-types":
		inline, policy = false, fmt.Sprintf(pagePolicyFiles+"; "+pagePolicyTypes, origin, socket)
	}
	if policy != "" {
		w.Header().Set("Content-Security-Policy", policy)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	tag := s.serving.Load().Issue(r).HTML(nonce, inline)
	body := `<p id="x" class="a b">text</p>`
	if r.URL.Path == "/frames" {
		body = `<iframe src="/inner"></iframe><iframe src="/inner2"></iframe>`
	}
	if r.URL.Path == "/early" {
		body = `<script>
addEventListener("pagehide", () => { sessionStorage.beacon = navigator.sendBeacon("/beacon", "x".repeat(65536)) });
console.log("said before leaving"); location.replace("/plain-again")</script>`
	}
	_, _ = fmt.Fprintf(w, "<!doctype html><html><head>%s<title>%s</title></head><body>%s</body></html>", tag, r.URL.Path, body)
}

// at waits for the page at a path.
func (s *channelSite) at(t *testing.T, path string) *page.Page {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	p, err := s.hub.Wait(ctx, func(i page.Info) bool { return i.URL == s.URL+path && i.Loaded })
	if err != nil {
		t.Fatalf("page %s: %v", path, err)
	}
	return p
}

func run(t *testing.T, p *page.Page, code string) page.Value {
	t.Helper()
	v, err := p.Exec(t.Context(), code, page.ExecOptions{})
	if err != nil {
		t.Fatalf("exec %.80q: %v", code, err)
	}
	return v
}

type execCase struct {
	code string
	kind string
	json string // exact
}

var execCases = []execCase{
	{"1+1", "number", "2"},
	{"1+1;", "number", "2"},
	{"  // a comment\n 1+1 // another", "number", "2"},
	{"'a' + \"b\"", "string", `"ab"`},
	{"return 7", "number", "7"},
	{"const n = 3; n * 2", "number", "6"},
	{"const n = 3\nn * 2", "number", "6"},
	{"let s = ''\nfor (const c of 'abc') s = c + s\ns", "string", `"cba"`},
	{"if (true) return 'early'; 'late'", "string", `"early"`},
	{"let i = 0\nwhile (i < 5)\n  i++", "undefined", "null"}, // the loop is not cut short by a return
	{"function f() { return 5 }\nf()", "number", "5"},
	{"await Promise.resolve(9)", "number", "9"},
	{"const a = await Promise.resolve([1, 2]); a.length", "number", "2"},
	{"new Promise(r => setTimeout(() => r('later'), 5))", "string", `"later"`},
	{"({a: 1, b: [true, null]})", "object", `{"a":1,"b":[true,null]}`},
	{"{a: 1}", "object", `{"a":1}`},
	{"undefined", "undefined", "null"},
	{"null", "null", "null"},
	{"NaN", "number", `"NaN"`},
	{"123n", "bigint", `"123n"`},
	{"Symbol('s')", "symbol", `"Symbol(s)"`},
	{"function named() {}", "function", `"[function named]"`},
	{"class K {}", "function", `"[class K]"`},
	{"document.querySelector('#x')", "node", `"<p#x.a.b \"text\">"`},
	{"document.querySelectorAll('p')", "NodeList", `["<p#x.a.b \"text\">"]`},
	{"const o = {n: 1}; o.self = o; o", "object", `{"n":1,"self":"[circular]"}`},
	{"new Map([['k', {v: 1}]])", "Map", `{"[Map]":[["k",{"v":1}]]}`},
	{"new Set([1, 'two'])", "Set", `{"[Set]":[1,"two"]}`},
	{"new Date(0)", "Date", `"1970-01-01T00:00:00.000Z"`},
	{"/a+/gi", "RegExp", `"/a+/gi"`},
	{"({get bad() { throw new Error('no') }, good: 1})", "object", `{"bad":"[throws: no]","good":1}`},
	{"new Proxy({}, {ownKeys() { throw new Error('hidden') }})", "object", `"[unreadable: hidden]"`},
	{"new Uint8Array([1, 2])", "Uint8Array", "[1,2]"},
	{"({u: undefined, f() {}})", "object", `{"f":"[function f]"}`},
	{"[,1]", "array", "[null,1]"},
	{"Object.prototype.toJSON = () => 'hijacked'; try { return {a: 1} } finally { setTimeout(() => delete Object.prototype.toJSON, 20) }", "object", `"hijacked"`},
	{"await new Promise(r => setTimeout(r, 40)); JSON.stringify = null; [1]", "array", "[1]"},
	{"this === window", "boolean", "true"},
	{"document.scripts.length", "number", "0"},
	{"`${[1, 2].map(x => `<${x}>`).join('')}`", "string", `"<1><2>"`},
	{"'a/b'.split(/\\//)\n  .length", "number", "2"},
}

func TestExecValues(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	for _, path := range []string{"/plain", "/nonce", "/files", "/types", "/nonce-types", "/files-types", "/files-unknown"} {
		t.Run(path[1:], func(t *testing.T) {
			tab(t, b, s.URL+path)
			p := s.at(t, path)
			for _, tc := range execCases {
				v, err := p.Exec(t.Context(), tc.code, page.ExecOptions{})
				if err != nil {
					t.Errorf("%q: %v", tc.code, err)
					continue
				}
				if v.Type != tc.kind || string(v.JSON) != tc.json {
					t.Errorf("%q = %s %s, want %s %s", tc.code, v.Type, v.JSON, tc.kind, tc.json)
				}
			}
		})
	}
}

func TestExecFailures(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	for _, path := range []string{"/plain", "/files"} {
		t.Run(path[1:], func(t *testing.T) {
			ctx := tab(t, b, s.URL+path)
			p := s.at(t, path)
			run(t, p, "window.seen = []; addEventListener('error', e => seen.push(e.message)); window.onerror = m => { seen.push(m) }")
			for _, tc := range []struct {
				code, why, text string
				line, column    int
			}{
				{"throw new TypeError('bad thing')", page.WhyThrew, "TypeError: bad thing", 1, 7},
				{"const a = 1;\nnull.x", page.WhyThrew, "Cannot read properties of null", 2, 6},
				{"\n\nundefinedName", page.WhyThrew, "undefinedName is not defined", 3, 1},
				{"await Promise.reject(new RangeError('later'))", page.WhyThrew, "RangeError: later", 1, 22},
				{"throw 'just words'", page.WhyThrew, "just words", 0, 0},
				{"throw {code: 5}", page.WhyThrew, `{"code":5}`, 0, 0},
				{"const x = ;\nx", page.WhySyntax, "Unexpected token ';'", 1, 11},
				{"foo(\n  1,\n  2\n}", page.WhySyntax, "missing ) after argument list", 3, 3},
				{"1 +", page.WhySyntax, "unexpected end of code", 0, 0},
				{"let a = 1\nlet a = 2\na", page.WhySyntax, "already been declared", 2, 5},
			} {
				_, err := p.Exec(t.Context(), tc.code, page.ExecOptions{})
				var failed *page.ExecError
				if !errors.As(err, &failed) {
					t.Errorf("%q: %v is no ExecError", tc.code, err)
					continue
				}
				if failed.Why != tc.why || !strings.Contains(failed.Error(), tc.text) || failed.Line != tc.line || failed.Column != tc.column {
					t.Errorf("%q: %s %q at %d:%d, want %s %q at %d:%d", tc.code, failed.Why, failed.Error(), failed.Line, failed.Column, tc.why, tc.text, tc.line, tc.column)
				}
				if strings.Contains(failed.Stack, "__devtool") {
					t.Errorf("%q: the agent shows in the stack: %s", tc.code, failed.Stack)
				}
			}
			if seen := eval[[]string](t, ctx, "seen"); len(seen) > 0 {
				t.Errorf("the page saw errors of exec: %q", seen)
			}
		})
	}
}

func TestExecRunsOnce(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	for _, code := range []string{"runs++", "runs++; runs", "if (true) runs++", "runs++\nruns", "return ++runs"} {
		run(t, p, "window.runs = 0; 0")
		run(t, p, code)
		if v := run(t, p, "runs"); string(v.JSON) != "1" {
			t.Errorf("%q ran %s times", code, v.JSON)
		}
	}
}

func TestExecIsBounded(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	for name, code := range map[string]string{
		"string":  "'x'.repeat(5e6)",
		"array":   "Array(2e6).fill(1)",
		"objects": "Array.from({length: 1e5}, (_, i) => ({index: i, name: 'name ' + i}))",
		"keys":    "Object.fromEntries(Array.from({length: 3e5}, (_, i) => ['key' + i, i]))",
		"quotes":  `'"\\u0001'.repeat(3e6)`,
		"window":  "({w: {...window}, d: document, s: getComputedStyle(document.body)})",
		"deep":    "let d = {}; for (let i = 0; i < 1e5; i++) d = {d}; d",
	} {
		v, err := p.Exec(t.Context(), code, page.ExecOptions{Limit: 50_000})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(v.JSON) > 60_000 || !json.Valid(v.JSON) {
			t.Errorf("%s: %d bytes, valid %v", name, len(v.JSON), json.Valid(v.JSON))
		}
		if name != "window" && v.Cut == (page.Cut{}) {
			t.Errorf("%s: nothing said about what was cut", name)
		}
		if v.Exact {
			t.Errorf("%s: a cut value said to be exact", name)
		}
	}
	_, err := p.Exec(t.Context(), "new Promise(() => {})", page.ExecOptions{Timeout: 50 * time.Millisecond})
	if !errors.Is(err, page.ErrTimeout) {
		t.Errorf("endless promise: %v", err)
	}
	if v := run(t, p, "1+1"); string(v.JSON) != "2" {
		t.Errorf("after a timeout: %s", v.JSON)
	}
}

func TestExecOnAPageThatLeaves(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	_, err := p.Exec(t.Context(), "location.href = '/other'; await new Promise(() => {})", page.ExecOptions{})
	if err == nil || !strings.Contains(err.Error(), "went away") {
		t.Errorf("exec on a page that leaves: %v", err)
	}
	if other := s.at(t, "/other"); other.ID() == p.ID() {
		t.Error("another document has the same id")
	}
}

func TestNavigateAndReload(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	if err := p.Navigate("/second?x=1"); err != nil {
		t.Fatal(err)
	}
	second := s.at(t, "/second?x=1")
	if err := second.Reload(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	third, err := s.hub.Wait(ctx, func(i page.Info) bool { return i.ID != second.ID() && i.URL == s.URL+"/second?x=1" })
	if err != nil {
		t.Fatal(err)
	}
	if v := run(t, third, "location.search"); string(v.JSON) != `"?x=1"` {
		t.Errorf("after reload: %s", v.JSON)
	}
	if err := third.Navigate("javascript:alert(1)"); err == nil {
		t.Error("a javascript: URL was accepted")
	}
}

func TestLastFocusedTab(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	one := tab(t, b, s.URL+"/one")
	onePage := s.at(t, "/one")
	two := tab(t, b, s.URL+"/two")
	twoPage := s.at(t, "/two")
	for range 2 {
		for _, tc := range []struct {
			ctx  context.Context
			want *page.Page
		}{{one, onePage}, {two, twoPage}} {
			// A click: a headless browser thinks that all its tabs have the
			// focus. Again when the browser gave a new tab the focus late.
			deadline := time.Now().Add(30 * time.Second)
			for first(s.hub) != tc.want {
				if time.Now().After(deadline) {
					t.Fatalf("the focused tab %s is not the one picked: %+v", tc.want.Info().URL, infos(s.hub))
				}
				if err := chromedp.Do(tc.ctx, chromedp.MouseClickXY(20, 20)); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				_, _ = s.hub.Wait(ctx, func(page.Info) bool { return first(s.hub) == tc.want })
				cancel()
			}
		}
	}
	if p, err := s.hub.Pick(onePage.ID()); err != nil || p != onePage {
		t.Errorf("by id: %v, %v", p, err)
	}
	if _, err := s.hub.Pick("pnothing"); err == nil {
		t.Error("a page that never was")
	}
}

func first(h *page.Hub) *page.Page {
	p, err := h.Pick("")
	if err != nil {
		return nil
	}
	return p
}

func infos(h *page.Hub) []page.Info {
	var out []page.Info
	for _, p := range h.Pages() {
		out = append(out, p.Info())
	}
	return out
}

func TestFramesHaveParents(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/frames")
	top := s.at(t, "/frames")
	for _, path := range []string{"/inner", "/inner2"} {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		inner, err := s.hub.Wait(ctx, func(i page.Info) bool { return i.URL == s.URL+path && i.ParentID == top.ID() })
		cancel()
		if err != nil {
			t.Fatalf("%s: %v in %+v", path, err, infos(s.hub))
		}
		if !inner.Info().Frame || top.Info().Frame {
			t.Error("which is the frame?")
		}
		if v := run(t, inner, "location.pathname"); string(v.JSON) != `"`+path+`"` {
			t.Errorf("exec in %s ran in %s", path, v.JSON)
		}
	}
	if p, err := s.hub.Pick(""); err != nil || p != top {
		t.Errorf("picked %v, %v; want the top page", p, err)
	}
}

func TestPagesSurviveARestart(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	ctx := tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	run(t, p, "window.mark = 'kept'; 0")
	before := s.hub
	s.start() // requests in between meet one or the other
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	again := s.at(t, "/plain")
	if again.ID() != p.ID() {
		t.Errorf("came back as %s, was %s", again.ID(), p.ID())
	}
	if v := run(t, again, "mark"); string(v.JSON) != `"kept"` {
		t.Errorf("mark: %s", v.JSON)
	}
	if logged := eval[int](t, ctx, "1"); logged != 1 {
		t.Error("the page is not well")
	}
}

// The browser puts a page aside when the user goes on and takes it out again
// on Back: the same page, the same id.
func TestBackForwardCache(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	run(t, p, "window.mark = 'kept'; 0")
	if err := p.Navigate("/next"); err != nil {
		t.Fatal(err)
	}
	run(t, s.at(t, "/next"), "setTimeout(() => history.back()); 0")
	again := s.at(t, "/plain")
	kept := string(run(t, again, "window.mark === 'kept'").JSON) == "true"
	t.Logf("back/forward cache used: %v", kept)
	if kept != (again.ID() == p.ID()) {
		t.Errorf("document kept: %v, but the page was %s and is %s", kept, p.ID(), again.ID())
	}
}

func TestThePageSeesNoTag(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	ctx := tab(t, b, s.URL+"/plain")
	s.at(t, "/plain")
	got := eval[[]string](t, ctx, "[document.documentElement.outerHTML, Object.keys(window).filter(k => /devtool|oriel/i.test(k)).join()]")
	want := []string{`<html><head><title>/plain</title></head><body><p id="x" class="a b">text</p></body></html>`, ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// document.open() removes every listener, the agent's too.
func TestAPageThatWritesItselfAnew(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	ctx := tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	eval[int](t, ctx, `document.open(); document.write("<!doctype html><title>anew</title><p>new</p>"); document.close();
		window.seen = []; addEventListener("error", e => seen.push(e.message)); 0`)
	if _, err := p.Exec(t.Context(), "let let let", page.ExecOptions{}); err == nil {
		t.Error("no syntax error")
	}
	if v := run(t, p, "[document.querySelector('p').textContent, seen.length]"); string(v.JSON) != `["new",0]` {
		t.Errorf("after: %s", v.JSON)
	}
	ctx2, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := s.hub.Wait(ctx2, func(i page.Info) bool { return i.ID == p.ID() && i.Title == "anew" }); err != nil {
		t.Error(err)
	}
}

func TestExecSpeed(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	p := s.at(t, "/plain")
	tab(t, b, s.URL+"/files")
	strict := s.at(t, "/files")
	run(t, p, "window.big = 'x'.repeat(1e6); window.rows = Array.from({length: 12000}, (_, i) => ({id: i, name: 'a name of some length ' + i, on: true, tags: ['a', 'b']})); 0")
	for _, tc := range []struct {
		name string
		page *page.Page
		code string
		runs int
	}{
		{"1+1", p, "1+1", 300},
		{"1+1 from a file", strict, "1+1", 50},
		{"1 MB string", p, "big", 30},
		{"1 MB of objects", p, "rows", 30},
	} {
		times := make([]time.Duration, tc.runs)
		var size int
		for i := range times {
			start := time.Now()
			size = len(run(t, tc.page, tc.code).JSON)
			times[i] = time.Since(start)
		}
		slices.Sort(times)
		t.Logf("%-16s %8d bytes  min %v  median %v  p95 %v", tc.name, size, times[0], times[tc.runs/2], times[tc.runs*95/100])
	}
}

func TestSocketNeedsTheSite(t *testing.T) {
	b := browser(t)
	s := newChannelSite(t)
	tab(t, b, s.URL+"/plain")
	s.at(t, "/plain")
	// A hostile site in another tab, even with a key it somehow got.
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html><title>hostile</title>")
	}))
	defer hostile.Close()
	_, port, err := net.SplitHostPort(hostile.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx := tab(t, b, "http://localhost:"+port)
	r := httptest.NewRequest("GET", s.URL+"/", nil)
	stolen := s.hub.Issue(r).HTML("", true)
	key := strings.Split(stolen, `data-k="`)[1]
	key = key[:strings.Index(key, `"`)]
	got := eval[string](t, ctx, fmt.Sprintf(`new Promise(done => {
		const ws = new WebSocket(%q);
		ws.onopen = () => done("open");
		ws.onclose = () => done("refused");
	})`, strings.Replace(s.URL, "http", "ws", 1)+"/__devtool/ws?k="+key))
	if got != "refused" {
		t.Errorf("a socket from another site: %s", got)
	}
	if n := len(s.hub.Pages()); n != 1 {
		t.Errorf("%d pages", n)
	}
}
