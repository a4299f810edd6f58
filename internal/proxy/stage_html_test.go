package proxy

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const page = "<!doctype html><html><head><title>x</title></head><body>hi</body></html>"

var tagged = strings.Replace(page, "<head>", "<head>"+testTag, 1)

func htmlTarget(h http.Header, body string, status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for k, v := range h {
			w.Header()[k] = v
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func TestWhatIsADocument(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
	with := func(k, v string) http.Header { return http.Header{"Content-Type": html["Content-Type"], k: {v}} }
	for _, c := range []struct {
		name    string
		request []string
		answer  http.Header
		status  int
		want    bool
	}{
		{"document", []string{"Sec-Fetch-Dest", "document"}, html, 200, true},
		{"iframe", []string{"Sec-Fetch-Dest", "iframe"}, html, 200, true},
		{"frame", []string{"Sec-Fetch-Dest", "frame"}, html, 200, true},
		{"error page", []string{"Sec-Fetch-Dest", "document"}, html, 500, true},
		{"not found", []string{"Sec-Fetch-Dest", "document"}, html, 404, true},
		{"fetch", []string{"Sec-Fetch-Dest", "empty", "Accept", "text/html"}, html, 200, false},
		{"embed", []string{"Sec-Fetch-Dest", "embed"}, html, 200, false},
		{"old browser", []string{"Accept", "text/html,application/xhtml+xml"}, html, 200, true},
		{"old browser's script", []string{"Accept", "text/html", "X-Requested-With", "XMLHttpRequest"}, html, 200, false},
		{"htmx", []string{"Accept", "text/html", "Hx-Request", "true"}, html, 200, false},
		{"curl", []string{"Accept", "*/*"}, html, 200, false},
		{"no accept", nil, html, 200, false},
		{"prefers json", []string{"Accept", "application/json, text/html"}, html, 200, false},
		{"json", []string{"Sec-Fetch-Dest", "document"}, http.Header{"Content-Type": {"application/json"}}, 200, false},
		{"text", []string{"Sec-Fetch-Dest", "document"}, http.Header{"Content-Type": {"text/plain"}}, 200, false},
		{"no type", []string{"Sec-Fetch-Dest", "document"}, http.Header{"Content-Type": nil}, 200, true},
		{"upper case type", []string{"Sec-Fetch-Dest", "document"}, http.Header{"Content-Type": {"Text/HTML;Charset=\"utf-8\""}}, 200, true},
		{"broken type", []string{"Sec-Fetch-Dest", "document"}, http.Header{"Content-Type": {"text/html; charset="}}, 200, true},
		{"attachment", []string{"Sec-Fetch-Dest", "document"}, with("Content-Disposition", `attachment; filename="a.html"`), 200, false},
		{"inline", []string{"Sec-Fetch-Dest", "document"}, with("Content-Disposition", "inline"), 200, true},
		{"unknown coding", []string{"Sec-Fetch-Dest", "document"}, with("Content-Encoding", "dcb"), 200, false},
		{"redirect", []string{"Sec-Fetch-Dest", "document"}, with("Location", "/"), 302, false},
		{"nosniff", []string{"Sec-Fetch-Dest", "document"}, with("X-Content-Type-Options", "nosniff"), 200, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := serve(t, htmlTarget(c.answer, page, c.status))
			got := r.get(t, "/", c.request...)
			want := page
			if c.want {
				want = tagged
			}
			if got.body != want || got.StatusCode != c.status {
				t.Errorf("%d %s", got.StatusCode, got.body)
			}
			if e := r.log.http(t, "/"); e.Injected != c.want || string(e.ResponseBody.Data) != page && e.ResponseBody.Data != nil {
				t.Errorf("recorded injected %v, body %q", e.Injected, e.ResponseBody.Data)
			}
		})
	}
}

func TestNoTagNoChange(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"none":   func(c *Config) { c.Tag = nil },
		"zero":   func(c *Config) { c.Tag = func(*http.Request) Tag { return Tag{} } },
		"broken": func(c *Config) { c.Tag = func(*http.Request) Tag { return Tag{Src: "/ü.js"} } },
	} {
		r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html"}, "Etag": {`"a"`}}, page, 200), change)
		if got := r.doc(t, "/", "If-None-Match", `"b"`); got.body != page || got.Header.Get("ETag") != `"a"` {
			t.Errorf("%s: %s %v", name, got.body, got.Header)
		}
	}
}

func TestXHTMLDocument(t *testing.T) {
	doc := `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body/></html>`
	r := serve(t, htmlTarget(http.Header{"Content-Type": {"application/xhtml+xml"}}, doc, 200))
	want := strings.Replace(doc, "<head>", `<head><script xmlns="http://www.w3.org/1999/xhtml" src="/__devtool/agent.js"></script>`, 1)
	if got := r.doc(t, "/"); got.body != want {
		t.Errorf("%s", got.body)
	}
}

func pack(t *testing.T, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

func TestCodings(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		packed := pack(t, coding, page)
		var accepted string
		r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			accepted = r.Header.Get("Accept-Encoding")
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Encoding", strings.TrimPrefix(coding, "raw "))
			w.Write(packed)
		})
		got := r.doc(t, "/doc")
		if accepted != "identity" {
			t.Errorf("%s: asked for %q", coding, accepted)
		}
		if got.body != tagged || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %v %q", coding, got.Header, got.body)
		}
		if e := r.log.http(t, "/doc"); string(e.ResponseBody.Data) != page || e.ResponseBody.Size != int64(len(packed)) || e.ResponseBody.Cut || !e.Injected {
			t.Errorf("%s: recorded %+v", coding, e.ResponseBody)
		}
		got = r.get(t, "/fetch", "Accept-Encoding", "gzip, br", "Sec-Fetch-Dest", "empty")
		if accepted != "gzip, br" || got.body != string(packed) || got.Header.Get("Content-Encoding") == "" {
			t.Errorf("%s: a script asked with %q and got %v", coding, accepted, got.Header)
		}
		if e := r.log.http(t, "/fetch"); string(e.ResponseBody.Data) != page || e.ResponseBody.Size != int64(len(packed)) {
			t.Errorf("%s: recorded %q size %d", coding, e.ResponseBody.Data, e.ResponseBody.Size)
		}
	}
}

// 100 MB through the injector, chunked and with a length.
func TestHugeDocument(t *testing.T) {
	size := int64(100 << 20)
	for _, length := range []bool{true, false} {
		r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			if length {
				w.Header().Set("Content-Length", fmt.Sprint(size+int64(len(page))))
			}
			io.WriteString(w, page)
			io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(pattern{}, size), make([]byte, 256<<10))
		})
		used := allocated(func() {
			req, _ := http.NewRequest("GET", r.URL()+"/", nil)
			req.Header.Set("Sec-Fetch-Dest", "document")
			c := plain()
			defer c.CloseIdleConnections()
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, make([]byte, 256<<10))
			if want := size + int64(len(tagged)); n != want || err != nil {
				t.Errorf("length %v: %d bytes, want %d, %v", length, n, want, err)
			}
		})
		if used > 16<<20 {
			t.Errorf("%d MB were allocated", used>>20)
		}
	}
}

func TestUTF16Document(t *testing.T) {
	var wide bytes.Buffer
	for _, c := range page {
		wide.Write([]byte{byte(c), 0})
	}
	r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html; charset=utf-16le"}}, wide.String(), 200))
	got := r.doc(t, "/")
	if narrow := strings.ReplaceAll(got.body, "\x00", ""); narrow != tagged || len(got.body) != 2*len(tagged) {
		t.Errorf("%q", got.body)
	}
}
