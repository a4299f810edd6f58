package mcpserver

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const testToken = "test-token"

// web is the server over HTTP and a client that writes its requests by hand.
type web struct {
	t    *testing.T
	fake *fake
	url  string
	end  func() error
}

func startWeb(t *testing.T) *web {
	t.Helper()
	f := newFake()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := ListenHTTP(ctx, f.options(), HTTPOptions{Listen: "127.0.0.1:0", Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	w := &web{t: t, fake: f, url: s.URL()}
	done := false
	w.end = func() error {
		if done {
			return nil
		}
		done = true
		cancel()
		return receive(t, ended, "the end of the server")
	}
	t.Cleanup(func() {
		if err := w.end(); err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return w
}

// send sends one request. Headers are "Name: value"; an empty value removes one.
func (w *web) send(ctx context.Context, method, body string, headers ...string) *http.Response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Set(name, value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, body, err)
	}
	return res
}

// post sends a message and gives the status, the messages that came back and
// the headers.
func (w *web) post(body string, headers ...string) (int, []string, http.Header) {
	w.t.Helper()
	res := w.send(w.t.Context(), http.MethodPost, body, headers...)
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res.StatusCode, []string{string(all)}, res.Header
	}
	var messages []string
	for l := range strings.Lines(string(all)) {
		if data, ok := strings.CutPrefix(l, "data: "); ok {
			messages = append(messages, strings.TrimSpace(data))
		}
	}
	return res.StatusCode, messages, res.Header
}

// expect posts a message that must give one answer.
func (w *web) expect(body, want string, headers ...string) http.Header {
	w.t.Helper()
	status, got, header := w.post(body, headers...)
	if status != http.StatusOK || len(got) != 1 {
		w.t.Fatalf("%s\ngave %d %q", body, status, got)
	}
	sameJSON(w.t, got[0], want)
	return header
}

// initialize opens a session and gives the headers that belong to it.
func (w *web) initialize(revision string) []string {
	w.t.Helper()
	header := w.expect(strings.Replace(hello, "2025-06-18", revision, 1), strings.Replace(helloA, "2025-06-18", revision, 1))
	id := header.Get("Mcp-Session-Id")
	if id == "" {
		w.t.Fatal("no session id")
	}
	session := []string{"Mcp-Session-Id: " + id}
	if revision >= "2025-06-18" { // the first that has the header
		session = append(session, "MCP-Protocol-Version: "+revision)
	}
	if status, got, _ := w.post(ready, session...); status != http.StatusAccepted {
		w.t.Fatalf("initialized gave %d %q", status, got)
	}
	return session
}

func TestHTTPInitializeRevisions(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			w := startWeb(t)
			session := w.initialize(revision)
			w.expect(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"result":{"tools":`+fakeList+`}}`, session...)
			w.expect(callLine("3", "zebra", `{"a": 1}`), textAnswer("3", `{"a": 1}`), session...)
			w.expect(callLine("4", "nope", `{}`), errorAnswer("4", `unknown tool "nope" (valid: zebra, block, panic, image, data, steps, apple)`), session...)
			w.expect(callLine("5", "panic", `{}`), errorAnswer("5", "internal error in panic: boom"), session...)
			w.fake.attachedOnce(t)
			res := w.send(t.Context(), http.MethodDelete, "", session...)
			_ = res.Body.Close()
			if res.StatusCode != http.StatusNoContent {
				t.Errorf("DELETE gave %d", res.StatusCode)
			}
			if status, _, _ := w.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, session...); status != http.StatusNotFound {
				t.Errorf("a session that was ended gave %d, want 404", status)
			}
		})
	}
}

// Batches are of 2025-03-26 alone over HTTP.
func TestHTTPBatch(t *testing.T) {
	w := startWeb(t)
	batch := `[{"jsonrpc":"2.0","id":"p","method":"ping"},` + ready + `,` + callLine("1", "zebra", "{}") + `]`
	status, got, _ := w.post(batch, w.initialize("2025-03-26")...)
	if all := strings.Join(got, "\n"); status != http.StatusOK || len(got) != 2 || !strings.Contains(all, `"id":"p"`) || !strings.Contains(all, `"id":1`) {
		t.Errorf("gave %d %q", status, got)
	}
	if status, got, _ := w.post(batch, w.initialize("2025-11-25")...); status != http.StatusBadRequest {
		t.Errorf("gave %d %q", status, got)
	}
}

func newHeaders(method, name string) []string {
	return []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method, "Mcp-Name: " + name}
}

func TestHTTPStatelessRevision(t *testing.T) {
	w := startWeb(t)
	header := w.expect(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+newMeta+`}}`,
		`{"jsonrpc":"2.0","id":1,"result":`+discovered+`}`, newHeaders("server/discover", "")...)
	if id := header.Get("Mcp-Session-Id"); id != "" {
		t.Errorf("a stateless client was given the session %s", id)
	}
	w.expect(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{`+newMeta+`}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",`+serverMeta+`,"ttlMs":300000,"cacheScope":"public","tools":`+fakeList+`}}`,
		newHeaders("tools/list", "")...)
	w.expect(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{`+newMeta+`,"name":"zebra","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",`+serverMeta+`,"content":[{"type":"text","text":"{}"}]}}`,
		newHeaders("tools/call", "zebra")...)
	w.expect(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{`+newMeta+`,"name":"nope"}}`,
		`{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete",`+serverMeta+`,"isError":true,"content":[{"type":"text","text":"{\"error\":\"unknown tool \\\"nope\\\" (valid: zebra, block, panic, image, data, steps, apple)\"}"}]}}`,
		newHeaders("tools/call", "nope")...)
	w.fake.attachedOnce(t)
	status, got, _ := w.post(strings.Replace(`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{`+newMeta+`}}`, "2026-07-28", "2031-01-01", 1),
		"MCP-Protocol-Version: 2031-01-01", "Mcp-Method: tools/list")
	if status != http.StatusBadRequest || len(got) != 1 || !strings.Contains(got[0], `"code":-32022`) || !strings.Contains(got[0], `"2026-07-28"`) {
		t.Errorf("a revision to come gave %d %q", status, got)
	}
	// Both kinds of client at once.
	w.expect(callLine("6", "zebra", `{}`), textAnswer("6", `{}`), w.initialize("2025-11-25")...)
}

