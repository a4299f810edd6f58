package page

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	"oriel/internal/page/asset"
	"oriel/internal/page/wire"
)

// ServeHTTP answers everything under Prefix. Nothing there ever reaches the
// target.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.hostAllowed(r.Host) {
		http.Error(w, "this host name is not served here", http.StatusForbidden)
		return
	}
	path := strings.TrimPrefix(r.URL.Path, Prefix)
	if path == "bye" && r.Method == http.MethodPost {
		h.serveBye(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	switch {
	case path == "ws":
		h.serveSocket(w, r)
	case path == "blank.html":
		asset.Blank(w)
	case strings.HasPrefix(path, "x/"):
		h.serveScript(w, r, strings.TrimPrefix(path, "x/"))
	default:
		asset.Bundle(w, r, path)
	}
}

// hostAllowed keeps a site that points its own name at this machine from
// talking to the proxy in that name.
func (h *Hub) hostAllowed(host string) bool {
	if h.options.Hosts != nil && h.options.Hosts(host) {
		return true
	}
	name := host
	if split, _, err := net.SplitHostPort(host); err == nil {
		name = split
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// originOf returns the origin of the document that opens a socket, which must be
// one of this very proxy. A sandboxed document has none to show; for it the key
// must do, which no other site can have read.
func originOf(r *http.Request) (string, bool) {
	origin := strings.ToLower(r.Header.Get("Origin"))
	if origin == "null" {
		return "http://" + strings.ToLower(r.Host), true
	}
	u, err := url.Parse(origin)
	return origin, err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host) && u.Path == "" && u.User == nil
}

func (h *Hub) serveSocket(w http.ResponseWriter, r *http.Request) {
	origin, sameOrigin := originOf(r)
	k, ok := h.secret.ParseKey(r.URL.Query().Get("k"))
	if !ok || !sameOrigin {
		http.Error(w, "not a page of this proxy", http.StatusForbidden)
		return
	}
	if !h.enter() {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer h.exit()
	below := &hijacked{ResponseWriter: w}
	conn, err := websocket.Accept(below, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the origin is checked above
	if err != nil {
		return // Accept has answered
	}
	conn.SetReadLimit(readLimit)
	ctx, end := context.WithCancelCause(h.ctx)
	s := &socket{
		conn: conn, raw: below.conn, out: make(chan []byte, queueLength), end: end,
		origin: origin, userAgent: userAgent(r.UserAgent()),
		messages: newBucket(messageBurst, messageRate), asked: map[uint64]chan wire.Message{},
	}
	h.wg.Go(func() { s.keepAlive(ctx) })
	written := make(chan struct{})
	h.wg.Go(func() {
		defer close(written)
		s.write(ctx)
	})
	// The reader goes on until the connection ends: the writer's goodbye makes
	// the page close it.
	end(h.read(context.WithoutCancel(ctx), s, k))
	<-written
}

// hijacked remembers the connection that is taken over, because the library
// cannot be told how long its goodbye may take.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, rw, err
}

// enter counts a socket in, if there is room.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.sockets >= MaxSockets {
		return false
	}
	h.sockets++
	h.wg.Add(1)
	return true
}

func (h *Hub) exit() {
	h.mu.Lock()
	h.sockets--
	h.mu.Unlock()
	h.wg.Done()
}

// serveScript gives out a script of a running exec, once.
func (h *Hub) serveScript(w http.ResponseWriter, r *http.Request, file string) {
	name, _ := strings.CutSuffix(file, ".js")
	h.mu.Lock()
	script, ok := h.files[name]
	delete(h.files, name)
	h.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/javascript; charset=utf-8")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cross-Origin-Resource-Policy", "cross-origin") // sandboxed documents have an origin of their own
	head.Set("Content-Length", strconv.Itoa(len(script)))
	_, _ = w.Write([]byte(script)) // a page that went away has no use for the error
}
