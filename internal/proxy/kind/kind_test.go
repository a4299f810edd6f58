package kind

import (
	"net/http"
	"testing"
)

// The rules are those by which browsers extract a type: the last that is one
// counts, and a charset stays as long as the type does.
func TestHTML(t *testing.T) {
	for _, c := range []struct {
		lines          []string
		media, charset string
		html           bool
	}{
		{nil, "", "", false},
		{[]string{"text/html"}, "text/html", "", true},
		{[]string{"TEXT/HTML ; Charset=\"koi8-r\""}, "text/html", "koi8-r", true},
		{[]string{"application/xhtml+xml"}, "application/xhtml+xml", "", true},
		{[]string{"text/html; charset="}, "text/html", "", true},
		{[]string{"text/html;"}, "text/html", "", true},
		{[]string{"text/plain"}, "text/plain", "", false},
		{[]string{"html"}, "", "", false},
		{[]string{""}, "", "", false},
		{[]string{"text/html", "text/plain"}, "text/plain", "", false},
		{[]string{"text/plain", "text/html"}, "text/html", "", true},
		{[]string{"text/plain,text/html"}, "text/html", "", true},
		{[]string{"text/html,text/plain"}, "text/plain", "", false},
		{[]string{"text/html;charset=gbk,text/plain"}, "text/plain", "", false},
		{[]string{"text/html;charset=gbk", "text/html"}, "text/html", "gbk", true},
		{[]string{"text/html;charset=gbk", "text/html;charset=utf-8"}, "text/html", "utf-8", true},
		{[]string{"text/html;charset=gbk", "text/plain", "text/html"}, "text/html", "", true},
		{[]string{"text/html", "*/*"}, "text/html", "", true},
		{[]string{"text/html", "nonsense"}, "text/html", "", true},
		{[]string{`text/html;x=",text/plain`}, "text/html", "", true},
		{[]string{`text/html;x="\",text/plain",text/css`}, "text/css", "", false},
	} {
		media, charset, html := HTML(http.Header{"Content-Type": c.lines})
		if media != c.media || charset != c.charset || html != c.html {
			t.Errorf("%q: %s %s %v", c.lines, media, charset, html)
		}
	}
}

func TestKept(t *testing.T) {
	const date = "Wed, 21 Oct 2026 07:28:00 GMT"
	for _, c := range []struct {
		cache, etag, modified, expires string
		want                           bool
	}{
		{"", "", "", "", false},
		{"", `"a"`, "", "", false},
		{"no-store", "", date, "", false},
		{"No-Cache", `"a"`, date, "", false},
		{"private, max-age=0", `"a"`, "", "", false},
		{"no-cache", "", date, "", true}, // a tab would ask by date and be told that it is fresh
		{"max-age=60", `"a"`, "", "", true},
		{"public, max-age=x", `"a"`, "", "", false},
		{"", "", date, "", true},
		{"", "", "", date, true},
	} {
		h := http.Header{}
		for name, v := range map[string]string{"Cache-Control": c.cache, "Etag": c.etag, "Last-Modified": c.modified, "Expires": c.expires} {
			if v != "" {
				h.Set(name, v)
			}
		}
		if got := Kept(h); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestSniffed(t *testing.T) {
	for _, c := range []struct {
		head http.Header
		want bool
	}{
		{http.Header{}, true},
		{http.Header{"Content-Type": {""}}, true},
		{http.Header{"Content-Type": {"application/unknown"}}, true},
		{http.Header{"Content-Type": {"text/plain"}}, false},
		{http.Header{"X-Content-Type-Options": {" NoSniff "}}, false},
	} {
		if got := Sniffed(c.head); got != c.want {
			t.Errorf("%v: %v", c.head, got)
		}
	}
}

func TestAttachment(t *testing.T) {
	for value, want := range map[string]bool{"": false, "inline": false, "Inline; filename=a.html": false, "attachment; filename=a": true, "form-data": true, "; filename=a": false} {
		if got := Attachment(http.Header{"Content-Disposition": {value}}); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
