package forward

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"oriel/internal/proxy/relay"
)

func TestUpgradeAndRefusal(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			http.Error(w, "no", 400)
			return
		}
		nc, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer nc.Close()
		io.WriteString(nc, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nfirst,")
		io.Copy(nc, rw)
	}))
	t.Cleanup(s.Close)
	c := client(t, s.URL)
	ask := func(path string) *Request {
		r := request(context.Background(), "GET", path)
		r.In.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"x"}}
		return r
	}
	resp, tunnel, err := c.Upgrade(ask("/no"))
	if err != nil || tunnel != nil || resp.StatusCode != 400 {
		t.Fatalf("%v %v %v", resp, tunnel, err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "no\n" {
		t.Errorf("%q", body)
	}
	resp.Body.Close()
	resp, tunnel, err = c.Upgrade(ask("/yes"))
	if err != nil || resp.StatusCode != 101 {
		t.Fatal(err)
	}
	near, far := pair(t)
	go func() {
		io.WriteString(far, "second")
		far.CloseWrite()
	}()
	type sums struct {
		sent, received int64
		err            error
	}
	done := make(chan sums, 1)
	go func() {
		a, b, err := tunnel.Join(near, strings.NewReader("head,"))
		done <- sums{a, b, err}
	}()
	all, _ := io.ReadAll(far)
	if string(all) != "first,head,second" {
		t.Errorf("%q", all)
	}
	if got := <-done; got != (sums{11, 17, nil}) {
		t.Errorf("%+v", got)
	}
}

// pair returns two ends of a TCP connection.
func pair(t *testing.T) (*net.TCPConn, *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	a, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

// Close ends a tunnel whether it is joined yet or not.
func TestTunnelClose(t *testing.T) {
	for _, early := range []bool{true, false} {
		near, far := pair(t)
		target, end := pair(t)
		tunnel := &Tunnel{nc: target, br: newReader(target), relays: new(relay.Group)}
		if early {
			tunnel.Close()
		}
		done := make(chan error, 1)
		go func() {
			_, _, err := tunnel.Join(near, strings.NewReader("head"))
			done <- err
		}()
		if !early {
			if _, err := io.ReadFull(end, make([]byte, 4)); err != nil {
				t.Fatal(err)
			}
			tunnel.Close()
		}
		if err := <-done; err != nil {
			t.Errorf("told as %v", err)
		}
		for _, c := range []net.Conn{far, end} {
			if _, err := c.Read(make([]byte, 1)); err == nil {
				t.Error("still open")
			}
		}
	}
}
