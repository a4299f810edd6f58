//go:build !windows

package forward

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sender makes a request with a body as a browser's reaches the proxy.
func sender(t *testing.T, method string, body io.Reader, length int64) *Request {
	r := request(t.Context(), method, "/x")
	r.In.Body, r.In.ContentLength = io.NopCloser(body), length
	return r
}

func TestSmallBodies(t *testing.T) {
	var conns atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Length", strings.Join(r.Header["Content-Length"], ",")+"/"+r.Method)
		w.Write(b)
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	c := client(t, srv.URL)
	for _, n := range []int{1, 13, 5000, maxSmall} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "GET", "REPORT"} {
			body := bytes.Repeat([]byte("z"), n)
			resp, err := c.Do(sender(t, method, bytes.NewReader(body), int64(n)))
			if err != nil {
				t.Fatal(method, n, err)
			}
			got, err := io.ReadAll(resp.Body)
			if !bytes.Equal(got, body) || err != nil {
				t.Errorf("%s %d: %d bytes, %v", method, n, len(got), err)
			}
			resp.Body.Close()
		}
	}
	if conns.Load() != 1 {
		t.Errorf("%d connections", conns.Load())
	}
	for method, want := range map[string]string{"POST": "0/POST", "DELETE": "/DELETE"} {
		resp, err := c.Do(sender(t, method, http.NoBody, 0))
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("X-Length"); got != want {
			t.Errorf("%s: %.40q", method, got)
		}
		resp.Body.Close()
	}
}

// A connection that the target closed while it was idle is not used for what
// must not be sent twice.
func TestSmallBodyOnAClosedConnection(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	closed := make(chan struct{}, 10)
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(nc)); err == nil {
				io.Copy(io.Discard, r.Body)
				io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
			nc.Close()
			closed <- struct{}{}
		}
	}()
	c := client(t, "http://"+ln.Addr().String())
	for i := range 4 {
		resp, err := c.Do(sender(t, "POST", strings.NewReader("abc"), 3))
		if err != nil {
			t.Fatal(i, err)
		}
		if got, _ := io.ReadAll(resp.Body); string(got) != "ok" {
			t.Errorf("%s", got)
		}
		resp.Body.Close()
		<-closed
		await(t, func() bool { return idle(c) == 0 || !c.direct.idle[0].alive() })
	}
}

func await(t *testing.T, f func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); !f(); {
		if time.Now().After(end) {
			t.Fatal("waited in vain")
		}
	}
}

// A target that took the request and died gets it once, also when the
// connection had served before; a question may be asked again.
func TestSmallBodyIsSentOnce(t *testing.T) {
	for method, want := range map[string]int32{"POST": 1, "GET": 2} {
		var seen atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/x" && seen.Add(1) > 0 {
				panic(http.ErrAbortHandler)
			}
		}))
		c := client(t, srv.URL)
		resp, err := c.Do(request(t.Context(), "GET", "/warm"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		r := request(t.Context(), method, "/x")
		if method == "POST" {
			r = sender(t, method, strings.NewReader("abc"), 3)
		}
		if resp, err = c.Do(r); err == nil {
			resp.Body.Close()
			t.Errorf("%s: an answer: %s", method, resp.Status)
		}
		if seen.Load() != want {
			t.Errorf("%s: sent %d times", method, seen.Load())
		}
		srv.Close()
	}
}

func TestSmallBodyCutShort(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("half a request was sent") }))
	defer srv.Close()
	_, err := client(t, srv.URL).Do(sender(t, "POST", strings.NewReader("ab"), 3))
	if !errors.Is(err, ErrClient) {
		t.Errorf("%v", err)
	}
}

func TestSmall(t *testing.T) {
	for _, c := range []struct {
		length int64
		expect string
		want   bool
	}{{0, "", true}, {maxSmall, "", true}, {maxSmall + 1, "", false}, {-1, "", false}, {3, "100-continue", false}} {
		r := &http.Request{Method: "POST", ContentLength: c.length, Header: http.Header{}}
		if c.expect != "" {
			r.Header.Set("Expect", c.expect)
		}
		if got := small(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
