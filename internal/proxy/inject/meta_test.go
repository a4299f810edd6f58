package inject

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestMetaPolicies(t *testing.T) {
	amend := func(p string) string { return p + "; added" }
	for _, c := range []struct{ name, in, want string }{
		{"quoted", `<meta http-equiv="Content-Security-Policy" content="script-src 'self'">`, `<meta http-equiv="Content-Security-Policy" content="script-src 'self'; added">`},
		{"apostrophes and case", `<META CONTENT='default-src "x"' HTTP-EQUIV=CONTENT-SECURITY-POLICY />`, `<META CONTENT="default-src &#34;x&#34;; added" HTTP-EQUIV=CONTENT-SECURITY-POLICY />`},
		{"unquoted", `<meta http-equiv=content-security-policy content=upgrade>`, `<meta http-equiv=content-security-policy content="upgrade; added">`},
		{"entities", `<meta http-equiv="content-security-policy" content="img-src &quot;a&quot; &amp;">`, `<meta http-equiv="content-security-policy" content="img-src &#34;a&#34; &amp;; added">`},
		{"two", `<meta http-equiv=content-security-policy content="a"><link><meta http-equiv=content-security-policy content="b">`,
			`<meta http-equiv=content-security-policy content="a; added"><link><meta http-equiv=content-security-policy content="b; added">`},
		{"first attribute wins", `<meta http-equiv=content-security-policy content=a content=b>`, `<meta http-equiv=content-security-policy content="a; added" content=b>`},
		{"other meta", `<meta name=csp content="x"><meta http-equiv=refresh content="1">`, ""},
		{"in script", `<script>"<meta http-equiv=content-security-policy content=x>"</script>`, ""},
		{"in comment", `<!--<meta http-equiv=content-security-policy content=x>-->`, ""},
		{"in template", `<template><meta http-equiv=content-security-policy content=x></template>`, ""},
		{"in title", `<title><meta http-equiv=content-security-policy content=x></title>`, ""},
		{"in the body", `</head><body><meta http-equiv=content-security-policy content=x>`, ""},
		{"after text", `hello<meta http-equiv=content-security-policy content=x>`, ""},
		{"after long script", `<script>` + strings.Repeat("a<b;", 9000) + `</script><meta http-equiv=content-security-policy content=x>`,
			`<script>` + strings.Repeat("a<b;", 9000) + `</script><meta http-equiv=content-security-policy content="x; added">`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.in
			}
			doc, want := "<!doctype html><head>"+c.in+"<p>rest", "<!doctype html><head>"+tag+c.want+"<p>rest"
			for _, src := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), iotest.HalfReader(strings.NewReader(doc))} {
				if got := run(t, src, Options{Charset: "utf-8", Amend: amend}); got != want {
					t.Errorf("\n got %q\nwant %q", got, want)
				}
			}
		})
	}
}
