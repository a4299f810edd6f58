package origin

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"testing"
)

func TestHosts(t *testing.T) {
	bound := &net.TCPAddr{IP: net.IPv4(192, 168, 0, 9), Port: 4100}
	h := NewHosts(bound, "devbox:4100", &url.URL{Scheme: "https", Host: "dev.example"})
	for host, want := range map[string]bool{
		"devbox:4100": true, "192.168.0.9:4100": true, "localhost:4100": true, "dev.example": true, "192.168.0.10:4100": false, "other": false,
	} {
		if h.Allow(host) != want {
			t.Errorf("%s: %v", host, !want)
		}
	}
	for _, c := range []struct {
		host string
		tls  bool
		want string
	}{
		{"Dev.example", false, "https://dev.example"}, {"localhost:4100", false, "http://localhost:4100"}, {"localhost:4100", true, "https://localhost:4100"}, {"127.0.0.1:80", false, "http://127.0.0.1"},
	} {
		r := &http.Request{Host: c.host}
		if c.tls {
			r.TLS = new(tls.ConnectionState)
		}
		if got := h.Of(r).String(); got != c.want {
			t.Errorf("%s: %s", c.host, got)
		}
	}
}
