package forward

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"

	"oriel/internal/proxy/relay"
)

// Tunnel is a connection to a target that switched protocols. Its bytes are
// nobody's business but the two ends'.
type Tunnel struct {
	nc     net.Conn
	br     *bufio.Reader
	relays *relay.Group

	mu     sync.Mutex
	pair   *relay.Pair // nil until joined
	closed bool
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
	return resp, &Tunnel{nc: nc, br: br, relays: &c.relays}, nil
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

// Join carries bytes both ways until both ends are done, and closes both.
// head is what the client had already sent. The error is nil when the
// connection ended as connections do.
func (t *Tunnel) Join(client net.Conn, head io.Reader) (sent, received int64, err error) {
	up, err := io.ReadAll(head)
	down, _ := t.br.Peek(t.br.Buffered())
	pair := t.relays.Pair(relay.End{Conn: client, Head: up}, relay.End{Conn: t.nc, Head: down})
	if err != nil || !t.join(pair) {
		pair.Close()
		return 0, 0, err
	}
	sums, err := pair.Run()
	return sums.AToB, sums.BToA, err
}

func (t *Tunnel) join(p *relay.Pair) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pair = p
	return !t.closed
}

// Close ends the tunnel, and with it the client's side once they are joined.
// It may be called at any time.
func (t *Tunnel) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.pair != nil {
		return t.pair.Close()
	}
	return t.nc.Close()
}
