package forward

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// dialer connects to the target. A target on this machine is tried on both
// loopback addresses: dev servers that listen on "localhost" take 127.0.0.1 or
// ::1, whichever their runtime prefers, and their users cannot tell.
type dialer struct {
	net  net.Dialer
	good atomic.Int32 // index into the loopback candidates that answered last
}

func newDialer() *dialer {
	return &dialer{net: net.Dialer{Timeout: 10 * time.Second}}
}

func (d *dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	first, second, loopback := loopbackPair(host)
	if !loopback {
		return d.net.DialContext(ctx, network, addr)
	}
	pair := [2]string{first, second}
	i := d.good.Load()
	nc, err := d.net.DialContext(ctx, network, net.JoinHostPort(pair[i], port))
	if err == nil {
		return nc, nil
	}
	nc, err2 := d.net.DialContext(ctx, network, net.JoinHostPort(pair[1-i], port))
	if err2 == nil {
		d.good.Store(1 - i)
		return nc, nil
	}
	return nil, errors.Join(err, err2)
}

// loopbackPair returns both loopback addresses, the named one first.
func loopbackPair(host string) (first, second string, ok bool) {
	const v4, v6 = "127.0.0.1", "::1"
	switch lower := strings.ToLower(strings.TrimSuffix(host, ".")); {
	case lower == v6:
		return v6, v4, true
	case lower == v4, lower == "localhost", strings.HasSuffix(lower, ".localhost"):
		return v4, v6, true
	}
	return "", "", false
}

// hostPort is what to dial for a URL.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
