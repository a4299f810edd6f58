package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"oriel/web"
)

// browser starts one Chromium for a test and returns the context of its first
// tab. A machine without Chromium fails the test: what it shows cannot be
// shown otherwise.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := os.Getenv("ORIEL_CHROME")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path != "" {
			break
		}
		path, _ = exec.LookPath(name)
	}
	if path == "" {
		t.Fatal("no Chromium found: install it or name it in ORIEL_CHROME")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
	)
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		cancel()
		stop()
		if a := chromedp.FromContext(ctx).Allocator; a != nil {
			a.Wait()
		}
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return ctx
}

// tab opens a URL in a tab of its own.
func tab(t *testing.T, browser context.Context, url string) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
	return ctx
}

// eval runs an expression in a tab, awaits it, and returns its value.
func eval[T any](t *testing.T, ctx context.Context, code string) T {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	v, err := chromedp.Run(limited, chromedp.Evaluate[T](code, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("evaluate %.80q: %v", code, err)
	}
	return v
}

// agentSite serves the pages the agent is tried on. With the agent, each page
// has its tag right after <head>, on the same line, as the proxy puts it there.
func agentSite(t *testing.T, withAgent bool, other string) *httptest.Server {
	t.Helper()
	return agentSiteWith(t, withAgent, other, &eventSink{})
}

func agentSiteWith(t *testing.T, withAgent bool, other string, events *eventSink) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	tag := ""
	if withAgent {
		agent := web.Agent()
		tag = `<script src="/__devtool/` + agent.Name + `" data-k="k" data-o="localhost:9"></script>`
		mux.HandleFunc("/__devtool/"+agent.Name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", agent.ContentType)
			_, _ = w.Write(agent.Body)
		})
	}
	mux.HandleFunc("/__devtool/ws", events.serve)
	mux.Handle("/probes/", http.StripPrefix("/probes/", http.FileServer(http.Dir(filepath.Join("testdata", "agent")))))
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, "<!doctype html><html><head>%s<title>page</title>\n<script>const other = %q; const pristine = null;\n"+
			"window.seenCurrentScript = document.currentScript !== null;\n"+
			"try { null.x } catch (e) { window.inlineLine = e.stack.match(/:(\\d+:\\d+)/)[1] }</script>\n"+
			"<script src=\"/probes/probes.js\"></script></head><body><p>text</p></body></html>", tag, other)
	})
	mux.HandleFunc("/bench", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, "<!doctype html><html><head><script>var pristine = fetch</script>%s<title>bench</title></head><body></body></html>", tag)
	})
	agentAPI(mux)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// agentAPI adds the endpoints that the pages call, the awkward ones included.
