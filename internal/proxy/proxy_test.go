package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"oriel/internal/journal"
)

// log collects entries and lets tests wait for them.
type entries struct {
	mu   sync.Mutex
	all  []journal.Entry
	more chan struct{}
}

func newEntries() *entries { return &entries{more: make(chan struct{}, 1)} }

func (l *entries) add(e journal.Entry) {
	l.mu.Lock()
	l.all = append(l.all, e)
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// wait returns the first entry that ok accepts.
func (l *entries) wait(t *testing.T, ok func(journal.Entry) bool) journal.Entry {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		l.mu.Lock()
		for _, e := range l.all {
			if ok(e) {
				l.mu.Unlock()
				return e
			}
		}
		l.mu.Unlock()
		select {
		case <-l.more:
		case <-deadline:
			t.Fatalf("no such entry among %d", len(l.all))
		}
	}
}

func (l *entries) http(t *testing.T, path string) *journal.HTTP {
	t.Helper()
	return l.wait(t, func(e journal.Entry) bool { return e.HTTP != nil && e.HTTP.URL == path }).HTTP
}

// rig is a target with a proxy before it.
type rig struct {
	*Proxy
	log    *entries
	target string
	host   string // of the target
}

const testTag = `<script src="/__devtool/agent.js"></script>`

func start(t *testing.T, target string, change ...func(*Config)) *rig {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	log := newEntries()
	cfg := Config{
		ID: "web", Target: u, Record: log.add,
		Tag: func(*http.Request) Tag { return Tag{Src: "/__devtool/agent.js"} },
	}
	for _, f := range change {
		f(&cfg)
	}
	p, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return &rig{Proxy: p, log: log, target: target, host: u.Host}
}

// serve starts a target and a proxy before it.
func serve(t *testing.T, h http.HandlerFunc, change ...func(*Config)) *rig {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return start(t, s.URL, change...)
}

// plain is a client that changes nothing and follows nothing.
func plain() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type result struct {
	*http.Response
	body string
}

// get asks the proxy; header is alternating names and values.
func (r *rig) get(t *testing.T, path string, header ...string) result {
	t.Helper()
	return r.send(t, "GET", path, nil, header...)
}

// doc asks as a browser asks for a document.
func (r *rig) doc(t *testing.T, path string, header ...string) result {
	t.Helper()
	return r.get(t, path, append([]string{"Sec-Fetch-Dest", "document", "Accept", "text/html,*/*", "Accept-Encoding", "gzip, br"}, header...)...)
}

func (r *rig) send(t *testing.T, method, path string, body io.Reader, header ...string) result {
	t.Helper()
	req, err := http.NewRequest(method, r.URL()+path, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	c := plain()
	defer c.CloseIdleConnections()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read the body: %v", method, path, err)
	}
	return result{resp, string(data)}
}

func TestForwardsAndInjects(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<!doctype html><html><head><title>x</title></head><body>hi</body></html>")
		default:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"host":%q,"token":"abc"}`, r.Host)
		}
	})
	if got := r.get(t, "/api"); got.body != fmt.Sprintf(`{"host":%q,"token":"abc"}`, r.host) {
		t.Errorf("body %s", got.body)
	}
	page := r.doc(t, "/page")
	want := "<!doctype html><html><head>" + testTag + "<title>x</title></head><body>hi</body></html>"
	if page.body != want {
		t.Errorf("page\n got %s\nwant %s", page.body, want)
	}
	if page.ContentLength != int64(len(want)) {
		t.Errorf("content length %d, want %d", page.ContentLength, len(want))
	}
	if e := r.log.http(t, "/page"); !e.Injected || strings.Contains(string(e.ResponseBody.Data), "devtool") {
		t.Errorf("recorded document: %+v", e)
	}
	if e := r.log.http(t, "/api"); !strings.Contains(string(e.ResponseBody.Data), `"token":"[redacted]"`) {
		t.Errorf("recorded body %s", e.ResponseBody.Data)
	}
}

func TestBusyPort(t *testing.T) {
	r := serve(t, func(http.ResponseWriter, *http.Request) {})
	u, _ := url.Parse("http://127.0.0.1:1")
	_, err := Start(context.Background(), Config{Target: u, Listen: fmt.Sprintf("127.0.0.1:%d", r.Port())})
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Port != r.Port() {
		t.Errorf("error %v, want a BusyError for port %d", err, r.Port())
	}
}

func TestBadTarget(t *testing.T) {
	for _, target := range []string{"ftp://x", "http://", "//x"} {
		u, _ := url.Parse(target)
		if p, err := Start(context.Background(), Config{Target: u}); err == nil {
			p.Close(context.Background())
			t.Errorf("%s was accepted", target)
		}
	}
}

// Close leaves no goroutine behind, whatever was under way.
func TestCloseLeavesNothing(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/ws":
			echoServer(t)(w, r)
		case "/stream":
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(pack(t, "gzip", "hello"))
		}
	}))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	before := goleak.IgnoreCurrent()
	log := newEntries()
	p, err := Start(context.Background(), Config{Target: u, Record: log.add})
	if err != nil {
		t.Fatal(err)
	}
	c := plain()
	ws, _, err := websocket.Dial(context.Background(), p.URL()+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := c.Get(p.URL() + "/stream")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		resp, err := c.Get(p.URL() + "/")
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	now, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(now); err != nil {
		t.Error(err)
	}
	if err := p.Close(now); err != nil {
		t.Errorf("second close: %v", err)
	}
	if n := len(log.all); n != 6 { // three answers, a stream, a socket's beginning and end
		t.Errorf("%d entries when Close returned", n)
	}
	stream.Body.Close()
	ws.CloseNow()
	c.CloseIdleConnections()
	s.CloseClientConnections()
	goleak.VerifyNone(t, before, goleak.IgnoreTopFunction("net/http.(*conn).serve"), goleak.IgnoreAnyFunction("net/http/httptest.(*Server).goServe.func1"))
}

// The end of the context that started it ends the proxy.
func TestContextEndsProxy(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	ctx, cancel := context.WithCancel(context.Background())
	p, err := Start(ctx, Config{Target: u})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Get(p.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the stream ended cleanly")
	}
	resp.Body.Close()
	<-p.served
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
