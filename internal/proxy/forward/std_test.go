package forward

import (
	"net/http"
	"net/url"
	"testing"
)

func TestOutURL(t *testing.T) {
	c := client(t, "http://target:1")
	for _, target := range []string{"/", "/a?b;c", "/%2F%zz?", "//a/b?c", "//a%2Fb", "/?", "*", "/a#b"} {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			u = &url.URL{Path: target}
		}
		out := c.outURL(&http.Request{RequestURI: target, URL: u})
		if got := out.RequestURI(); got != target || out.Host != "target:1" {
			t.Errorf("%s became %s at %s", target, got, out.Host)
		}
	}
}
