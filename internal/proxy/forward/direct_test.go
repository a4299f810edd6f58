package forward

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func client(t *testing.T, target string) *Client {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Options{Target: u})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func request(ctx context.Context, method, uri string) *Request {
	r := httptest.NewRequest(method, uri, nil)
	r.Body = http.NoBody
	return &Request{In: r.WithContext(ctx)}
}

func idle(c *Client) int {
	c.direct.mu.Lock()
	defer c.direct.mu.Unlock()
	return len(c.direct.idle)
}

func TestConnectionsAreKeptOnlyInStep(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		read   bool // to the end
		keep   int
	}{
		"length":             {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", true, 1},
		"chunked":            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", true, 1},
		"none":               {"HTTP/1.1 204 No Content\r\n\r\n", true, 1},
		"empty":              {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true, 1},
		"left unread":        {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", false, 0},
		"asked to close":     {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc", true, 0},
		"old":                {"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", true, 0},
		"bytes nobody asked": {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\nevil", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer ln.Close()
			done := make(chan struct{})
			defer close(done)
			go func() {
				nc, err := ln.Accept()
				if err != nil {
					return
				}
				defer nc.Close()
				http.ReadRequest(bufio.NewReader(nc))
				io.WriteString(nc, c.answer)
				<-done
			}()
			cl := client(t, "http://"+ln.Addr().String())
			resp, err := cl.Do(request(context.Background(), "GET", "/"))
			if err != nil {
				t.Fatal(err)
			}
			if c.read {
				if body, err := io.ReadAll(resp.Body); err != nil || len(body) != 0 && string(body) != "abc" {
					t.Errorf("%q, %v", body, err)
				}
			}
			resp.Body.Close()
			if n := idle(cl); n != c.keep {
				t.Errorf("%d connections kept, want %d", n, c.keep)
			}
		})
	}
}

func TestIdleConnectionsAreBoundedAndSwept(t *testing.T) {
	gate := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Add(maxIdle + 20)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waiting.Done()
		<-gate
	}))
	t.Cleanup(s.Close)
	c := client(t, s.URL)
	var wg sync.WaitGroup
	for range maxIdle + 20 {
		wg.Go(func() {
			resp, err := c.Do(request(context.Background(), "GET", "/"))
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body)
		})
	}
	waiting.Wait()
	close(gate)
	wg.Wait()
	if n := idle(c); n != maxIdle {
		t.Errorf("%d idle connections", n)
	}
	c.direct.mu.Lock()
	for _, l := range c.direct.idle[:maxIdle/2] {
		l.since = time.Now().Add(-2 * idleFor)
	}
	c.direct.mu.Unlock()
	c.direct.drop()
	if n := idle(c); n != maxIdle/2 {
		t.Errorf("%d idle connections after the sweep", n)
	}
	c.Close()
	if n := idle(c); n != 0 {
		t.Errorf("%d idle connections after the end", n)
	}
}

// A fresh connection that fails is an answer; only a kept one is tried again.
func TestNoEndlessRetry(t *testing.T) {
	var n atomic.Int64
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			n.Add(1)
			nc.Close()
		}
	}()
	c := client(t, "http://"+ln.Addr().String())
	if _, err := c.Do(request(context.Background(), "GET", "/")); err == nil {
		t.Error("no error")
	}
	if n.Load() != 1 {
		t.Errorf("%d connections were tried", n.Load())
	}
}

func TestRepeatable(t *testing.T) {
	for _, c := range []struct {
		method, body string
		want         bool
	}{{"GET", "", true}, {"HEAD", "", true}, {"OPTIONS", "", true}, {"GET", "x", false}, {"POST", "", false}, {"DELETE", "", false}, {"PUT", "x", false}} {
		r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
		if c.body == "" {
			r.Body, r.ContentLength = http.NoBody, 0
		}
		if got := repeatable(r); got != c.want {
			t.Errorf("%s %q: %v", c.method, c.body, got)
		}
	}
}

func TestCancelEndsTheRead(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "a")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	c := client(t, s.URL)
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := c.Do(request(ctx, "GET", "/"))
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	if _, err := io.ReadFull(resp.Body, b); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the body ended cleanly")
	}
	resp.Body.Close()
	if n := idle(c); n != 0 {
		t.Errorf("%d connections kept", n)
	}
	if _, err := c.Do(request(ctx, "GET", "/")); err == nil {
		t.Error("a cancelled request was answered")
	}
}

// A server that takes its leave with a 408 does not mean the next request.
func TestFarewellIsNoAnswer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	left := make(chan struct{})
	go func() {
		for first := true; ; first = false {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(nc))
			io.WriteString(nc, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			if first {
				io.WriteString(nc, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				close(left)
			}
			defer nc.Close()
		}
	}()
	// Read only what was asked for, so that the farewell waits in the socket.
	c := client(t, "http://"+ln.Addr().String())
	for i := range 2 {
		resp, err := c.Do(request(context.Background(), "GET", "/"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || string(body) != "ok" {
			t.Errorf("request %d: %d %q, %v", i, resp.StatusCode, body, err)
		}
		<-left
	}
}
