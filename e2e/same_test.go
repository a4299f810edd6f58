package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// sameRow is something that a page can see of itself and of its server. It is
// looked at in three ways: from the server itself, through Go's bare reverse
// proxy, and through Oriel, which must show what the server shows, or at least
// no less than the bare proxy does.
type sameRow struct {
	name string
	head http.Header // of the page; rows without head and body share a page
	body string
	code string // body of an async function, run when the page has loaded
	back bool   // the page is left and come back to first

	// known is why Oriel shows something else. Such a row must differ, so that
	// a difference that is gone is noticed.
	known string
}

const samePage = "<!doctype html><html><head><title>same</title></head><body><p>text</p></body></html>"

// sameSite serves the rows' pages and what they ask for.
type sameSite struct {
	mu   sync.Mutex
	sent map[string][]json.RawMessage // what pages sent to /report
	got  map[string][]string          // how browsers asked for /cached
}

func (s *sameSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch r.URL.Path {
	case "/echo":
		echo(w, r)
	case "/head":
		answer(w, r)
	case "/raw": // an answer byte for byte
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = io.WriteString(c, q.Get("bytes"))
			_ = c.Close()
		}
	case "/report":
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.sent[q.Get("id")] = append(s.sent[q.Get("id")], body)
		s.mu.Unlock()
	case "/reports":
		s.mu.Lock()
		_ = json.NewEncoder(w).Encode(s.sent[q.Get("id")])
		s.mu.Unlock()
	case "/events":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "retry: 20\nid: 7\ndata: last %s\n\n", r.Header.Get("Last-Event-ID"))
	case "/cached":
		s.cached(w, r)
	case "/asked":
		s.mu.Lock()
		_ = json.NewEncoder(w).Encode(s.got[q.Get("id")])
		s.got[q.Get("id")] = nil
		s.mu.Unlock()
	case "/ws":
		talk(w, r)
	case "/favicon.ico":
		w.WriteHeader(http.StatusNoContent)
	default:
		s.page(w, r)
	}
}

// echo says what it was sent, in the body and in the header.
func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	for k, v := range r.Header {
		w.Header().Set("X-Request-"+k, strings.Join(v, ", "))
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.NewEncoder(w).Encode(struct {
		Method string
		Header http.Header
		Body   string
		Coding []string
		Length int64
	}{r.Method, r.Header, string(body), r.TransferEncoding, r.ContentLength})
}

// answer has the status, header and body that the query tells.
func answer(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	status := http.StatusOK
	for name, values := range q {
		switch name {
		case "status":
			status, _ = strconv.Atoi(values[0])
		case "body":
		default:
			for _, v := range values {
				w.Header().Add(name, strings.ReplaceAll(v, "TARGET", "http://"+r.Host))
			}
		}
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, q.Get("body")) // refused where the status has none
}

