// Package forward carries a browser's request to the target and hands back
// the target's answer, as it comes and unread.
//
// Two ways lead to a target. Requests that have no body or a short one (nearly
// all of what a browser sends) go over a connection that the calling
// goroutine writes and reads itself: no goroutine is woken twice per request,
// no header is copied, and a large file never passes through the process's own
// memory. Everything else, and every https target, goes over http.Transport.
package forward

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"oriel/internal/proxy/relay"
)

// Options say where requests go.
type Options struct {
	Target      *url.URL // scheme and host; path and query are not used
	InsecureTLS bool     // accept any certificate of an https target
}

// Client reaches one target. It is safe for concurrent use.
type Client struct {
	scheme string
	host   string // as the Host header says it
	addr   string // host:port to dial
	dialer *dialer
	tls    *tls.Config
	direct *pool // nil for https targets
	std    *http.Transport
	relays relay.Group
}

// New returns a client for the target. It does not connect.
func New(o Options) (*Client, error) {
	t := o.Target
	if t == nil || t.Hostname() == "" || (t.Scheme != "http" && t.Scheme != "https") {
		return nil, fmt.Errorf("forward to %v: the target must be an http or https URL with a host", t)
	}
	c := &Client{scheme: t.Scheme, host: t.Host, addr: hostPort(t), dialer: newDialer()}
	c.tls = &tls.Config{ServerName: t.Hostname(), InsecureSkipVerify: o.InsecureTLS}
	c.std = newTransport(c)
	if c.scheme == "http" {
		c.direct = newPool(func(ctx context.Context) (net.Conn, error) {
			return c.dialer.dial(ctx, "tcp", c.addr)
		})
	}
	return c, nil
}

// Request is what a browser sent and how it differs when the target gets it.
type Request struct {
	In   *http.Request
	Body io.ReadCloser // instead of In.Body when not nil
	Set  []Field       // these replace the browser's headers of the same name
	Info func(status int, h http.Header)
}

// Field is a header with a canonical name. An empty value leaves it out.
type Field struct{ Name, Value string }

// override returns the replacement of a header, and whether there is one.
func (r *Request) override(name string) bool {
	for i := range r.Set {
		if r.Set[i].Name == name {
			return true
		}
	}
	return false
}

// Do sends the request and returns the answer as soon as its header is there.
// The body must be read to its end or closed. Interim answers (1xx, but 100)
// go to Info first. Cancelling the request's context ends both.
func (c *Client) Do(r *Request) (*http.Response, error) {
	switch {
	case c.direct == nil:
	case repeatable(r.In):
		return c.direct.do(r, c.host, nil, true)
	case canProbe && small(r.In):
		return c.doSmall(r)
	}
	return c.doStd(r)
}

// repeatable says whether nothing is lost when the request is sent again
// because a kept connection turned out to be dead.
func repeatable(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return r.ContentLength == 0 && (r.Body == nil || r.Body == http.NoBody)
	}
	return false
}

// Up says whether something accepts connections at the target.
func (c *Client) Up(ctx context.Context) error {
	nc, err := c.dialer.dial(ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	return nc.Close()
}

// Close ends idle connections. Requests under way end with their contexts.
func (c *Client) Close() {
	c.std.CloseIdleConnections()
	if c.direct != nil {
		c.direct.close()
	}
}
