package forward

import (
	"context"
	"net"
	"net/url"
	"testing"
)

func TestLoopbackPair(t *testing.T) {
	for host, first := range map[string]string{
		"localhost": "127.0.0.1", "LocalHost.": "127.0.0.1", "app.localhost": "127.0.0.1", "127.0.0.1": "127.0.0.1", "::1": "::1",
		"127.0.0.2": "", "example.com": "", "localhost.example.com": "", "::2": "",
	} {
		if got, second, ok := loopbackPair(host); got != first || ok != (first != "") || ok && got == second {
			t.Errorf("%s: %s, %s, %v", host, got, second, ok)
		}
	}
}

// Whichever loopback address a target is said to have and listens on.
func TestDialsBoth(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::1]:0"} {
		ln, err := net.Listen("tcp", listen)
		if err != nil {
			t.Fatal(err)
		}
		defer ln.Close()
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
			d := newDialer()
			for range 2 {
				c, err := d.dial(context.Background(), "tcp", net.JoinHostPort(host, port))
				if err != nil {
					t.Errorf("%s listening on %s: %v", host, listen, err)
					continue
				}
				c.Close()
			}
		}
	}
	if _, err := newDialer().dial(context.Background(), "tcp", "localhost:1"); err == nil {
		t.Error("port 1 answered")
	}
}

func TestHostPort(t *testing.T) {
	for in, want := range map[string]string{
		"http://a": "a:80", "https://a": "a:443", "http://a:3000/x": "a:3000", "https://[::1]": "[::1]:443", "http://[::1]:5": "[::1]:5",
	} {
		u, _ := url.Parse(in)
		if got := hostPort(u); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}
