package forward

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// lastWords is how long the other direction of a tunnel may still run after
// one direction has ended.
const lastWords = 30 * time.Second

// Tunnel is a connection to a target that switched protocols. Its bytes are
// nobody's business but the two ends'.
type Tunnel struct {
	nc net.Conn
	br *bufio.Reader
}

// Upgrade sends an upgrade request on a connection of its own. The tunnel is
// nil when the target answered otherwise; that answer is then like one of Do.
func (c *Client) Upgrade(r *Request) (*http.Response, *Tunnel, error) {
	ctx := r.In.Context()
	nc, err := c.dialPlain(ctx)
	if err != nil {
		return nil, nil, err
	}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	resp, br, err := handshake(nc, r, c.host)
	if err != nil {
		stop()
		nc.Close()
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &refusal{ReadCloser: resp.Body, nc: nc, stop: stop}
		return resp, nil, nil
	}
	if !stop() {
		nc.Close()
		return nil, nil, context.Cause(ctx)
	}
	return resp, &Tunnel{nc: nc, br: br}, nil
}

// dialPlain connects for HTTP/1.1, through TLS when the target wants it.
func (c *Client) dialPlain(ctx context.Context) (net.Conn, error) {
	nc, err := c.dialer.dial(ctx, "tcp", c.addr)
	if err != nil || c.scheme != "https" {
		return nc, err
	}
	cfg := c.tls.Clone()
	cfg.NextProtos = []string{"http/1.1"}
	tc := tls.Client(nc, cfg)
	if err := tc.HandshakeContext(ctx); err != nil {
		nc.Close()
		return nil, fmt.Errorf("tls handshake with %s: %w", c.addr, err)
	}
	return tc, nil
}

func handshake(nc net.Conn, r *Request, host string) (*http.Response, *bufio.Reader, error) {
	bw := bufio.NewWriterSize(nc, requestBuffer)
	writeHead(bw, r, host, true)
	if err := bw.Flush(); err != nil {
		return nil, nil, fmt.Errorf("send the upgrade request: %w", err)
	}
	in := &budget{r: nc, left: maxHead}
	br := bufio.NewReaderSize(in, requestBuffer)
	resp, err := readHead(br, r)
	in.left = 1<<63 - 1
	return resp, br, err
}

// refusal is the body of an answer that did not switch.
type refusal struct {
	io.ReadCloser
	nc   net.Conn
	stop func() bool
}

func (b *refusal) Close() error {
	b.stop()
	return b.nc.Close()
}

// Close ends the tunnel's side towards the target.
func (t *Tunnel) Close() error { return t.nc.Close() }

// Join carries bytes both ways until both ends are done, and closes both.
// head is what the client had already sent. The error is nil when the
// connection ended as connections do.
func (t *Tunnel) Join(client net.Conn, head io.Reader) (sent, received int64, err error) {
	up := make(chan error, 1)
	go func() {
		n, e := relay(t.nc, client, head)
		sent = n
		up <- e
	}()
	buffered := io.LimitReader(t.br, int64(t.br.Buffered()))
	received, down := relay(client, t.nc, buffered)
	upErr := <-up
	t.nc.Close()
	client.Close()
	return sent, received, errors.Join(ended(upErr), ended(down))
}

// relay copies head and then src to dst. The end of src is passed on as the
// end of dst; an error ends both at once.
func relay(dst, src net.Conn, head io.Reader) (int64, error) {
	n, err := io.Copy(dst, head)
	if err == nil {
		var m int64
		m, err = io.Copy(dst, src) // between two TCP connections Linux does this without us
		n += m
	}
	if err != nil {
		dst.Close()
		src.Close()
		return n, err
	}
	dst.SetReadDeadline(time.Now().Add(lastWords))
	if half, ok := dst.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
	} else {
		dst.Close()
	}
	return n, nil
}

// ended keeps the errors that tell something: a connection that one side cut
// is how most WebSockets end.
func ended(err error) error {
	var ne net.Error
	switch {
	case err == nil, errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF), isReset(err):
		return nil
	case errors.As(err, &ne) && ne.Timeout():
		return nil
	}
	return err
}
