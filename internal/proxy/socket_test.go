package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oriel/internal/journal"
)

// echoServer answers with what it gets; "bye" makes it close with a code.
func echoServer(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.Header().Set("X-Why", "no")
			http.Error(w, "not here", http.StatusForbidden)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b", Domain: "127.0.0.1"})
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"vite-hmr", "chat"}, CompressionMode: websocket.CompressionContextTakeover})
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(-1)
		for {
			kind, data, err := c.Read(r.Context())
			if err != nil {
				return
			}
			if string(data) == "bye" {
				c.Close(4321, "so long")
				return
			}
			if c.Write(r.Context(), kind, data) != nil {
				return
			}
		}
	}
}

func dialWS(t *testing.T, r *rig, path string) *websocket.Conn {
	t.Helper()
	// The Origin is the proxy's; the target takes only its own.
	c, resp, err := websocket.Dial(context.Background(), r.URL()+path, &websocket.DialOptions{
		Subprotocols: []string{"chat", "x"}, HTTPHeader: http.Header{"Origin": {r.URL()}}, CompressionMode: websocket.CompressionContextTakeover,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.CloseNow() })
	c.SetReadLimit(-1)
	if ext := resp.Header.Get("Sec-WebSocket-Extensions"); !strings.Contains(ext, "permessage-deflate") {
		t.Errorf("extensions %q", ext)
	}
	return c
}

func testSocket(t *testing.T, r *rig) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c := dialWS(t, r, "/hmr?token=s3cret")
	if c.Subprotocol() != "chat" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	noise := make([]byte, 2<<20)
	rand.Read(noise)
	for _, msg := range [][]byte{[]byte("hi"), {}, bytes.Repeat([]byte("abc"), 100_000), noise} {
		go c.Write(ctx, websocket.MessageBinary, msg)
		_, got, err := c.Read(ctx)
		if err != nil || !bytes.Equal(got, msg) {
			t.Fatalf("%d bytes came back as %d, %v", len(msg), len(got), err)
		}
	}
	open := r.log.wait(t, func(e journal.Entry) bool { return e.WebSocket != nil && !e.WebSocket.Closed })
	if w := open.WebSocket; w.URL != "/hmr?token=[redacted]" || w.Protocol != "chat" {
		t.Errorf("opening %+v", w)
	}
	if s := r.Stats(); s.WebSockets != 1 {
		t.Errorf("stats %+v", s)
	}
	c.Write(ctx, websocket.MessageText, []byte("bye"))
	_, _, err := c.Read(ctx)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != 4321 || closed.Reason != "so long" {
		t.Errorf("closed with %v", err)
	}
	end := r.log.wait(t, func(e journal.Entry) bool { return e.WebSocket != nil && e.WebSocket.Closed }).WebSocket
	if end.Sent < 2<<20 || end.Received < 2<<20 || end.Duration <= 0 || end.Error != "" || end.URL != "/hmr?token=[redacted]" {
		t.Errorf("end %+v", end)
	}
}

func TestWebSocket(t *testing.T) { testSocket(t, serve(t, echoServer(t))) }

func TestWebSocketOverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(echoServer(t))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	testSocket(t, start(t, s.URL, func(c *Config) { c.InsecureTLS = true }))
}

func TestWebSocketRefused(t *testing.T) {
	r := serve(t, echoServer(t))
	_, resp, err := websocket.Dial(context.Background(), r.URL()+"/no", nil)
	if err == nil || resp == nil || resp.StatusCode != 403 || resp.Header.Get("X-Why") != "no" {
		t.Errorf("%v, %v", resp, err)
	}
	if e := r.log.http(t, "/no"); e.Status != 403 || string(e.ResponseBody.Data) != "not here\n" {
		t.Errorf("recorded %+v", e)
	}
	_, resp, err = websocket.Dial(context.Background(), r.URL()+"/x", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"http://evil.example"}}})
	if err == nil || resp.StatusCode != 403 {
		t.Errorf("a foreign origin got in: %v", err)
	}
}

func TestWebSocketTargetDown(t *testing.T) {
	r := start(t, "http://127.0.0.1:1")
	_, resp, err := websocket.Dial(context.Background(), r.URL()+"/x", nil)
	if err == nil || resp.StatusCode != 502 {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestCloseEndsWebSockets(t *testing.T) {
	r := serve(t, echoServer(t))
	c := dialWS(t, r, "/a")
	ended := make(chan error, 1)
	go func() {
		_, _, err := c.Read(context.Background())
		ended <- err
	}()
	r.log.wait(t, func(e journal.Entry) bool { return e.WebSocket != nil })
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the socket lives on")
	}
	if n := len(r.log.all); !r.log.all[n-1].WebSocket.Closed {
		t.Error("no end was recorded when Close returned")
	}
}

// Bytes that the client sent right behind its request are the tunnel's.
func TestEarlyBytesAndHalfClose(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\nX-Y: z\r\n\r\nhello ", r.Header.Get("Upgrade"))
		data, _ := io.ReadAll(rw)
		c.Write(bytes.ToUpper(data)) // after the client's half was closed
	})
	c, br := r.dial(t, "GET / HTTP/1.1\nHost: localhost\nConnection: keep-alive, Upgrade\nUpgrade: raw/1\n\nearly")
	io.WriteString(c, " late")
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "raw/1" || resp.Header.Get("X-Y") != "z" {
		t.Fatalf("%v, %v", resp, err)
	}
	c.(interface{ CloseWrite() error }).CloseWrite()
	rest, err := io.ReadAll(br)
	if err != nil || string(rest) != "hello EARLY LATE" {
		t.Errorf("%q, %v", rest, err)
	}
}