func agentAPI(mux *http.ServeMux) {
	mux.HandleFunc("/api/json", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true}`)
	})
	mux.HandleFunc("/api/echo", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	})
	mux.HandleFunc("/api/status", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.URL.Query().Get("code"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/api/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/api/json", http.StatusFound)
	})
	mux.HandleFunc("/api/hangup", func(w http.ResponseWriter, r *http.Request) {
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/api/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "the beginning")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/api/cached", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		_, _ = io.WriteString(w, "cached")
	})
	mux.HandleFunc("/api/cors", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Headers", "x-own")
		w.Header().Set("Access-Control-Allow-Methods", "PUT")
		_, _ = io.WriteString(w, "cors")
	})
	mux.HandleFunc("/sw.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = io.WriteString(w, `addEventListener("install", () => skipWaiting()); addEventListener("activate", (e) => e.waitUntil(clients.claim()));
addEventListener("fetch", (e) => { if (e.request.url.endsWith("/api/worker")) e.respondWith(new Response("made here", {status: 203})) })`)
	})
	mux.HandleFunc("/api/big", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(make([]byte, 300_000))
	})
	mux.HandleFunc("/api/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		wait(r.Context(), time.Duration(ms)*time.Millisecond)
		_, _ = io.WriteString(w, "slow")
	})
	// The head at once, the body's end after as many milliseconds as asked for.
	mux.HandleFunc("/api/drip", func(w http.ResponseWriter, r *http.Request) {
		ms, err := strconv.Atoi(r.URL.Query().Get("ms"))
		if err != nil {
			ms = 5000
		}
		_, _ = io.WriteString(w, "first")
		_ = http.NewResponseController(w).Flush()
		wait(r.Context(), time.Duration(ms)*time.Millisecond)
		_, _ = io.WriteString(w, "last")
	})
}

// wait plays a slow server; it is what is tested against, not a synchronisation.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// TestPageCannotTell runs every probe of testdata/agent/probes.js in a page
// with the agent and in the same page without it.
func TestPageCannotTell(t *testing.T) {
	other := agentSite(t, false, "")
	ctx := browser(t)
	run := func(withAgent bool) map[string]string {
		page := tab(t, ctx, agentSite(t, withAgent, other.URL).URL+"/page")
		if got := eval[bool](t, page, `"__devtool_api" in window`); got != withAgent {
			t.Fatalf("agent present = %v, want %v", got, withAgent)
		}
		return eval[map[string]string](t, page, `runProbes()`)
	}
	without, with := run(false), run(true)
	if len(without) < 200 {
		t.Errorf("only %d probes ran", len(without))
	}
	names := make([]string, 0, len(without))
	for name := range without {
		names = append(names, name)
	}
	sort.Strings(names)
	differ := 0
	for _, name := range names {
		if strings.HasPrefix(without[name], `"probe `) {
			t.Errorf("%s does not work even without the agent: %s", name, without[name])
		}
		if without[name] != with[name] {
			differ++
			t.Errorf("%s:\n  without %.600s\n  with    %.600s", name, without[name], with[name])
		}
	}
	t.Logf("%d probes, %d differ", len(names), differ)
}

// TestWhatCouldTell pins the few differences that are known, so that a new one
// or a vanished one is noticed.
func TestWhatCouldTell(t *testing.T) {
	cases := []struct{ name, code, without, with string }{
		{
			"own names of a fetch promise that nobody has handled yet",
			`const p = fetch("/api/json"); const names = Reflect.ownKeys(p); await p; return [names, Reflect.ownKeys(p)]`,
			`[[],[]]`, `[["constructor"],[]]`,
		},
		{
			"name in the text of a method, asked in a realm without the agent",
			`const f = document.body.appendChild(document.createElement("iframe")); const s = f.contentWindow.Function.prototype.toString.call(fetch); f.remove(); return s`,
			`"function fetch() { [native code] }"`, `"function () { [native code] }"`,
		},
		{
			"stack inside a toString that fetch calls",
			`return new Promise((r) => fetch({ toString() { r(/__devtool/.test(new Error().stack)); return "/api/json" } }))`,
			`false`, `true`,
		},
		{
			"the agent's own names",
			`return Object.getOwnPropertyNames(window).filter((n) => n.startsWith("__devtool"))`,
			`[]`, `["__devtool","__devtool_api"]`,
		},
		{
			"the agent among the resources",
			`return performance.getEntriesByType("resource").filter((e) => e.name.includes("/__devtool/")).length`,
			`0`, `1`,
		},
	}
	ctx := browser(t)
	pages := map[bool]context.Context{}
	for _, withAgent := range []bool{false, true} {
		pages[withAgent] = tab(t, ctx, agentSite(t, withAgent, "").URL+"/page")
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for withAgent, want := range map[bool]string{false: c.without, true: c.with} {
				got := eval[string](t, pages[withAgent], `(async () => JSON.stringify(await (async () => {`+c.code+`})()))()`)
				if got != want {
					t.Errorf("agent %v: got %s, want %s", withAgent, got, want)
				}
			}
		})
	}
}
