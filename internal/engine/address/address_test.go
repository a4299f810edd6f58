package address

import (
	"net/url"
	"slices"
	"testing"
)

func TestPortsStay(t *testing.T) {
	a, again, b, other := Ports("/p", "a"), Ports("/p", "a"), Ports("/p", "b"), Ports("/q", "a")
	if !slices.Equal(a, again) {
		t.Errorf("%v, then %v", a, again)
	}
	if a[0] == b[0] || a[0] == other[0] {
		t.Errorf("one port for two: %d, %d, %d", a[0], b[0], other[0])
	}
	if len(a) != try+1 || a[try] != 0 {
		t.Errorf("the last resort is missing: %v", a)
	}
	for _, port := range a[:try] {
		if port < base || port >= base+span {
			t.Errorf("port %d is out of range", port)
		}
	}
}

func TestTarget(t *testing.T) {
	for text, want := range map[string]string{
		"3000": "http://localhost:3000", ":3000": "http://localhost:3000", "localhost:3000": "http://localhost:3000",
		"http://localhost:3000/": "http://localhost:3000", "https://dev.example": "https://dev.example",
		"http://localhost:3000/a?b#c": "http://localhost:3000",
		"":                            "", "ftp://x": "", "http://": "", "http://a b": "", "://": "",
	} {
		u, err := Target(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q became %s", text, u)
			}
			continue
		}
		if err != nil || u.String() != want {
			t.Errorf("%q became %v, %v; want %s", text, u, err, want)
		}
	}
}

func TestLoops(t *testing.T) {
	for text, want := range map[string]bool{
		"http://localhost:20000": true, "http://127.0.0.1:20000": true, "http://[::1]:20000": true,
		"http://localhost:20001": false, "http://10.0.0.1:20000": false, "http://localhost": false,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if Loops(u, 20000) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if u, _ := url.Parse("http://localhost:0"); Loops(u, 0) {
		t.Error("any port is nobody's")
	}
}
