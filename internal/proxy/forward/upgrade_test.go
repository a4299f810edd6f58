package forward

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestEnded(t *testing.T) {
	for _, err := range []error{nil, io.EOF, net.ErrClosed, os.ErrDeadlineExceeded} {
		if got := ended(err); got != nil {
			t.Errorf("%v is told as %v", err, got)
		}
	}
	if odd := errors.New("odd"); ended(odd) != odd {
		t.Error("an odd error is not told")
	}
}

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

// A reset on one side ends the other.
func TestResetEndsBoth(t *testing.T) {
	near, far := pair(t)
	target, end := pair(t)
	tunnel := &Tunnel{nc: target, br: newReader(target)}
	done := make(chan error, 1)
	go func() {
		_, _, err := tunnel.Join(near, new(bytes.Reader))
		done <- err
	}()
	far.SetLinger(0)
	far.Close()
	if _, err := io.ReadAll(end); err != nil && !isReset(err) {
		t.Errorf("the target's side: %v", err)
	}
	end.Close()
	if err := <-done; err != nil {
		t.Errorf("told as %v", err)
	}
}