func TestHTTPKeepsStrangersOut(t *testing.T) {
	w := startWeb(t)
	port := w.url[strings.LastIndex(w.url, ":")+1 : strings.LastIndex(w.url, "/")]
	tests := map[string]struct {
		headers []string
		want    int
	}{
		"as it should be":       {nil, 200},
		"lower-case scheme":     {[]string{"Authorization: bearer " + testToken}, 200},
		"no token":              {[]string{"Authorization: "}, 401},
		"wrong token":           {[]string{"Authorization: Bearer nope"}, 401},
		"longer token":          {[]string{"Authorization: Bearer " + testToken + "x"}, 401},
		"empty token":           {[]string{"Authorization: Bearer"}, 401},
		"basic":                 {[]string{"Authorization: Basic " + testToken}, 401},
		"rebound name":          {[]string{"Host: evil.example:" + port}, 403},
		"name like ours":        {[]string{"Host: localhost.evil.example"}, 403},
		"address as a prefix":   {[]string{"Host: 127.0.0.1.evil.example"}, 403},
		"another address":       {[]string{"Host: 192.0.2.7:" + port}, 403},
		"localhost":             {[]string{"Host: LOCALHOST:" + port}, 200},
		"through a tunnel":      {[]string{"Host: localhost:9"}, 200},
		"IPv6 loopback":         {[]string{"Host: [::1]:" + port}, 200},
		"other loopback":        {[]string{"Host: 127.0.0.2:" + port}, 200},
		"own origin":            {[]string{"Origin: http://127.0.0.1:" + port}, 200},
		"foreign origin":        {[]string{"Origin: https://evil.example"}, 403},
		"another local origin":  {[]string{"Origin: http://127.0.0.1:1"}, 403},
		"origin null":           {[]string{"Origin: null"}, 403},
		"origin of a file":      {[]string{"Origin: file://127.0.0.1:" + port}, 403},
		"cross-site":            {[]string{"Sec-Fetch-Site: cross-site"}, 403},
		"foreign, right token":  {[]string{"Origin: http://evil.example:" + port, "Authorization: Bearer " + testToken}, 403},
		"foreign without token": {[]string{"Origin: http://evil.example", "Authorization: "}, 403},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			status, got, header := w.post(hello, tc.headers...)
			if status != tc.want {
				t.Errorf("got %d %q, want %d", status, got, tc.want)
			}
			if auth := header.Get("WWW-Authenticate"); (status == 401) != strings.HasPrefix(auth, "Bearer") {
				t.Errorf("%d with WWW-Authenticate %q", status, auth)
			}
			if strings.Contains(got[0], testToken) {
				t.Error("the answer gives the token away")
			}
		})
	}
	// A page's GET carries its origin as well, and must not open a stream.
	res := w.send(t.Context(), http.MethodGet, "", "Origin: https://evil.example")
	_ = res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("GET from a foreign page gave %d", res.StatusCode)
	}
}

