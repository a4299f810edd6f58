package proxy

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oriel/internal/journal"
)

// One message of 100 MB goes up and comes back, and the proxy holds next to
// nothing of it. So does one of 10 MB where TLS makes it slower.
func TestWebSocketMessageOf100MB(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		c.SetReadLimit(-1)
		kind, in, err := c.Reader(r.Context())
		if err != nil {
			return
		}
		out, err := c.Writer(r.Context(), kind)
		if err != nil {
			return
		}
		io.Copy(out, in) // as it comes: nobody but the proxy could hold it
		out.Close()
		c.Read(r.Context())
	}
	secure := httptest.NewTLSServer(http.HandlerFunc(echo))
	t.Cleanup(secure.Close)
	bounce(t, serve(t, echo), 100)
	bounce(t, start(t, secure.URL, func(c *Config) { c.InsecureTLS = true }), 10)
}

// bounce sends a message of so many megabytes to where it comes back from.
func bounce(t *testing.T, r *rig, pieces int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, _, err := websocket.Dial(ctx, r.URL()+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	piece := make([]byte, 1<<20)
	rand.Read(piece)
	go func() {
		w, err := c.Writer(ctx, websocket.MessageBinary)
		for range pieces {
			if err != nil {
				return
			}
			_, err = w.Write(piece)
		}
		w.Close()
	}()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, in, err := c.Reader(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(piece))
	for i := range pieces {
		if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, piece) {
			t.Fatalf("other bytes in piece %d: %v", i, err)
		}
	}
	if n, err := in.Read(got); n != 0 || err != io.EOF {
		t.Errorf("%d bytes more, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.TotalAlloc - before.TotalAlloc); grown > 32<<20 {
		t.Errorf("%d MB were allocated for %d", grown>>20, pieces)
	}
	c.Close(websocket.StatusNormalClosure, "")
	end := r.log.wait(t, func(e journal.Entry) bool { return e.WebSocket != nil && e.WebSocket.Closed }).WebSocket
	if least := int64(pieces) << 20; end.Sent < least || end.Received < least || end.Error != "" {
		t.Errorf("recorded %+v", end)
	}
}

// A thousand open sockets: each gets its own bytes, all are counted, and
// closing the proxy ends and records every one.
func TestThousandSocketsAndClose(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n%s", r.URL.Path)
		io.Copy(c, rw)
	})
	const many = 1000
	conns := make([]net.Conn, many)
	for i := range conns {
		c, br := r.dial(t, fmt.Sprintf("GET /%04d HTTP/1.1\nHost: localhost\nConnection: Upgrade\nUpgrade: raw\n\n", i))
		if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != 101 {
			t.Fatalf("%d: %v, %v", i, resp, err)
		}
		io.WriteString(c, strings.Repeat(fmt.Sprintf("%04d", i), 3))
		got := make([]byte, 5+12)
		if _, err := io.ReadFull(br, got); err != nil || string(got) != fmt.Sprintf("/%04d%04[1]d%04[1]d%04[1]d", i) {
			t.Fatalf("%d: %q, %v", i, got, err)
		}
		conns[i] = c
	}
	if s := r.Stats(); s.WebSockets != many {
		t.Errorf("%d are counted", s.WebSockets)
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for i, c := range conns {
		if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Fatalf("%d lives on", i)
		}
	}
	closed := 0
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	for _, e := range r.log.all {
		if w := e.WebSocket; w != nil && w.Closed {
			closed++
			if w.Sent != 12 || w.Received != 17 || w.Error != "" {
				t.Errorf("recorded %+v", w)
			}
		}
	}
	if closed != many || r.Stats().WebSockets != 0 {
		t.Errorf("%d ends were recorded, %+v", closed, r.Stats())
	}
}
