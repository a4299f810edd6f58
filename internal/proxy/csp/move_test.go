package csp

import (
	"testing"

	"oriel/internal/proxy/origin"
)

func TestMove(t *testing.T) {
	m := origin.Map{Target: origin.Make("https", "shop.example"), Proxy: origin.Make("http", "127.0.0.1:4100")}
	for _, c := range []struct{ in, want string }{
		{"script-src https://shop.example", "script-src https://shop.example http://127.0.0.1:4100"},
		{"script-src shop.example:443/js/ 'self'", "script-src shop.example:443/js/ 'self' http://127.0.0.1:4100/js/"},
		{"connect-src wss://shop.example", "connect-src wss://shop.example ws://127.0.0.1:4100"},
		{"script-src https://cdn.shop.example", ""},
		{"script-src http://shop.example", ""},
		{"script-src https://shop.example:8443", ""},
		{"img-src *.shop.example; report-uri https://shop.example/r", ""},
		{"default-src 'self'", ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		in := []string{c.in}
		if got := Move(in, m); got[0] != c.want {
			t.Errorf("\n got %s\nwant %s", got[0], c.want)
		}
		if in[0] != c.in {
			t.Error("the argument was changed")
		}
	}
}