func TestHTTPHosts(t *testing.T) {
	for _, tc := range []struct {
		opts HTTPOptions
		host string
		want bool
	}{
		{HTTPOptions{Listen: "127.0.0.1:0"}, "", false},
		{HTTPOptions{Listen: ":0", Remote: true}, "", false},
		{HTTPOptions{Listen: "0.0.0.0:0", Remote: true}, "192.0.2.7:80", true},
		{HTTPOptions{Listen: "0.0.0.0:0", Remote: true}, "dev.example", false},
		{HTTPOptions{Listen: "0.0.0.0:0", Remote: true, Hosts: []string{"dev.example"}}, "Dev.Example:80", true},
		{HTTPOptions{Listen: "dev.example:80", Remote: true}, "dev.example", true},
		{HTTPOptions{Listen: "[::1]:80"}, "[::1]", true},
		{HTTPOptions{Listen: "[::1]:80"}, "[::ffff:127.0.0.1]:80", true},
		{HTTPOptions{Listen: "[::1]:80"}, "[2001:db8::1]:80", false},
	} {
		if got := (&Handler{opts: tc.opts}).host(tc.host); got != tc.want {
			t.Errorf("%+v called by %q: %v", tc.opts, tc.host, got)
		}
	}
}

func TestHTTPMethodsAndPaths(t *testing.T) {
	w := startWeb(t)
	base := w.url
	for _, tc := range []struct {
		method, path string
		headers      []string
		want         int
	}{
		{"GET", "", nil, 400},    // needs a session
		{"DELETE", "", nil, 400}, // same
		{"PUT", "", nil, 405},    //
		{"GET", "", []string{"MCP-Protocol-Version: 2026-07-28"}, 405}, // has no streams to get
		{"DELETE", "", []string{"MCP-Protocol-Version: 2026-07-28"}, 405},
		{"GET", "", []string{"Mcp-Session-Id: nope"}, 404},
		{"POST", "", []string{"Content-Type: text/plain"}, 415},
		{"POST", "", []string{"Accept: text/html"}, 400},
		{"POST", "", []string{"MCP-Protocol-Version: 1999-01-01"}, 400},
		{"POST", "/other", nil, 404},
		{"GET", "/", nil, 404},
	} {
		w.url = base + tc.path
		if tc.path == "/" {
			w.url = strings.TrimSuffix(base, Path) + "/"
		}
		res := w.send(t.Context(), tc.method, hello, tc.headers...)
		_ = res.Body.Close()
		if res.StatusCode != tc.want {
			t.Errorf("%s %s %q gave %d, want %d", tc.method, tc.path, tc.headers, res.StatusCode, tc.want)
		}
		if res.StatusCode == 405 && res.Header.Get("Allow") == "" {
			t.Errorf("%s: 405 without Allow", tc.method)
		}
	}
}

func TestHTTPMalformedBody(t *testing.T) {
	w := startWeb(t)
	for _, body := range []string{"", "{", "hello", "[]", "\xff"} {
		if status, got, _ := w.post(body); status != http.StatusBadRequest {
			t.Errorf("%q gave %d %q", body, status, got)
		}
	}
	w.initialize("2025-06-18")
}

func TestHTTPBodyLimit(t *testing.T) {
	h, err := NewHandler(t.Context(), newFake().options(), HTTPOptions{Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	// The declared length is of no account: the limit counts what is read.
	body := io.MultiReader(strings.NewReader(`{"x":"`), io.LimitReader(endless{}, maxMessage))
	req := httptest.NewRequest(http.MethodPost, "http://localhost"+Path, body)
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if rec.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestHTTPCancel(t *testing.T) {
	w := startWeb(t)
	session := w.initialize("2025-11-25")
	answer := make(chan []string, 1)
	go func() {
		_, got, _ := w.post(callLine("1", "block", `1`), session...)
		answer <- got
	}()
	receive(t, w.fake.started, "the call")
	if status, _, _ := w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session...); status != http.StatusAccepted {
		t.Errorf("cancel gave %d", status)
	}
	receive(t, w.fake.cancelled, "the cancellation")
	receive(t, answer, "the end of the call's stream")
}

// For clients of the stateless kind the request is the call: who hangs up, cancels.
func TestHTTPStatelessDisconnectCancels(t *testing.T) {
	w := startWeb(t)
	ctx, hangUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.url, strings.NewReader(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{`+newMeta+`,"name":"block","arguments":1}}`))
		for _, h := range append(newHeaders("tools/call", "block"), "Authorization: Bearer "+testToken, "Content-Type: application/json", "Accept: application/json, text/event-stream") {
			name, value, _ := strings.Cut(h, ": ")
			req.Header.Set(name, value)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}()
	receive(t, w.fake.started, "the call")
	hangUp()
	receive(t, w.fake.cancelled, "the cancellation")
	receive(t, done, "the request's end")
}

// Ending a session ends its calls, and no other's.
func TestHTTPDeleteCancels(t *testing.T) {
	w := startWeb(t)
	mine, other := w.initialize("2025-11-25"), w.initialize("2025-11-25")
	answer := make(chan []string, 2)
	for args, session := range map[string][]string{`"mine"`: mine, `"other"`: other} {
		go func() {
			_, got, _ := w.post(callLine("1", "block", args), session...)
			answer <- got
		}()
		receive(t, w.fake.started, "the call")
	}
	res := w.send(t.Context(), http.MethodDelete, "", mine...)
	_ = res.Body.Close()
	if got := receive(t, w.fake.cancelled, "the cancellation"); got != `"mine"` {
		t.Errorf("%s was cancelled", got)
	}
	receive(t, answer, "the answer to the cancelled call")
	close(w.fake.release)
	if got := receive(t, answer, "the answer to the other call"); len(got) != 1 || canonical(t, got[0]) != canonical(t, textAnswer("1", "released")) {
		t.Errorf("got %q", got)
	}
}

func TestHTTPProgress(t *testing.T) {
	w := startWeb(t)
	_, got, _ := w.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}}`, w.initialize("2025-11-25")...)
	if len(got) < 3 || !strings.Contains(got[len(got)-2], `"progress":50`) {
		t.Fatalf("got %q", got)
	}
	sameJSON(t, got[len(got)-1], textAnswer("1", "done"))
	_, got, _ = w.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+strings.Replace(newMeta, `{`, `{"progressToken":"p",`, 1)+`,"name":"steps"}}`, newHeaders("tools/call", "steps")...)
	if len(got) < 3 || !strings.Contains(got[len(got)-2], `"progress":50`) {
		t.Fatalf("got %q", got)
	}
}

