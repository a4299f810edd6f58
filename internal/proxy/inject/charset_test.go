package inject

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func TestUTF16(t *testing.T) {
	enc := func(s string, big, bom bool) string {
		var b []byte
		units := utf16.Encode([]rune(s))
		if bom {
			units = append([]uint16{0xfeff}, units...)
		}
		for _, u := range units {
			if big {
				b = append(b, byte(u>>8), byte(u))
			} else {
				b = append(b, byte(u), byte(u>>8))
			}
		}
		return string(b)
	}
	page := `<!doctype html><html><head>|<title>ж<head>猫</title><meta http-equiv=content-security-policy content="script-src 'none'"><p>`
	doc, want := split(page)
	amend := func(string) string { return "script-src x" }
	want = strings.Replace(want, "script-src 'none'", "script-src x", 1)
	for _, c := range []struct {
		name, charset string
		big, bom      bool
	}{
		{"little by mark", "", false, true},
		{"big by mark", "utf-8", true, true},
		{"little by header", "UTF-16LE", false, false},
		{"big by header", "utf-16be", true, false},
		{"label utf-16", "utf-16", false, false},
	} {
		for _, src := range []io.Reader{strings.NewReader(enc(doc, c.big, c.bom)), iotest.OneByteReader(strings.NewReader(enc(doc, c.big, c.bom)))} {
			if got := run(t, src, Options{Charset: c.charset, Amend: amend}); got != enc(want, c.big, c.bom) {
				t.Errorf("%s: got %q", c.name, got)
			}
		}
	}
}
