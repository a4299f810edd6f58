package facts

import "testing"

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b Finding
		want bool
	}{
		{Finding{"accessibility", "page-has-heading-one"}, Finding{"seo", "h1-missing"}, true},
		{Finding{"seo", "lang-missing"}, Finding{"accessibility", "html-lang-valid"}, true},
		{Finding{"accessibility", "html-has-lang"}, Finding{"accessibility", "html-lang-valid"}, false},
		{Finding{"seo", "meta-refresh"}, Finding{"accessibility", "meta-refresh"}, true},
		{Finding{"seo", "title-missing"}, Finding{"seo", "title-missing"}, false},
		{Finding{"seo", "title-missing"}, Finding{"accessibility", "link-name"}, false},
		{Finding{"seo", "text-thin"}, Finding{"dom", "dom-size"}, false},
	} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %t", c.a, c.b, got)
		}
	}
}
