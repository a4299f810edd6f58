package inject

import (
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for _, c := range []struct {
		name  string
		tag   Tag
		nonce string
		xml   bool
		want  string
	}{
		{"none", Tag{}, "n", false, ""},
		{"plain", Tag{Src: "/a.js"}, "", false, `<script src="/a.js"></script>`},
		{"all", Tag{Src: "/a.js?x=1&y", Attrs: []Attr{{"data-id", `a"b<c>`}}}, "n0+/=", false,
			`<script src="/a.js?x=1&amp;y" data-id="a&#34;b&lt;c&gt;" nonce="n0+/="></script>`},
		{"xml", Tag{Src: "/a.js"}, "", true, `<script xmlns="http://www.w3.org/1999/xhtml" src="/a.js"></script>`},
		{"not ASCII", Tag{Src: "/ä.js"}, "", false, ""},
		{"new line", Tag{Src: "/a\n.js"}, "", false, ""},
		{"too long", Tag{Src: "/" + strings.Repeat("a", MaxTag)}, "", false, ""},
		{"long nonce", Tag{Src: "/a.js"}, strings.Repeat("n", MaxTag), false, `<script src="/a.js" nonce="` + strings.Repeat("n", MaxTag) + `"></script>`},
	} {
		if got := string(c.tag.Render(c.nonce, c.xml)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestNoInline(t *testing.T) {
	tag := Tag{Src: "/a.js", Attrs: []Attr{{"data-k", "v"}}, NoInline: "data-f"}
	if got := string(tag.For(true).Render("", false)); got != `<script src="/a.js" data-k="v"></script>` {
		t.Errorf("%s", got)
	}
	if got := string(tag.For(false).Render("n", false)); got != `<script src="/a.js" data-k="v" data-f="" nonce="n"></script>` {
		t.Errorf("%s", got)
	}
	if len(tag.Attrs) != 1 {
		t.Error("the tag itself was changed")
	}
}