// cached is a page of which the server knows whether it changed.
func (s *sameSite) cached(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Cache-Control", q.Get("cache"))
	w.Header().Set("Etag", `"v1"`)
	s.mu.Lock()
	s.got[q.Get("id")] = append(s.got[q.Get("id")], r.Header.Get("Sec-Fetch-Dest")+" "+r.Header.Get("If-None-Match"))
	s.mu.Unlock()
	if r.Header.Get("If-None-Match") == `"v1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = io.WriteString(w, samePage)
}

// talk says back what it is told, and ends when it is told to.
func talk(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{"b"}})
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		kind, data, err := c.Read(r.Context())
		if err != nil {
			return
		}
		if string(data) == "bye" {
			_ = c.Close(4123, "as you like")
			return
		}
		_ = c.Write(r.Context(), kind, data)
	}
}

// page serves the page of a row, a script of the query's words, or a page of
// them.
func (s *sameSite) page(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	body, kind := q.Get("body"), "text/html"
	if strings.HasSuffix(r.URL.Path, ".js") {
		body, kind = q.Get("code"), "text/javascript"
	}
	w.Header().Set("Content-Type", kind)
	for _, p := range q["policy"] {
		w.Header().Add("Content-Security-Policy", p)
	}
	if q.Has("allow") {
		w.Header().Set("Allow-Csp-From", q.Get("allow"))
	}
	if i, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/row/")); err == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for k, v := range sameRows[i].head {
			w.Header()[k] = v
		}
		body = sameRows[i].body
	}
	if body == "" && kind == "text/html" {
		body = samePage
	}
	_, _ = io.WriteString(w, body)
}

// TestSame looks at every row in the three ways.
func TestSame(t *testing.T) {
	direct := httptest.NewServer(&sameSite{sent: map[string][]json.RawMessage{}, got: map[string][]string{}})
	t.Cleanup(direct.Close)
	target, err := url.Parse(direct.URL)
	if err != nil {
		t.Fatal(err)
	}
	plain := httputil.NewSingleHostReverseProxy(target)
	plain.ErrorLog = log.New(io.Discard, "", 0)
	bare := httptest.NewServer(plain)
	t.Cleanup(bare.Close)
	_, ours := eyes(t, direct.URL)
	b := browser(t)
	ways := []string{direct.URL, bare.URL, ours}
	seen := make([][]string, len(ways))
	var wg sync.WaitGroup
	for w, base := range ways {
		// A jar of its own: cookies know hosts, not ports.
		ctx, cancel := chromedp.NewContext(b, chromedp.WithNewBrowserContext())
		t.Cleanup(cancel)
		if err := chromedp.Do(ctx); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { seen[w] = lookThrough(ctx, base) })
	}
	wg.Wait()
	for i, row := range sameRows {
		d, b, o := seen[0][i], seen[1][i], seen[2][i]
		switch {
		case strings.HasPrefix(d, "failed"):
			t.Errorf("%s: it cannot be seen even at the server itself: %s", row.name, d)
		case row.known != "":
			if o == d || o == b {
				t.Errorf("%s: no longer differs: %s", row.name, o)
			}
		case o != d && o != b:
			t.Errorf("%s:\n direct %.2000s\n   bare %.2000s\n   ours %.2000s", row.name, d, b, o)
		}
	}
}

// lookThrough opens the rows' pages one after the other and returns what each
// sees.
func lookThrough(tab context.Context, base string) []string {
	out := make([]string, len(sameRows))
	shared := false // the page that is open is the one of the rows without their own
	for i, row := range sameRows {
		own := row.head != nil || row.body != "" || row.back
		err := error(nil)
		if own || !shared {
			err = chromedp.Do(tab, chromedp.Navigate(fmt.Sprintf("%s/row/%d", base, i)))
		}
		shared = !own && err == nil
		if err == nil && row.back {
			err = leaveAndReturn(tab, base, i)
		}
		if err == nil {
			out[i], err = see(tab, row.code)
		}
		if err != nil {
			out[i] = "failed: " + err.Error()
		}
	}
	return out
}

// leaveAndReturn goes to another page and back. A page that the browser has
// kept loads nothing: its address tells that it is back.
func leaveAndReturn(tab context.Context, base string, i int) error {
	if _, err := see(tab, `await new Promise((r) => setTimeout(r, 300))`); err != nil { // it has had the time to connect
		return err
	}
	if err := chromedp.Do(tab, chromedp.Navigate(base+"/page.html")); err != nil {
		return err
	}
	if _, err := see(tab, `setTimeout(() => history.back())`); err != nil {
		return err
	}
	want := strconv.Quote(fmt.Sprintf("/row/%d", i))
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if at, err := see(tab, `return document.readyState === "complete" && location.pathname`); err == nil && at == want {
			return nil
		}
	}
	return fmt.Errorf("the page did not come back")
}

// see runs a row's code; the server's own names are left out of the answer.
func see(tab context.Context, code string) (string, error) {
	ctx, cancel := context.WithTimeout(tab, 15*time.Second)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[string](`(async () => { const soon = (ms = 60) => new Promise((r) => setTimeout(r, ms));`+
		`return (JSON.stringify(await (async () => {`+code+`})()) ?? "undefined").split(location.origin).join("ORIGIN").split(location.host).join("HOST") })()`, chromedp.EvalAwaitPromise))
}

// TestWhatNativeMethodsSay: what the browser says of a method that the agent
// stands before is told with the page's own line, to the page and to the
// journal alike.
func TestWhatNativeMethodsSay(t *testing.T) {
	events := &eventSink{}
	page := tab(t, browser(t), agentSiteWith(t, true, "", events).URL+"/page")
	do(t, page, `const put = (tag, props) => document.head.append(Object.assign(document.createElement(tag), props));
put("script", { text: 'new XMLHttpRequest().open("GET", "http://")\n//# sourceURL=http://own.test/a.js' });
put("meta", { httpEquiv: "Content-Security-Policy", content: "connect-src 'self'" });
put("script", { text: '\n\nfetch("http://blocked.test/").catch(() => {})\n//# sourceURL=http://own.test/b.js' })`)
	for _, c := range []struct {
		parts []string
		line  int
	}{
		{[]string{"error error", "Invalid URL", "http://own.test/a.js"}, 1},
		{[]string{"error csp", "connect-src blocked http://blocked.test/", "http://own.test/b.js"}, 3},
	} {
		if e := events.find(t, c.parts...); e.Line != c.line || strings.Contains(e.URL+e.Stack, "__devtool") {
			t.Errorf("%q: line %d of %s\n%s", c.parts, e.Line, e.URL, e.Stack)
		}
	}
}