// An ending server answers what runs, closes streams, and lets nobody in.
func TestHTTPShutdown(t *testing.T) {
	w := startWeb(t)
	session := w.initialize("2025-11-25")
	stream := w.send(t.Context(), http.MethodGet, "", session...)
	defer stream.Body.Close()
	if stream.StatusCode != http.StatusOK {
		t.Fatalf("GET gave %d", stream.StatusCode)
	}
	answer := make(chan []string, 1)
	go func() {
		_, got, _ := w.post(callLine("1", "block", `1`), session...)
		answer <- got
	}()
	receive(t, w.fake.started, "the call")
	if err := w.end(); err != nil {
		t.Error(err)
	}
	receive(t, w.fake.cancelled, "the cancellation")
	receive(t, w.fake.detached, "the end of Attach's context")
	if got := receive(t, answer, "the answer"); len(got) != 1 || canonical(t, got[0]) != canonical(t, errorAnswer("1", "cancelled by the client")) {
		t.Errorf("got %q", got)
	}
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Errorf("the stream was cut off: %v", err)
	}
	if c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(w.url, "http://"), Path)); err == nil {
		_ = c.Close()
		t.Error("still listening")
	}
}

// A client that opens a connection and says nothing is not waited for.
func TestHTTPSlowHeaders(t *testing.T) {
	w := startWeb(t)
	c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(w.url, "http://"), Path))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ")
	go func() { // too much of a header, as well
		for range 1000 {
			if _, err := io.WriteString(c, strings.Repeat("a", 1000)); err != nil {
				return
			}
		}
	}()
	_ = c.SetReadDeadline(time.Now().Add(headerTimeout + 10*time.Second))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %d", res.StatusCode)
	}
}

func TestListenRefusals(t *testing.T) {
	o := newFake().options()
	for name, h := range map[string]HTTPOptions{
		"everywhere":      {Listen: "0.0.0.0:0", Token: testToken},
		"everywhere, too": {Listen: ":0", Token: testToken},
		"IPv6 everywhere": {Listen: "[::]:0", Token: testToken},
		"a name":          {Listen: "example.com:0", Token: testToken},
		"no token":        {Listen: "127.0.0.1:0"},
		"no port":         {Listen: "127.0.0.1", Token: testToken},
		"bad port":        {Listen: "127.0.0.1:x", Token: testToken},
	} {
		if s, err := ListenHTTP(t.Context(), o, h); err == nil {
			_ = s.listener.Close()
			t.Errorf("%s: listens on %s", name, s.URL())
		}
	}
	s, err := ListenHTTP(t.Context(), o, HTTPOptions{Listen: "0.0.0.0:0", Token: testToken, Remote: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL is %s", s.URL())
	}
	_ = s.listener.Close()
	if err := s.Serve(t.Context()); err == nil {
		t.Error("served on a closed listener")
	}
}

func TestNewToken(t *testing.T) {
	a, b := NewToken(), NewToken()
	if a == b || len(a) < 26 || strings.ContainsAny(a, " \n") {
		t.Errorf("tokens %q and %q", a, b)
	}
}
