package forward

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// counted counts the reads that bring something.
type counted struct {
	net.Conn
	reads int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.reads++
	}
	return n, err
}

func linked(t *testing.T) (browser *counted, server *Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	nc, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Listener{ln}.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close(); got.Close() })
	return &counted{Conn: nc}, got.(*Conn)
}

func TestConnHolds(t *testing.T) {
	browser, server := linked(t)
	server.hold()
	for _, s := range []string{"head ", "body "} {
		if n, err := server.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	buf := make([]byte, 100)
	if n, _ := browser.Read(buf); string(buf[:n]) != "head body " {
		t.Errorf("one read brought %q", buf[:n])
	}
	server.Write([]byte("alone")) // still holding, nothing follows
	if err := server.release(); err != nil {
		t.Fatal(err)
	}
	if n, _ := browser.Read(buf); string(buf[:n]) != "alone" {
		t.Errorf("%q", buf[:n])
	}
	server.hold()
	server.Write([]byte("first "))
	if n, err := server.ReadFrom(strings.NewReader("file")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	server.release()
	if err := server.release(); err != nil {
		t.Error("a second release", err)
	}
	server.hold()
	server.Write([]byte(strings.Repeat("x", maxHeld+1))) // too much to hold
	server.TCPConn.CloseWrite()
	all, _ := io.ReadAll(browser)
	if string(all) != "first file"+strings.Repeat("x", maxHeld+1) {
		t.Errorf("%d bytes: %.20q", len(all), all)
	}
	if Plain(server) != net.Conn(server.TCPConn) || Plain(browser) != net.Conn(browser) {
		t.Error("the plain connection")
	}
}

// A page and its header reach the browser together, whatever their size, and
// the next answer on the connection is in step.
func TestConnInServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("y", 20_000)
	srv := &http.Server{ConnContext: WithConn, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if connOf(r) == nil {
			t.Error("no connection")
		}
		w.Header().Set("Content-Length", "20000")
		if _, err := Copy(w, r, &whole{[][]byte{[]byte(body[:100]), []byte(body[100:])}}); err != nil {
			t.Error(err)
		}
	})}
	go srv.Serve(Listener{ln})
	t.Cleanup(func() { srv.Close() })
	for range 3 {
		resp, err := http.Get("http://" + ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != body {
			t.Errorf("%d bytes", len(got))
		}
	}
}

// whole is a body that is all at hand.
type whole struct{ pieces [][]byte }

func (w *whole) Pieces() ([][]byte, bool) { return w.pieces, true }
func (w *whole) Buffered() int            { return len(w.pieces) }
func (w *whole) Read([]byte) (int, error) { return 0, io.EOF }
