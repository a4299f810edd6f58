package inject

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// Where the quick way answers, it answers as the tokenizer does.
func TestQuickPlaceAgrees(t *testing.T) {
	sure := 0
	docs := []string{
		"<!doctype html><html lang=en><head><title>", "\n<!DOCTYPE HTML>\n<HTML LANG='a>b' class=\"<head>\">\n<HEAD>", `<!doctype html><html a="b"c='d'><head>`,
		`<!doctype html><html a = "b>c"><head>`, `<!doctype html><html a=b"c><head>`, `<!doctype html><html "><head>`, `<!doctype html><htmlx><head>`, `<!doctype html><html/><head>`,
		`<!doctype html><html a='x><head>`, `<!doctype html><html`, "<!doctype html>",
	}
	for _, c := range pages {
		doc, _ := split(c.page)
		docs = append(docs, doc)
	}
	for _, doc := range docs {
		got, ok := quickPlace([]byte(doc))
		if !ok {
			continue
		}
		sure++
		if want, v, _ := place([]byte(doc), true); v != found || got != want {
			t.Errorf("%q: quick %d, tokenizer %d", doc, got, want)
		}
	}
	if sure < 5 {
		t.Errorf("the quick way answered for %d documents only", sure)
	}
}

func FuzzQuickPlace(f *testing.F) {
	f.Add("<!doctype html><html lang=\"a\"><head>")
	f.Fuzz(func(t *testing.T, doc string) {
		doc = "<!doctype html><html" + doc
		if got, ok := quickPlace([]byte(doc)); ok {
			if want, v, _ := place([]byte(doc), true); v != found || got != want {
				t.Errorf("%q: quick %d, tokenizer %d", doc, got, want)
			}
		}
	})
}

func TestQuickHead(t *testing.T) {
	for doc, want := range map[string]bool{
		"<title></title></head><body>": true, "</HEAD><BODY class=x>": true, "<title>": false, "</head>": false, "<body>": false,
		"<meta http-equiv=Content-SECURITY-policy></head><body>": false, "": false, "security-polic</head><body>": true,
	} {
		if got := quickHead([]byte(doc)); got != want {
			t.Errorf("%q: %v", doc, got)
		}
	}
}

func TestWholeDocumentsOnly(t *testing.T) {
	for page, want := range map[string]bool{
		" <!DOCTYPE html><head>": true, "<html><head>": true, "\ufeff<!doctype html>": true, "<div><head></div>": false, "<head>": false, "text": false, "<!-- x --><p>": false, "": false, "<ht": false,
	} {
		for _, src := range []io.Reader{strings.NewReader(page), iotest.OneByteReader(strings.NewReader(page))} {
			got := run(t, src, Options{Whole: true})
			if strings.Contains(got, tag) != want || strings.Replace(got, tag, "", 1) != page {
				t.Errorf("%q became %q", page, got)
			}
		}
	}
}

func BenchmarkDocument(b *testing.B) {
	doc := "<!doctype html>\n<html lang=\"en\"><head><meta charset=utf-8><title>x</title><script src=a></script></head><body>" + strings.Repeat("<p>some words</p>\n", 1000)
	buf := make([]byte, 64<<10)
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader(strings.NewReader(doc), Options{Tag: []byte(tag), Charset: "utf-8", Amend: func(s string) string { return s }})
		for {
			if _, err := r.Read(buf); err != nil {
				break
			}
		}
	}
}
