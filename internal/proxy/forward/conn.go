package forward

import (
	"context"
	"io"
	"net"
	"net/http"
)

// Listener accepts browsers' connections as Conns.
type Listener struct{ net.Listener }

// Accept implements net.Listener.
func (l Listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if tcp, ok := nc.(*net.TCPConn); ok {
		return &Conn{TCPConn: tcp}, err
	}
	return nc, err
}

// Conn is a browser's connection. http.Server writes the header and the first
// 4 KB of a body apart from the rest; between hold and release the first write
// waits for the second, and both go out as one: the browser is woken once.
//
// Only the handler writes to it, so nothing is locked.
type Conn struct {
	*net.TCPConn
	holding bool
	held    []byte
}

// maxHeld bounds what waits; http.Server's own buffer is as large.
const maxHeld = 4 << 10

type connKey struct{}

// WithConn is an http.Server's ConnContext: it lets Copy find the connection.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// connOf returns the connection r came by, nil when it is not one of ours.
func connOf(r *http.Request) *Conn {
	if r == nil {
		return nil
	}
	c, _ := r.Context().Value(connKey{}).(*Conn)
	return c
}

// Plain returns the connection below a Conn, between which and another one the
// kernel can move bytes by itself.
func Plain(c net.Conn) net.Conn {
	if own, ok := c.(*Conn); ok {
		return own.TCPConn
	}
	return c
}

func (c *Conn) hold() {
	if c != nil {
		c.holding = true
	}
}

// release sends what is held.
func (c *Conn) release() error {
	if c == nil {
		return nil
	}
	c.holding = false
	return c.flush()
}

func (c *Conn) flush() error {
	if len(c.held) == 0 {
		return nil
	}
	_, err := c.TCPConn.Write(c.held)
	c.held = c.held[:0]
	return err
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	switch {
	case len(c.held) > 0:
		both := net.Buffers{c.held, p}
		n, err := both.WriteTo(c.TCPConn)
		n -= int64(len(c.held))
		c.held = c.held[:0]
		return int(max(0, n)), err
	case c.holding && len(p) <= maxHeld:
		c.held = append(c.held, p...)
		return len(p), nil
	}
	return c.TCPConn.Write(p)
}

// ReadFrom implements io.ReaderFrom; http.Server uses it to send files.
func (c *Conn) ReadFrom(r io.Reader) (int64, error) {
	if err := c.flush(); err != nil {
		return 0, err
	}
	return c.TCPConn.ReadFrom(r)
}
