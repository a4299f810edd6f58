package origin

import "testing"

func TestCookie(t *testing.T) {
	lan := Map{Target: secure.Target, Proxy: Make("http", "192.168.0.9:4100")}
	same := Map{Target: Make("http", "localhost:3000"), Proxy: Make("http", "localhost:4100")}
	for _, c := range []struct {
		name     string
		m        Map
		in, want string
	}{
		{"plain", local, "a=b; Path=/; HttpOnly; SameSite=Lax", ""},
		{"odd spacing stays", local, "a=b;Path=/ ;  Expires=Wed, 21 Oct 2026 07:28:00 GMT;Max-Age=3", ""},
		{"value with equals and quotes", local, `a="b=c, d"; Path=/`, ""},
		{"target's domain", local, "a=b; Domain=localhost; Path=/", "a=b; Path=/"},
		{"same host name keeps it", same, "a=b; Domain=localhost", ""},
		{"dotted parent", secure, "a=b; domain=.shop.example; Path=/x", "a=b; Path=/x"},
		{"other domain", secure, "a=b; Domain=other.example", ""},
		{"not a parent", secure, "a=b; Domain=hop.example", ""},
		{"secure to http", secure, "a=b; Secure; HttpOnly", "a=b; HttpOnly"},
		{"secure of an http target", local, "a=b; Secure", ""},
		{"none needs secure", secure, "a=b; SameSite=None; Secure", ""},
		{"partitioned needs secure", secure, "a=b; Secure; Partitioned", ""},
		{"__Host-", secure, "__Host-a=b; Secure; Path=/", ""},
		{"__Secure- and domain", secure, "__Secure-a=b; Secure; Domain=shop.example", "__Secure-a=b; Secure"},
		{"not on loopback", lan, "a=b; SameSite=None; Secure; Path=/", "a=b; Path=/"},
		{"strict not on loopback", lan, "a=b; SameSite=Strict; Secure", "a=b; SameSite=Strict"},
		{"secure in the value", secure, "secure=secure; Path=/", ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if got := c.m.Cookie(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
