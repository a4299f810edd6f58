// Package asset serves the files that the proxy brings along for its pages.
package asset

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"oriel/web"
)

// Blank gives out an empty document without a policy, in which a page
// whose own policy allows no data: images can have a picture drawn.
func Blank(w http.ResponseWriter) {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Frame-Options", "SAMEORIGIN")
	_, _ = io.WriteString(w, "<!doctype html><title>blank</title>") // a page that went away has no use for the error
}

// Bundle gives out a bundle. Under its full name it may be kept for ever;
// under its plain one, or the name of an older build that a cached document
// still has, it must be asked for again.
func Bundle(w http.ResponseWriter, r *http.Request, file string) {
	found, ok := web.ByFile(file)
	caching := "public, max-age=31536000, immutable"
	if !ok {
		name, _, _ := strings.Cut(strings.TrimSuffix(file, ".js"), ".")
		found, ok = web.Bundle(name)
		caching = "no-cache"
	}
	if !ok || !strings.HasSuffix(file, ".js") {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Cache-Control", caching)
	head.Set("ETag", found.ETag)
	head.Set("Vary", "Accept-Encoding")
	head.Set("Content-Type", found.ContentType)
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if etagMatches(r.Header.Get("If-None-Match"), found.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := found.Body
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(found.Gzip) > 0 {
		body = found.Gzip
		head.Set("Content-Encoding", "gzip")
	}
	head.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a browser that went away has no use for the error
	}
}

func etagMatches(header, etag string) bool {
	for part := range strings.SplitSeq(header, ",") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "W/"); part == etag || part == "*" {
			return true
		}
	}
	return false
}
