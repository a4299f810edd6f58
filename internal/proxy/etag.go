package proxy

import (
	"net/http"
	"strings"

	"oriel/internal/proxy/inject"
	"oriel/internal/proxy/kind"
)

// weaken marks the ETag of a changed document; one with only a date gets one.
func (x *exchange) weaken() {
	if v := x.head["Etag"]; len(v) > 0 {
		x.head["Etag"] = []string{inject.MarkETag(v[0], x.doc.print)}
		return
	}
	if _, ok := x.head["Last-Modified"]; ok {
		x.head["Etag"] = []string{inject.MarkETag("", x.doc.print)}
	}
}

// validators asks the target about its own ETags.
func (x *exchange) validators() {
	lines := x.in.Header["If-None-Match"]
	if len(lines) == 0 {
		return
	}
	line := strings.Join(lines, ", ")
	if (!x.doc.asked || x.doc.maybe) && !inject.Marked(line) || strings.TrimSpace(line) == "*" {
		return
	}
	v := inject.Unmark(line, x.doc.print)
	x.doc.same = x.doc.asked && v.Any()
	x.set("If-None-Match", v.ETags)
	if !v.Any() {
		x.set("If-Modified-Since", "")
	}
}

// separate keeps the browser's cache from giving a script a document with the
// tag, or a tab one without. Scripts can read Vary, so what they asked for gets
// it only where the cache might show it in a tab.
func (x *exchange) separate() {
	if x.p.cfg.Tag == nil || x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return
	}
	h := x.resp.Header
	if _, _, ok := kind.HTML(h); !ok && !x.doc.same && (x.resp.ContentLength == 0 || !kind.Sniffed(h)) {
		return
	}
	if !x.doc.asked && !kind.Kept(h) {
		return
	}
	old := x.head["Vary"]
	x.head["Vary"] = append(old[:len(old):len(old)], "Sec-Fetch-Dest")
}
