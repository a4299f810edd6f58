package proxy

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// validating answers 304 to its own validators, compared as text as simple
// servers do.
func validating(etag, modified string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if etag != "" {
			w.Header().Set("ETag", etag)
		}
		if modified != "" {
			w.Header().Set("Last-Modified", modified)
		}
		inm := r.Header.Get("If-None-Match")
		if inm != "" && inm == etag || inm == "" && modified != "" && r.Header.Get("If-Modified-Since") == modified {
			w.WriteHeader(304)
			return
		}
		io.WriteString(w, page)
	}
}

func TestRevalidation(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT"
	for _, c := range []struct{ etag, modified string }{{`"v1"`, ""}, {`W/"v1"`, ""}, {`"v1"`, date}, {"", date}} {
		version := "a"
		r := serve(t, validating(c.etag, c.modified), func(cfg *Config) {
			n := 0
			cfg.Tag = func(*http.Request) Tag { // each document has a key of its own
				n++
				return Tag{Src: "/__devtool/agent." + version + ".js", Attrs: []Attr{{Name: "data-k", Value: strings.Repeat("k", n)}}}
			}
		})
		first := r.doc(t, "/")
		tag := first.Header.Get("ETag")
		if !strings.HasPrefix(tag, "W/") || tag == c.etag {
			t.Errorf("%+v: ETag %s", c, tag)
		}
		held := []string{"If-None-Match", tag}
		if c.modified != "" {
			held = append(held, "If-Modified-Since", c.modified)
		}
		again := r.doc(t, "/", held...)
		if again.StatusCode != 304 || again.Header.Get("ETag") != tag {
			t.Errorf("%+v: the same tag gave %d %v", c, again.StatusCode, again.Header)
		}
		if got := r.get(t, "/", append(held, "Sec-Fetch-Dest", "empty")...); got.StatusCode != 200 || got.body != page || got.Header.Get("ETag") != c.etag {
			t.Errorf("%+v: a script that sent the document's tag got %d %s", c, got.StatusCode, got.body)
		}
		version = "b"
		if got := r.doc(t, "/", held...); got.StatusCode != 200 || !strings.Contains(got.body, "agent.b.js") {
			t.Errorf("%+v: with another agent %d %s", c, got.StatusCode, got.body)
		}
		if c.etag != "" {
			if got := r.get(t, "/", "If-None-Match", c.etag); got.StatusCode != 304 || got.Header.Get("ETag") != c.etag {
				t.Errorf("%+v: a script's own tag gave %d", c, got.StatusCode)
			}
			if got := r.doc(t, "/", "If-None-Match", c.etag); got.StatusCode != 200 || !strings.Contains(got.body, "agent.b.js") {
				t.Errorf("%+v: a tab was told that the script's copy is fresh: %d", c, got.StatusCode)
			}
		}
		if got := r.doc(t, "/"); got.Header.Get("Vary") != "Sec-Fetch-Dest" {
			t.Errorf("Vary %q", got.Header.Get("Vary"))
		}
	}
}

// What a script asks for says Vary only where its copy might be shown as a page.
func TestVaryOfWhatScriptsFetch(t *testing.T) {
	for cache, want := range map[string]string{"": "", "no-store": "", "max-age=60": "Sec-Fetch-Dest"} {
		head := http.Header{"Content-Type": {"text/html"}}
		if cache != "" {
			head.Set("Cache-Control", cache)
		}
		r := serve(t, htmlTarget(head, page, 200))
		if v := r.get(t, "/", "Sec-Fetch-Dest", "empty").Header.Get("Vary"); v != want {
			t.Errorf("%q: a script sees Vary %q", cache, v)
		}
		if v := r.doc(t, "/").Header.Get("Vary"); v != "Sec-Fetch-Dest" {
			t.Errorf("%q: the document has Vary %q", cache, v)
		}
	}
}
