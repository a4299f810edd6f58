package audits

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oriel/internal/audit"
	"oriel/internal/journal"
)

// answered is an answer to a navigation, seconds after the first.
func answered(second int, url string, status int, head ...string) journal.Entry {
	h := &journal.HTTP{Method: "GET", URL: url, Status: status, Destination: "document", ResponseHead: http.Header{}}
	for _, line := range head {
		name, value, _ := strings.Cut(line, ": ")
		h.ResponseHead.Add(name, value)
	}
	return journal.Entry{Kind: journal.KindHTTP, Time: time.Date(2026, 11, 15, 12, 0, second, 0, time.UTC), HTTP: h}
}

func newestFirst(entries ...journal.Entry) []journal.Entry {
	slices.Reverse(entries)
	return entries
}

func TestDocumentHead(t *testing.T) {
	csp := "Content-Security-Policy: script-src 'self'"
	frame := answered(9, "/shop?a=1", 200, "X-Of: a frame")
	frame.HTTP.Destination = "iframe"
	script := answered(9, "/shop?a=1", 200, "X-Of: a script")
	script.HTTP.Destination = "script"
	asked := answered(8, "/shop?token=%5Bredacted%5D", 200, "X-Of: a secret")
	asked.HTTP.Destination, asked.HTTP.Injected = "", true // a browser that does not say what it asks for
	log := newestFirst(
		answered(1, "/shop?a=1", 200, csp, "X-Of: the first visit"),
		answered(2, "/other", 200, "X-Of: another page"),
		answered(3, "/shop?a=1", 200, csp, csp, "Set-Cookie: a=[redacted]"),
		answered(4, "/shop?a=1", 304, "Etag: x"),
		answered(5, "/shop?a=2", 200, "X-Of: another query"),
		answered(6, "/gone", 404),
		answered(7, "/cached", 304, "Etag: y"),
		asked, script, frame,
	)
	for _, c := range []struct {
		document string
		status   int
		want     string // lines
	}{
		{"http://127.0.0.1:20001/shop?a=1#top", 200, "Content-Security-Policy: script-src 'self'\nContent-Security-Policy: script-src 'self'\nEtag: x"},
		{"http://127.0.0.1:20001/shop?a=2", 200, "X-Of: another query"},
		{"http://127.0.0.1:20001/shop?token=s3cret", 200, "X-Of: a secret"},
		{"http://127.0.0.1:20001/gone", 404, ""},
		{"http://127.0.0.1:20001/cached", 200, "Etag: y"},
		{"http://127.0.0.1:20001/shop", 0, ""},
		{"http://127.0.0.1:20001/nowhere", 0, ""},
		{"://", 0, ""},
	} {
		head, status, ok := documentHead(log, c.document)
		var lines []string
		for _, p := range pairs(head) {
			lines = append(lines, p[0]+": "+p[1])
		}
		if got := strings.Join(lines, "\n"); ok != (c.status != 0) || (ok && (status != c.status || got != c.want)) {
			t.Errorf("%s: %v %d\n%s\nwant %d\n%s", c.document, ok, status, got, c.status, c.want)
		}
	}
}

func TestHeadersAreBounded(t *testing.T) {
	head := http.Header{"A": slices.Repeat([]string{"x"}, 500), "B": {strings.Repeat("x", maxHeader+1)}, "Set-Cookie": {"a=b"}}
	list := pairs(head)
	if len(list) != maxHeaders || slices.ContainsFunc(list, func(p [2]string) bool { return p[0] != "A" }) {
		t.Errorf("%d pairs, the last %v", len(list), list[len(list)-1])
	}
}

func TestCookies(t *testing.T) {
	log := newestFirst(
		answered(1, "/login", 302, "Set-Cookie: sid=[redacted]; Path=/; HttpOnly", "Set-Cookie: theme=[redacted]"),
		answered(2, "/", 200, "Set-Cookie: sid=[redacted]; Path=/; HttpOnly; Secure; SameSite=None", "Set-Cookie: old=[redacted]; Domain=.a.test"),
		answered(3, "/", 200, "Set-Cookie: old=; Domain=a.test; Max-Age=0", "Set-Cookie: past=[redacted]; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "Set-Cookie: soon=[redacted]; Expires=Thu, 01 Jan 2099 00:00:00 GMT; SameSite=strict"),
		answered(4, "/", 200, "Set-Cookie: [redacted]", "Set-Cookie: "),
	)
	want := []seenCookie{
		{Name: "sid", Secure: true, HTTPOnly: true, SameSite: "None", Path: "/"},
		{Name: "soon", SameSite: "Strict"},
		{Name: "theme"},
	}
	if diff := cmp.Diff(want, cookies(log)); diff != "" {
		t.Error(diff)
	}
	if got := cookies(nil); got == nil || len(got) != 0 {
		t.Errorf("no cookies are %v: a list, in JSON too", got)
	}
}

func TestFailed(t *testing.T) {
	lost := func(source, url string) journal.Entry {
		return journal.Entry{Kind: journal.KindError, Error: &journal.PageError{Source: source, URL: url}}
	}
	got := failed([]journal.Entry{lost("resource", "https://a.test/a.css"), lost("error", "https://a.test/a.js"), lost("resource", ""), lost("resource", "https://a.test/b.css"), lost("resource", "https://a.test/a.css")})
	if diff := cmp.Diff([]string{"https://a.test/a.css", "https://a.test/b.css"}, got); diff != "" {
		t.Error(diff)
	}
	if got := failed(nil); got == nil {
		t.Error("none is null in JSON")
	}
}

func TestSource(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"src/App.tsx", "public/app.css", "static/deep/x.css", "index.html"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const origin = "http://127.0.0.1:20001"
	for given, want := range map[string]string{
		origin + "/app.css?v=3":      "public/app.css",
		origin + "/deep/x.css":       "static/deep/x.css",
		origin + "/src/App.tsx":      "src/App.tsx",
		"src/App.tsx":                "src/App.tsx",
		"App.tsx":                    "src/App.tsx",
		root + "/src/App.tsx":        "src/App.tsx",
		"/index.html":                "index.html",
		origin + "/gone.css":         "/gone.css compiled",
		origin + "evil.test/app.css": origin + "evil.test/app.css compiled",
		"https://cdn.test/app.css":   "https://cdn.test/app.css compiled",
		"../../../../etc/passwd":     "../../../../etc/passwd compiled",
		"/etc/passwd":                "/etc/passwd compiled",
		origin + "/../../etc/passwd": "/../../etc/passwd compiled",
		"src":                        "src compiled",
		"":                           " compiled",
	} {
		got := source(root, origin, audit.Place{File: given, Line: 7})
		text := got.File
		if got.Compiled {
			text += " compiled"
		}
		if text != want || got.Line != 7 {
			t.Errorf("%s: %s, line %d, want %s", given, text, got.Line, want)
		}
	}
}
