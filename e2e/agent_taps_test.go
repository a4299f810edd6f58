package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// pageEvent is any event of the agent, as it comes over the socket.
type pageEvent struct {
	Kind    string  `json:"kind"`
	At      float64 `json:"at"`
	Source  string  `json:"source"`
	Level   string  `json:"level"`
	Type    string  `json:"type"`
	Name    string  `json:"name"`
	Message string  `json:"message"`
	Text    string  `json:"text"`
	Stack   string  `json:"stack"`
	URL     string  `json:"url"`
	Line    int     `json:"line"`
	Count   int     `json:"count"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Target  string  `json:"target"`
	Rating  string  `json:"rating"`
	Value   float64 `json:"value"`
}

// line is what a test matches: the event's words in one string.
func (e pageEvent) line() string {
	var words []string
	for _, word := range []string{e.Kind, e.Source, e.Level, e.Type, e.Name, e.Message, e.Text, e.URL, e.To, e.Target} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// eventSink is the server's end of the agent's socket: it welcomes every page
// and keeps what it is told.
type eventSink struct {
	mu      sync.Mutex
	events  []pageEvent
	changed chan struct{}
}

func (s *eventSink) serve(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(4 << 20)
	if err := conn.Write(r.Context(), websocket.MessageText, []byte(`{"t":"welcome","page":"p1","ticket":"t1"}`)); err != nil {
		return
	}
	for {
		_, data, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var m struct {
			T      string      `json:"t"`
			Events []pageEvent `json:"events"`
		}
		if json.Unmarshal(data, &m) == nil && m.T == "events" {
			s.add(m.Events)
		}
	}
}

func (s *eventSink) add(events []pageEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *eventSink) snapshot() ([]pageEvent, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return append([]pageEvent(nil), s.events...), s.changed
}

// await waits until the events satisfy enough, and returns them.
func (s *eventSink) await(t *testing.T, what string, enough func([]pageEvent) bool) []pageEvent {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		events, changed := s.snapshot()
		if enough(events) {
			return events
		}
		select {
		case <-changed:
		case <-deadline.C:
			var lines []string
			for _, e := range events {
				lines = append(lines, e.line())
			}
			t.Fatalf("no %s among %d events:\n%s", what, len(events), strings.Join(lines, "\n"))
		}
	}
}

// find waits for an event whose line contains every one of the parts.
func (s *eventSink) find(t *testing.T, parts ...string) pageEvent {
	t.Helper()
	var found pageEvent
	s.await(t, fmt.Sprintf("%q", parts), func(events []pageEvent) bool {
		for _, e := range events {
			if containsAll(e.line(), parts) {
				found = e
				return true
			}
		}
		return false
	})
	return found
}

func containsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

func do(t *testing.T, page context.Context, code string) {
	t.Helper()
	eval[bool](t, page, `(async () => {`+code+`; return true })()`)
}

// TestTaps makes each kind of thing happen in a page and waits for its event.
func TestTaps(t *testing.T) {
	cases := []struct {
		name, code string
		parts      []string
	}{
		{"uncaught error", `setTimeout(function planted() { throw new RangeError("planted one") })`, []string{"error error", "planted one"}},
		{"uncaught string", `setTimeout(() => { throw "just words" })`, []string{"error error", "just words"}},
		{"error whose page stops propagation", `addEventListener("error", (e) => e.stopImmediatePropagation(), true); setTimeout(() => { throw new Error("stopped short") })`, []string{"error error", "stopped short"}},
		{"rejection", `Promise.reject(new TypeError("nobody cares"))`, []string{"error rejection", "TypeError: nobody cares"}},
		{"rejection with an object", `Promise.reject({ code: 7 })`, []string{"error rejection", "{code: 7}"}},
		{"rejection with nothing", `Promise.reject()`, []string{"error rejection", "undefined"}},
		{"failed image", `document.body.append(Object.assign(new Image, { src: "/missing.png" }))`, []string{"error resource", "<img>", "/missing.png"}},
		{"failed script", `document.body.append(Object.assign(document.createElement("script"), { src: "/missing.js" }))`, []string{"error resource", "<script>", "/missing.js"}},
		{"failed style sheet", `document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/missing.css" }))`, []string{"error resource", "<link>", "/missing.css"}},
		{"policy violation", `document.head.append(Object.assign(document.createElement("meta"), { httpEquiv: "Content-Security-Policy", content: "img-src 'none'" })); new Image().src = "/blocked.png"`, []string{"error csp", "img-src", "blocked.png"}},
		{"console log", `console.log("plain", 1, { a: [1, "two"], get secret() { return 1 } }, null, undefined, -0)`, []string{"console log", `plain 1 {a: [1, "two"], secret: (…)} null undefined -0`}},
		{"console directives", `console.info("%s is %d%% %o %cred", "load", 41.7, { a: 1 }, "color: red")`, []string{"console info", "load is 41% {a: 1} red"}},
		{"console error with an error", `console.error("because", new RangeError("inner"))`, []string{"console error", "because RangeError: inner"}},
		{"console warn", `console.warn("careful")`, []string{"console warn", "careful"}},
		{"console assert", `console.assert(1 === 1, "true is silent"); console.assert(false, "false is %s", "not")`, []string{"console assert", "Assertion failed: false is not"}},
		{"console of things", `console.debug(document.body, new Map([[1, 2]]), function f() {}, Symbol("s"), 10n, new Date(0), /x/g, [1, , 3])`, []string{"console debug", `<body> Map(1) ƒ f() Symbol(s) 10n 1970-01-01T00:00:00.000Z /x/g [1, empty, 3]`}},
		{"push", `history.pushState(null, "", "/page?pushed")`, []string{"navigation", "push", "/page?pushed"}},
		{"replace", `history.replaceState(null, "", "/page?replaced")`, []string{"navigation", "replace", "/page?replaced"}},
		{"hash", `location.hash = "#part"`, []string{"navigation", "hash", "#part"}},
		{"pop", `history.back()`, []string{"navigation", "pop", "/page"}},
		{"load", ``, []string{"navigation", "load", "/page"}},
		{"load time", ``, []string{"performance load"}},
		{"ready time", ``, []string{"performance dcl"}},
	}
	events := &eventSink{}
	site := agentSiteWith(t, true, "", events)
	page := tab(t, browser(t), site.URL+"/page")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			do(t, page, c.code)
			e := events.find(t, c.parts...)
			if strings.Contains(e.Stack, "__devtool") {
				t.Errorf("the stack names the agent:\n%s", e.Stack)
			}
			if age := float64(time.Now().UnixMilli()) - e.At; age < -1000 || age > 120_000 {
				t.Errorf("happened %.0f ms ago", age)
			}
		})
	}
	if all, _ := events.snapshot(); containsLine(all, "true is silent") {
		t.Error("an assertion that held was reported")
	}
}

