package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 64 << 10
)

// HTTPServer is a Handler on a listener.
type HTTPServer struct {
	handler  *Handler
	listener net.Listener
}

// ListenHTTP opens the listener, so that the caller can tell people where the
// server is before it serves. Serve must follow.
func ListenHTTP(ctx context.Context, o Options, h HTTPOptions) (*HTTPServer, error) {
	if !h.Remote && !isLoopback(hostName(h.Listen)) {
		return nil, fmt.Errorf("listen on %s: not an address of this machine alone, such as 127.0.0.1:0", h.Listen)
	}
	handler, err := NewHandler(ctx, o, h)
	if err != nil {
		return nil, err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", h.Listen)
	if err != nil {
		handler.Close()
		return nil, fmt.Errorf("listen on %s: %w", h.Listen, err)
	}
	return &HTTPServer{handler: handler, listener: l}, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return (err == nil && ip.Unmap().IsLoopback()) || strings.EqualFold(host, "localhost")
}

// URL is where clients of this machine find the server.
func (s *HTTPServer) URL() string {
	addr := s.listener.Addr().String()
	if host, port, err := net.SplitHostPort(addr); err == nil {
		if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
			addr = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return "http://" + addr + Path
}

// Serve answers until ctx ends, which is a regular end and gives nil. Running
// calls are then cancelled, their answers sent, and streams closed.
func (s *HTTPServer) Serve(ctx context.Context) error {
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		// No limit on the whole of a request or an answer: a stream of events
		// lasts as long as its client.
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(s.listener) }()
	select {
	case err := <-served:
		s.handler.Close()
		return fmt.Errorf("serve %s: %w", s.URL(), err)
	case <-ctx.Done():
	}
	s.handler.Close()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := srv.Shutdown(limit); err != nil {
		_ = srv.Close() // cuts the connections that would not end
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", s.URL(), err)
	}
	return nil
}
