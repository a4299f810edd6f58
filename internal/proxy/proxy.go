// Package proxy is one listener before one target. It forwards everything a
// browser sends, puts one script tag into documents, and tells what passed.
//
// An exchange runs through a short ordered list of stages (stages.go): record,
// origin, policy, html. Each may change the request before it leaves and the
// answer before it is written; what moves the bytes is package forward.
//
// What the target sees: its own Host, and its own origin in Origin and Referer
// where the browser named the proxy's. No X-Forwarded-* or Forwarded header is
// added, and those that say host or scheme are taken out: a framework that
// compares them with Origin, or builds URLs from them, must find one story,
// and the story is that the browser talks to the target itself.
package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"oriel/internal/journal"
	"oriel/internal/proxy/forward"
	"oriel/internal/proxy/inject"
	"oriel/internal/proxy/origin"
	"oriel/internal/proxy/redact"
)

// Prefix is the path that belongs to the proxy itself. Requests under it are
// neither forwarded nor recorded.
const Prefix = "/__devtool/"

// DefaultBodyLimit is how much of a body is kept when Config does not say.
const DefaultBodyLimit = 16 << 10

// headerTimeout is how long a browser may take to send a request's header.
var headerTimeout = 20 * time.Second

// Tag is the script element put into documents.
type Tag = inject.Tag

// Attr is an attribute of a Tag.
type Attr = inject.Attr

// Config describes one proxy.
type Config struct {
	ID          string   // goes into every entry
	Target      *url.URL // http or https; only scheme and host count
	Listen      string   // host:port; "" is 127.0.0.1:0
	InsecureTLS bool     // accept any certificate of the target
	PublicURL   *url.URL // where browsers reach the proxy, when something stands before it
	BodyLimit   int64    // bytes kept of a body; 0 is DefaultBodyLimit, negative none
	Redact      []string // further names whose values are secrets; '*' matches anything

	// Record gets one entry per exchange, and one each when a WebSocket opens
	// and closes. It is called by many goroutines and must not block.
	Record func(journal.Entry)
	// Devtool serves the paths under Prefix.
	Devtool http.Handler
	// Tag says what goes into the document that r asks for.
	Tag func(r *http.Request) Tag
}

// BusyError says that the port asked for is taken.
type BusyError struct {
	Port int
	Err  error
}

func (e *BusyError) Error() string { return fmt.Sprintf("port %d is already in use", e.Port) }

// Unwrap returns the system's error.
func (e *BusyError) Unwrap() error { return e.Err }

// Stats counts what passed since the start.
type Stats struct {
	Requests   int64 // forwarded, WebSockets included
	Active     int64 // under way, WebSockets included
	Failed     int64 // without an answer from the target
	Injected   int64 // documents that got the tag
	WebSockets int64 // open now
}

// Proxy is a running proxy.
type Proxy struct {
	cfg        Config
	target     origin.Origin
	client     *forward.Client
	targetText string // the target's origin, as headers name it
	rules      *redact.Rules
	hosts      origin.Hosts
	nonce      string // for policies that only a nonce can satisfy
	limit      int64

	workers workers

	listener net.Listener
	server   *http.Server
	cancel   context.CancelFunc
	served   chan struct{}
	late     *later

	mu      sync.Mutex
	tunnels map[io.Closer]struct{}
	cut     bool // no new tunnels
	closing sync.Once
	life    sync.RWMutex // held for reading by every exchange; Close takes it for good

	requests, active, failed, injected, sockets atomic.Int64
}

