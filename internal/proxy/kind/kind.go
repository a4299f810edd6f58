// Package kind tells from an answer's header what the answer is to a browser:
// a page, a file, something to look at first, something to keep.
package kind

import (
	"iter"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// HTML reads a Content-Type; ok when it is a kind of HTML.
func HTML(h http.Header) (media, charset string, ok bool) {
	lines := h["Content-Type"]
	if len(lines) == 0 {
		return "", "", false
	}
	if len(lines) == 1 {
		switch lines[0] { // what nearly every server says
		case "text/html":
			return lines[0], "", true
		case "text/html; charset=utf-8", "text/html;charset=utf-8", "text/html; charset=UTF-8", "text/html;charset=UTF-8":
			return "text/html", "utf-8", true
		}
	}
	for _, line := range lines {
		for text := range listed(line) {
			one, set := mediaType(text)
			if one == "" || one == "*/*" {
				continue
			}
			if one != media || set != "" {
				media, charset = one, set
			}
		}
	}
	return media, charset, media == "text/html" || media == "application/xhtml+xml"
}

// listed splits a header line at the commas that are not quoted: of several
// types the last that is one counts.
func listed(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from, quoted := 0, false
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case quoted && c == '\\':
				i++
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				if !yield(line[from:i]) {
					return
				}
				from = i + 1
			}
		}
		yield(line[from:])
	}
}

// mediaType reads one type; "" is none.
func mediaType(text string) (media, charset string) {
	media, params, err := mime.ParseMediaType(text)
	if err != nil {
		media, _, _ = strings.Cut(text, ";")
		media = strings.ToLower(strings.TrimSpace(media))
	}
	if !strings.Contains(media, "/") {
		return "", ""
	}
	return media, params["charset"]
}

// Sniffed says whether a browser looks at the body to know what it is.
func Sniffed(h http.Header) bool {
	if v := h["Content-Type"]; len(v) > 0 && v[0] != "" && v[0] != "unknown/unknown" && v[0] != "application/unknown" && v[0] != "*/*" {
		return false
	}
	return !strings.EqualFold(strings.TrimSpace(h.Get("X-Content-Type-Options")), "nosniff")
}

// Attachment says whether a browser keeps the answer as a file.
func Attachment(h http.Header) bool {
	v := h["Content-Disposition"]
	if len(v) == 0 {
		return false
	}
	kind, _, _ := strings.Cut(v[0], ";")
	kind = strings.TrimSpace(kind)
	return kind != "" && !strings.EqualFold(kind, "inline")
}

// Kept says whether a browser may show an answer again that was not a
// document's: without asking, or after a 304. One by ETag it does not get,
// because only marked ones count for documents.
func Kept(h http.Header) bool {
	fresh := len(h["Expires"]) > 0 || len(h["Last-Modified"]) > 0
	asks := false
	for _, line := range h["Cache-Control"] {
		for d := range strings.SplitSeq(strings.ToLower(line), ",") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(d), "="); name {
			case "no-store":
				return false
			case "no-cache":
				asks = true
			case "max-age":
				n, err := strconv.Atoi(strings.Trim(value, `"`))
				asks = asks || err != nil || n <= 0
				fresh = true
			}
		}
	}
	if asks {
		return len(h["Last-Modified"]) > 0 && len(h["Etag"]) == 0
	}
	return fresh
}

// Media is the type of a body as its header says it, without parameters.
func Media(h http.Header) string {
	v := h["Content-Type"]
	if len(v) == 0 {
		return ""
	}
	media, _, _ := strings.Cut(v[0], ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// Text says whether a body with that header is worth reading.
func Text(h http.Header) bool {
	media := Media(h)
	switch media {
	case "application/json", "application/javascript", "application/x-javascript", "application/ecmascript", "application/xml",
		"application/x-www-form-urlencoded", "application/graphql", "application/x-ndjson", "application/jsonl", "application/csp-report", "application/sql":
		return true
	}
	return strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml")
}
