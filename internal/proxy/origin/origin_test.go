package origin

import "testing"

var (
	local  = Map{Target: Make("http", "localhost:3000"), Proxy: Make("http", "127.0.0.1:4100")}
	secure = Map{Target: Make("https", "www.Shop.example:443"), Proxy: Make("http", "127.0.0.1:4100")}
)

func TestURL(t *testing.T) {
	for _, c := range []struct {
		m        Map
		in, want string
	}{
		{local, "http://localhost:3000/a?b=http://localhost:3000/#c", "http://127.0.0.1:4100/a?b=http://localhost:3000/#c"},
		{local, "HTTP://LOCALHOST:3000", "http://127.0.0.1:4100"},
		{local, "http://localhost:3000?x", "http://127.0.0.1:4100?x"},
		{local, "//localhost:3000/a", "http://127.0.0.1:4100/a"},
		{local, "/a//b", ""},
		{local, "a/b", ""},
		{local, "?next=http://localhost:3000/", ""},
		{local, "", ""},
		{local, "https://localhost:3000/", ""},
		{local, "http://localhost:30001/", ""},
		{local, "http://localhost/", ""},
		{local, "http://127.0.0.1:3000/", ""},
		{local, "http://localhost:3000.evil.example/", ""},
		{local, "http://localhost:3000@evil.example/", ""},
		{local, "http://user@localhost:3000/", ""},
		{local, "mailto:x//localhost:3000", ""},
		{local, "null", ""},
		{secure, "https://www.shop.example/x", "http://127.0.0.1:4100/x"},
		{secure, "https://www.shop.example:443/x", "http://127.0.0.1:4100/x"},
		{secure, "//www.shop.example/x", "http://127.0.0.1:4100/x"},
		{secure, "http://www.shop.example/x", ""},
		{secure, "https://shop.example/", ""},
		{secure.Swap(), "http://127.0.0.1:4100/x", "https://www.shop.example/x"},
	} {
		if c.want == "" {
			c.want = c.in
		}
		if got := c.m.URL(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestInside(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:3000/a":                                    "http://127.0.0.1:4100/a",
		"<http://localhost:3000/a>; rel=x":                           "<http://127.0.0.1:4100/a>; rel=x",
		"<http://localhost:3000>, </b>,<http://localhost:3000?c>":    "<http://127.0.0.1:4100>, </b>,<http://127.0.0.1:4100?c>",
		`{"a":"http://localhost:3000","b":"http://localhost:3000/"}`: `{"a":"http://127.0.0.1:4100","b":"http://127.0.0.1:4100/"}`,
		"<http://localhost:30001/a>":                                 "<http://localhost:30001/a>",
		"<http://localhost:3000.evil.example/>":                      "<http://localhost:3000.evil.example/>",
		"x http://localhost:3000/":                                   "x http://localhost:3000/",
		"</a?b=http://localhost:3000/>":                              "</a?b=http://localhost:3000/>",
		"":                                                           "",
	} {
		if got := local.Inside(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestRefresh(t *testing.T) {
	for in, want := range map[string]string{
		"5":                                   "5",
		"5; url=http://localhost:3000/a":      "5; url=http://127.0.0.1:4100/a",
		"0;URL = 'http://localhost:3000/a;b'": "0;URL = 'http://127.0.0.1:4100/a;b'",
		`1; url="http://localhost:3000"; x`:   `1; url="http://127.0.0.1:4100"; x`,
		"3, http://localhost:3000/":           "3, http://127.0.0.1:4100/",
		"3; url=/a":                           "3; url=/a",
		"3; url=http://other/":                "3; url=http://other/",
		"3; url":                              "3; url",
		"3;":                                  "3;",
	} {
		if got := local.Refresh(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "localhost:80": true, "a.localhost:1": true, "127.0.0.1:4": true, "127.9.9.9": true, "[::1]:4": true, "[::1]": true,
		"192.168.0.1": false, "example.com": false, "localhost.example.com": false, "notlocalhost": false,
	} {
		if got := Make("http", host).Loopback(); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
}

func FuzzURL(f *testing.F) {
	f.Add("http://localhost:3000/a")
	f.Fuzz(func(t *testing.T, ref string) {
		if got := local.Swap().URL(local.URL(ref)); len(got) > len(ref)+64 {
			t.Errorf("%q became %q", ref, got)
		}
		local.Refresh(ref)
		local.Cookie(ref)
	})
}