func containsLine(events []pageEvent, text string) bool {
	for _, e := range events {
		if strings.Contains(e.line(), text) {
			return true
		}
	}
	return false
}

// TestFloods shows that repetition costs events neither on the wire nor their
// number.
func TestFloods(t *testing.T) {
	cases := []struct {
		name, code, text string
		total, most      int
	}{
		{"errors", `for (let i = 0; i < 20000; i++) reportError(flood)`, "flooded", 20000, 10},
		{"console", `for (let i = 0; i < 20000; i++) console.error("the same line")`, "the same line", 20000, 10},
		{"two lines in turn", `for (let i = 0; i < 100; i++) { console.log("tick"); console.log("tock") }`, "tick", 100, 10},
	}
	events := &eventSink{}
	site := agentSiteWith(t, true, "", events)
	page := tab(t, browser(t), site.URL+"/page")
	do(t, page, `window.flood = new Error("flooded")`)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			do(t, page, c.code)
			sent := 0
			events.await(t, c.text, func(all []pageEvent) bool {
				sum := 0
				sent = 0
				for _, e := range all {
					if strings.Contains(e.line(), c.text) {
						sent++
						sum += max(e.Count, 1)
					}
				}
				return sum == c.total
			})
			if sent > c.most {
				t.Errorf("%d events for %d repetitions, want at most %d", sent, c.total, c.most)
			}
		})
	}
}

// TestActions drives a form as a person does: the actions are seen, what was
// typed is not, and the audits can read when it happened.
func TestActions(t *testing.T) {
	events := &eventSink{}
	site := agentSiteWith(t, true, "", events)
	page := tab(t, browser(t), site.URL+"/page")
	do(t, page, `document.body.innerHTML = '<form onsubmit="return false"><input name=login id=login><input type=password name=pw id=pw><button id=go class="big red">Sign in</button></form><div contenteditable role=button id=ed>x</div>'`)
	err := chromedp.Do(page,
		chromedp.SendKeys(chromedp.ID("login"), "ada@example.org"),
		chromedp.SendKeys(chromedp.ID("pw"), "s3cretword\n"),
		chromedp.Click(chromedp.ID("go")),
		chromedp.SendKeys(chromedp.ID("ed"), "typedhere"),
		chromedp.Click(chromedp.ID("ed")),
	)
	if err != nil {
		t.Fatal(err)
	}
	do(t, page, `document.getElementById("go").click()`)
	for _, parts := range [][]string{
		{"action", "input", "input#login[name=login]"},
		{"action", "key", "Enter on input#pw[type=password][name=pw]"},
		{"action", "submit", "form"},
		{"action", "click", `button#go.big.red "Sign in"`},
		{"action", "click", "div#ed"},
	} {
		events.find(t, parts...)
	}
	all, _ := events.snapshot()
	clicks := 0
	for _, e := range all {
		for _, secret := range []string{"ada", "s3cret", "typedhere"} {
			if e.Kind == "action" && strings.Contains(e.line(), secret) {
				t.Errorf("an event tells what was typed: %s", e.line())
			}
		}
		if e.Type == "click" && strings.Contains(e.Target, "#go") {
			clicks++
		}
	}
	// Enter submits by a click of the browser on the button; a script's click is not the user's.
	if clicks != 2 {
		t.Errorf("%d clicks on the button, want the user's one and the one that Enter makes", clicks)
	}
	if n := eval[int](t, page, `__devtool_api.getActions().filter((a) => a.type === "click" && a.time > 0 && a.time < performance.now()).length`); n < 2 {
		t.Errorf("%d clicks in getActions, want at least 2", n)
	}
}

