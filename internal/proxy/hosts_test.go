package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Names that resolve to this machine, but not by our doing, are refused before
// the target hears of them.
func TestHostCheck(t *testing.T) {
	var asked atomic.Int64
	r := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) },
		func(c *Config) {
			c.PublicURL = &url.URL{Scheme: "https", Host: "Dev.Example"}
			c.Devtool = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
		})
	base := strings.Replace(r.listener.Addr().String(), "http://", "", 1)
	for host, want := range map[string]bool{
		"localhost": true, "localhost:1": true, "LOCALHOST.": true, "127.0.0.1:9": true, "[::1]:9": true, "[::1]": true, "app.localhost": true, "dev.example": true, "dev.example:443": true,
		"evil.example": false, "localhost.evil.example": false, "127.0.0.1.nip.io": false, "192.168.0.1": false, "dev.example.evil": false, "xlocalhost": false, "": false,
	} {
		for _, path := range []string{"/", "/__devtool/x"} {
			before := asked.Load()
			req, _ := http.NewRequest("GET", "http://"+base+path, nil)
			req.Host = host
			if host == "" {
				req.Host = "-"
			}
			c := plain()
			resp, err := c.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			c.CloseIdleConnections()
			if got := resp.StatusCode == 200; got != want || (asked.Load() > before) != want {
				t.Errorf("%q %s: status %d, asked %v", host, path, resp.StatusCode, asked.Load() > before)
			}
		}
	}
}

// Bound to all addresses, any address is one of ours; names still are not.
func TestHostCheckOnAllAddresses(t *testing.T) {
	r := serve(t, func(http.ResponseWriter, *http.Request) {}, func(c *Config) { c.Listen = "0.0.0.0:0" })
	for host, want := range map[string]int{"192.168.7.7:80": 200, "[fe80::1]:80": 200, "evil.example": 403} {
		if got := r.get(t, "/", "Host", host); got.StatusCode != want {
			t.Errorf("%s: %d", host, got.StatusCode)
		}
	}
	if !strings.HasPrefix(r.URL(), "http://127.0.0.1:") {
		t.Errorf("URL %s", r.URL())
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	r := serve(t, func(http.ResponseWriter, *http.Request) {})
	if a := r.listener.Addr().String(); !strings.HasPrefix(a, "127.0.0.1:") {
		t.Errorf("listens on %s", a)
	}
}

func TestAbsoluteForm(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Host + r.RequestURI)) })
	for target, want := range map[string]int{"http://localhost/a?b;c": 200, "http://evil.example/": 403} {
		_, br := r.dial(t, "GET "+target+" HTTP/1.1\nHost: localhost\nConnection: close\n\n")
		resp, err := http.ReadResponse(br, nil)
		if err != nil || resp.StatusCode != want {
			t.Errorf("%s: %v, %v", target, resp, err)
		}
	}
}