// Start binds the listener and serves until Close or the end of ctx. A taken
// port is a *BusyError.
func Start(ctx context.Context, cfg Config) (*Proxy, error) {
	client, err := forward.New(forward.Options{Target: cfg.Target, InsecureTLS: cfg.InsecureTLS})
	if err != nil {
		return nil, fmt.Errorf("start proxy %s: %w", cfg.ID, err)
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	ln, err := listen(ctx, cfg.Listen)
	if err != nil {
		client.Close()
		return nil, fmt.Errorf("start proxy %s: %w", cfg.ID, err)
	}
	p := &Proxy{
		cfg: cfg, target: origin.Of(cfg.Target), client: client, rules: redact.New(cfg.Redact),
		nonce: rand.Text(), limit: cfg.BodyLimit, listener: ln,
		served: make(chan struct{}), tunnels: map[io.Closer]struct{}{},
	}
	p.targetText = p.target.String()
	if p.limit == 0 {
		p.limit = DefaultBodyLimit
	}
	p.hosts = origin.NewHosts(ln.Addr(), cfg.Listen, cfg.PublicURL)
	p.late = newLater()
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p.cancel = cancel
	p.server = &http.Server{
		Handler:                      p,
		ReadHeaderTimeout:            headerTimeout,
		IdleTimeout:                  2 * time.Minute,
		ConnContext:                  forward.WithConn,
		BaseContext:                  func(net.Listener) context.Context { return base },
		ErrorLog:                     log.New(io.Discard, "", 0),
		DisableGeneralOptionsHandler: true,
	}
	go p.serve(ctx)
	return p, nil
}

// serve runs the listener; the end of ctx cuts everything.
func (p *Proxy) serve(ctx context.Context) {
	defer close(p.served)
	stop := context.AfterFunc(ctx, func() {
		p.refuseTunnels()
		p.server.Close()
		p.cancel()
	})
	defer stop()
	p.server.Serve(forward.Listener{Listener: p.listener})
}

func listen(ctx context.Context, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	ln, err := lc.Listen(ctx, "tcp", addr)
	if err == nil {
		return ln, nil
	}
	if isBusy(err) {
		port := 0
		if a, e := net.ResolveTCPAddr("tcp", addr); e == nil {
			port = a.Port
		}
		return nil, &BusyError{Port: port, Err: err}
	}
	return nil, err
}

// URL is where browsers find the proxy, without a final slash.
func (p *Proxy) URL() string {
	if u := p.cfg.PublicURL; u != nil {
		return origin.Of(u).String()
	}
	addr, _ := p.listener.Addr().(*net.TCPAddr)
	host := addr.IP.String()
	if addr.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// Port is the port listened on.
func (p *Proxy) Port() int {
	addr, _ := p.listener.Addr().(*net.TCPAddr)
	return addr.Port
}

// Up says why the target cannot be reached; nil when it can.
func (p *Proxy) Up(ctx context.Context) error { return p.client.Up(ctx) }

// Stats returns the counters.
func (p *Proxy) Stats() Stats {
	return Stats{
		Requests: p.requests.Load(), Active: p.active.Load(), Failed: p.failed.Load(),
		Injected: p.injected.Load(), WebSockets: p.sockets.Load(),
	}
}

// Close stops accepting, closes WebSockets, lets exchanges end until ctx is
// done, and then cuts what is left. When it returns every goroutine of the
// proxy has ended and every entry was recorded. A second call does nothing.
func (p *Proxy) Close(ctx context.Context) (err error) {
	p.closing.Do(func() { err = p.shut(ctx) })
	return err
}

func (p *Proxy) shut(ctx context.Context) error {
	p.refuseTunnels()
	err := p.server.Shutdown(ctx)
	p.cancel()
	if err != nil {
		p.server.Close()
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			err = nil // what did not end in time was cut: that is the contract
		}
	}
	<-p.served
	p.life.Lock() // never unlocked: no exchange begins any more
	p.late.close()
	p.client.Close()
	return err
}

// refuseTunnels closes the tunnels there are and refuses new ones.
func (p *Proxy) refuseTunnels() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.tunnels {
		c.Close()
	}
}

// enter registers a tunnel's two ends; false when the proxy is closing.
func (p *Proxy) enter(ends ...io.Closer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	for _, c := range ends {
		p.tunnels[c] = struct{}{}
	}
	return true
}

func (p *Proxy) leave(ends ...io.Closer) {
	p.mu.Lock()
	for _, c := range ends {
		delete(p.tunnels, c)
	}
	p.mu.Unlock()
}