// TestRewrittenDocument shows that document.open and document.write, which
// remove every listener, do not remove the agent.
func TestRewrittenDocument(t *testing.T) {
	for _, how := range []string{
		`document.open(); document.write("<p>new</p>"); document.close()`,
		`document.write("<p>new</p>"); document.close()`,
	} {
		t.Run(how[:14], func(t *testing.T) {
			events := &eventSink{}
			site := agentSiteWith(t, true, "", events)
			page := tab(t, browser(t), site.URL+"/page")
			do(t, page, how)
			do(t, page, `__devtool_api.clear(); await fetch("/api/json"); setTimeout(() => { throw new Error("after rewriting") })`)
			events.find(t, "error", "after rewriting")
			if n := eval[int](t, page, `__devtool_api.getCalls().length`); n != 1 {
				t.Errorf("%d calls recorded after rewriting, want 1", n)
			}
		})
	}
}

// TestFrames shows that a same-origin frame has a recorder of its own.
func TestFrames(t *testing.T) {
	site := agentSite(t, true, "")
	page := tab(t, browser(t), site.URL+"/page")
	got := eval[string](t, page, `(async () => {
		const frame = document.createElement("iframe"); frame.src = "/page?frame";
		await new Promise((r) => { frame.onload = r; document.body.append(frame); });
		__devtool_api.clear();
		await frame.contentWindow.fetch("/api/json");
		await fetch("/api/echo");
		const paths = (w) => w.__devtool_api.getCalls().map((c) => new URL(c.url).pathname);
		return JSON.stringify([paths(window), paths(frame.contentWindow), frame.contentWindow.fetch === fetch]);
	})()`)
	if want := `[["/api/echo"],["/api/json"],false]`; got != want {
		t.Errorf("calls of page and frame = %s, want %s", got, want)
	}
}

// TestBootCost prints what the agent adds to a page that does nothing else.
func TestBootCost(t *testing.T) {
	ctx := browser(t)
	measure := func(withAgent bool) (script, heap float64) {
		site := agentSite(t, withAgent, "")
		for range 5 {
			page, cancel := chromedp.NewContext(ctx)
			s, h, err := pageCost(page, site.URL+"/bench")
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if script == 0 || s < script {
				script = s
			}
			if heap == 0 || h < heap {
				heap = h
			}
		}
		return script, heap
	}
	script0, heap0 := measure(false)
	script1, heap1 := measure(true)
	t.Logf("script %.2f ms without, %.2f ms with the agent (+%.2f ms); heap +%.3f MB", script0, script1, script1-script0, (heap1-heap0)/1e6)
	if heap1-heap0 > 1e6 {
		t.Errorf("the agent keeps %.2f MB", (heap1-heap0)/1e6)
	}
}

// pageCost loads a page and returns its script time in ms and its heap after
// garbage collection in bytes.
func pageCost(page context.Context, url string) (script, heap float64, err error) {
	if err := chromedp.Do(page); err != nil {
		return 0, 0, fmt.Errorf("open tab: %w", err)
	}
	if _, err := chromedp.Call(page, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return 0, 0, fmt.Errorf("enable metrics: %w", err)
	}
	if err := chromedp.Do(page, chromedp.Navigate(url)); err != nil {
		return 0, 0, fmt.Errorf("open page: %w", err)
	}
	idle := `new Promise((r) => requestIdleCallback(() => requestIdleCallback(() => r(true))))`
	if _, err := chromedp.Run(page, chromedp.Evaluate[bool](idle, chromedp.EvalAwaitPromise)); err != nil {
		return 0, 0, fmt.Errorf("let the page settle: %w", err)
	}
	if _, err := chromedp.Call(page, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return 0, 0, fmt.Errorf("collect garbage: %w", err)
	}
	got, err := chromedp.Call(page, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return 0, 0, fmt.Errorf("read metrics: %w", err)
	}
	for _, m := range got.Metrics {
		switch m.Name {
		case "ScriptDuration":
			script = m.Value * 1000
		case "JSHeapUsedSize":
			heap = m.Value
		}
	}
	return script, heap, nil
}
