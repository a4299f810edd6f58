package proxy

import (
	"net/http"
	"strings"
)

// A document with the tag in it is not the target's, so its ETag is made weak
// and marked: W/"abc-oriel-s1f2e3d4c". s or w tells what the target's was, l
// that there was none but a Last-Modified, and the rest is the fingerprint of
// the tag. A document kept by the browser is thus only called fresh when its
// tag is today's, and the target is asked about its own ETag.
const etagMark = "-oriel-"

// weaken marks the ETag of a changed document.
func (x *exchange) weaken() {
	if v := x.head["Etag"]; len(v) > 0 {
		x.head["Etag"] = []string{markETag(v[0], x.doc.print)}
		return
	}
	if _, ok := x.head["Last-Modified"]; ok {
		x.head["Etag"] = []string{`W/"` + etagMark + "l" + x.doc.print + `"`}
	}
}

func markETag(etag, print string) string {
	kind := "s"
	if strings.HasPrefix(etag, "W/") {
		kind, etag = "w", etag[2:]
	}
	return `W/"` + strings.Trim(etag, `"`) + etagMark + kind + print + `"`
}

// unmarkETag returns the target's own tag of a marked one ("" for kind l).
func unmarkETag(tag string) (own, print string, kind byte, ok bool) {
	body := strings.TrimSuffix(strings.TrimPrefix(tag, `W/"`), `"`)
	i := strings.LastIndex(body, etagMark)
	if i < 0 || len(body) != i+len(etagMark)+9 {
		return "", "", 0, false
	}
	kind, print = body[i+len(etagMark)], body[i+len(etagMark)+1:]
	switch own = `"` + body[:i] + `"`; kind {
	case 's':
		return own, print, kind, true
	case 'w':
		return "W/" + own, print, kind, true
	case 'l':
		return "", print, kind, true
	}
	return "", "", 0, false
}

// validators translates If-None-Match. Tags of another fingerprint, of a
// document that went without the tag, or of a document when something else is
// asked for, are dropped: the browser's copy is not what it would get now.
func (x *exchange) validators() {
	lines := x.in.Header["If-None-Match"]
	if len(lines) == 0 {
		return
	}
	line := strings.Join(lines, ", ")
	if !x.doc.asked && !strings.Contains(line, etagMark) || strings.TrimSpace(line) == "*" {
		return
	}
	var keep []string
	byDate := false
	for tag := range strings.SplitSeq(line, ",") {
		tag = strings.TrimSpace(tag)
		own, print, kind, marked := unmarkETag(tag)
		switch {
		case marked != x.doc.asked, marked && print != x.doc.print:
		case kind == 'l':
			byDate = true
		case marked:
			keep = append(keep, own)
		default:
			keep = append(keep, tag)
		}
	}
	x.doc.same = x.doc.asked && (byDate || len(keep) > 0)
	x.set("If-None-Match", strings.Join(keep, ", "))
	if len(keep) == 0 && !byDate {
		x.set("If-Modified-Since", "")
	}
}

// separate keeps the browser's cache from giving a script a document with the
// tag, or a tab one without.
func (x *exchange) separate() {
	if x.p.cfg.Tag == nil || x.in.Method != http.MethodGet && x.in.Method != http.MethodHead {
		return
	}
	if _, _, ok := htmlType(x.resp.Header); !ok && !x.doc.same {
		return
	}
	old := x.head["Vary"]
	x.head["Vary"] = append(old[:len(old):len(old)], "Sec-Fetch-Dest")
}
