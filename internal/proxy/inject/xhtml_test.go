package inject

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestXHTML(t *testing.T) {
	own := string(Tag{Src: "/__devtool/a.js"}.Render("", true))
	for _, c := range []struct{ name, page string }{
		{"plain", `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>|<title>x</title></head><body/></html>`},
		{"internal subset", `<!DOCTYPE html [ <!ENTITY a "<head>"> ]><html xmlns="http://www.w3.org/1999/xhtml"><head>|<title>&a;</title></head></html>`},
		{"other encoding", `<?xml version="1.0" encoding="iso-8859-1"?><html xmlns="http://www.w3.org/1999/xhtml"><head>|</head></html>`},
		{"prefix", `<h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head>|<h:title>x</h:title></h:head></h:html>`},
		{"no head", `<html xmlns="http://www.w3.org/1999/xhtml">|<body></body></html>`},
		{"empty head", `<html xmlns="http://www.w3.org/1999/xhtml">|<head/><body/></html>`},
		{"comment", `<!-- <head> --><html xmlns="http://www.w3.org/1999/xhtml"><!-- <head> --><head>|</head></html>`},
		{"cdata", `<html xmlns="http://www.w3.org/1999/xhtml"><head>|<script><![CDATA[ <head> ]]></script></head></html>`},
		{"not html", `<svg xmlns="http://www.w3.org/2000/svg"><head/></svg>`},
		{"empty root", `<html xmlns="http://www.w3.org/1999/xhtml"/>`},
		{"upper case is another element", `<HTML xmlns="http://www.w3.org/1999/xhtml"><HEAD/></HTML>`},
		{"empty", ``},
	} {
		doc := strings.Replace(c.page, "|", "", 1)
		want := strings.Replace(c.page, "|", own, 1)
		for _, src := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc))} {
			got := run(t, src, Options{Tag: []byte(own), XML: true})
			if got != want {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got, want)
			}
			d := xml.NewDecoder(strings.NewReader(got))
			d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
			d.Entity = map[string]string{"a": "x"}
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s: not well-formed any more: %v", c.name, err)
					break
				}
			}
		}
	}
}
