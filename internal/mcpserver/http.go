package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// Path is where the server answers over HTTP.
	Path = "/mcp"

	// sessionTimeout ends sessions whose client went away without a word. It
	// is long because a client that idled overnight must not lose its own.
	sessionTimeout = 24 * time.Hour
)

// HTTPOptions say where the server listens and whom it lets in.
type HTTPOptions struct {
	// Listen is an address such as 127.0.0.1:7070; port 0 picks a free one.
	// It must be of this machine alone unless Remote is set.
	Listen string
	// Token is what a client must present as its bearer token. Required.
	Token string
	// Remote allows to listen on, and to be called by, other addresses than
	// loopback ones.
	Remote bool
	// Hosts are further names the server may be called by, without port.
	Hosts []string
}

// NewToken makes a token that cannot be guessed.
func NewToken() string { return rand.Text() }

// Handler serves MCP over Streamable HTTP at Path to those who hold the token.
// It must be closed.
type Handler struct {
	server  *server
	opts    HTTPOptions
	origins *http.CrossOriginProtection
	posts   gate

	sessions  http.Handler // clients that initialize
	stateless http.Handler // clients of the revision without sessions
}

// NewHandler makes the handler without a listener.
func NewHandler(ctx context.Context, o Options, h HTTPOptions) (*Handler, error) {
	if h.Token == "" {
		return nil, errors.New("serve MCP over HTTP: no token given")
	}
	s, err := newServer(ctx, o)
	if err != nil {
		return nil, err
	}
	carrier := func(opts mcp.StreamableHTTPOptions) http.Handler {
		opts.MaxRequestBodyBytes = maxMessage
		// Handler.host checks the name, by a rule that also knows Hosts.
		opts.DisableLocalhostProtection = true
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &opts)
	}
	return &Handler{
		server:    s,
		opts:      h,
		origins:   http.NewCrossOriginProtection(),
		sessions:  carrier(mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout}),
		stateless: carrier(mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}),
	}, nil
}

// ServeHTTP lets a request in, or not, and is the first dispatch of the package
// comment.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.foreign(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	if !h.authorized(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+serverName+`"`)
		http.Error(w, "bearer token missing or wrong", http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodPost { // any other does not end by itself
		if !h.posts.enter() {
			http.Error(w, "the server is ending", http.StatusServiceUnavailable)
			return
		}
		defer h.posts.leave()
	}
	if r.URL.Path != Path {
		http.Error(w, "not found: MCP is at "+Path, http.StatusNotFound)
		return
	}
	if r.Header.Get("Mcp-Protocol-Version") >= stateless {
		h.stateless.ServeHTTP(w, r)
		return
	}
	if id := r.Header.Get("Mcp-Session-Id"); id != "" && r.Method == http.MethodDelete {
		h.server.calls.cancel(id) // the SDK would wait for them
	}
	h.sessions.ServeHTTP(w, r)
}

// Close ends what runs for clients, then, when that is answered, their
// sessions and streams.
func (h *Handler) Close() {
	h.server.close()
	within(grace, h.posts.close) // a session that closes drops answers
	within(grace, func() {
		for session := range h.server.sdk.Sessions() {
			_ = session.Close() // a session that is gone already is closed
		}
	})
}

func (h *Handler) authorized(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") &&
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(h.opts.Token)) == 1
}

// foreign tells why a request does not come from a program that meant to call
// this server: a name that only a hostile DNS server maps here, or a page of
// another origin. A browser adds both headers by itself, other programs none.
func (h *Handler) foreign(r *http.Request) error {
	if !h.host(r.Host) {
		return fmt.Errorf("host %q is not served here", cut(r.Host))
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || !strings.EqualFold(u.Host, r.Host) {
			return fmt.Errorf("origin %q is not allowed", cut(origin))
		}
	}
	// The standard library's check lets GET pass, for which the above is there;
	// it knows more of what browsers tell.
	if err := h.origins.Check(r); err != nil {
		return fmt.Errorf("request is not allowed: %w", err)
	}
	return nil
}

// host tells whether the server may be called by a name. An address in digits
// cannot be made to lie, but is served beyond loopback only when asked for.
func (h *Handler) host(hostport string) bool {
	name := hostName(hostport)
	listen := hostName(h.opts.Listen)
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap().IsLoopback() || h.opts.Remote || name == listen
	}
	return strings.EqualFold(name, "localhost") ||
		(name != "" && strings.EqualFold(name, listen)) ||
		slices.ContainsFunc(h.opts.Hosts, func(host string) bool { return strings.EqualFold(host, name) })
}

// hostName is host:port without the port and brackets.
func hostName(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
}
