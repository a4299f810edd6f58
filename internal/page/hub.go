package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"oriel/internal/journal"
	"oriel/internal/page/pass"
	"oriel/internal/page/wire"
	"oriel/internal/quote"
	"oriel/web"
)

// Secret is what a Hub's keys and tickets are made from.
type Secret = pass.Secret

// NewSecret returns a random Secret.
func NewSecret() Secret { return pass.NewSecret() }

// DeriveSecret returns the Secret that belongs to names under a master.
func DeriveSecret(master []byte, names ...string) Secret { return pass.DeriveSecret(master, names...) }

// Appender takes what pages report. *journal.Journal is one.
type Appender interface {
	Append(journal.Entry) uint64
}

// Options says what a Hub belongs to.
type Options struct {
	Proxy   string   // id of the proxy, written into every entry
	Secret  Secret   // a zero one is replaced by a random one
	Journal Appender // required
	// Hosts accepts further values of the Host header, such as a public URL's
	// host. Loopback names with any port are always accepted.
	Hosts func(host string) bool
	// Keep stores a picture that a page made of itself; nil refuses it.
	Keep func(page Info, shot Shot) (Kept, error)
	// CleanURL redacts a URL before it is kept; nil keeps it.
	CleanURL func(url string) string
}

// Hub keeps the pages of one proxy.
type Hub struct {
	options Options
	secret  Secret
	ctx     context.Context
	stop    context.CancelCauseFunc
	wg      sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	sockets int
	pages   map[string]*Page
	changed chan struct{}     // closed and replaced whenever a page changes
	files   map[string]string // scripts of running execs, by name
	byes    bucket            // pages that may still leave unheard
}

// Bounds of a Hub.
const (
	MaxSockets = 256 // open at once
	maxAway    = 128 // pages remembered after they left, so that they can come back
)

// NewHub returns a Hub. Close ends it.
func NewHub(o Options) *Hub {
	if o.Secret == (Secret{}) {
		o.Secret = NewSecret()
	}
	h := &Hub{
		options: o, secret: o.Secret,
		pages: map[string]*Page{}, files: map[string]string{}, changed: make(chan struct{}), byes: newBucket(byeBurst, byeRate),
	}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	return h
}

// Close closes every socket and waits for them to end. Pages try to come back,
// and do when a Hub with the same Secret is there.
func (h *Hub) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop(closing{closeGoingAway, "the proxy stops"})
	h.wg.Wait()
	return nil
}

// Tag is what goes into one document.
type Tag struct {
	Page string // id that the document's page will have, unless the document comes out of a cache
	src  string
	key  string
}

// Issue makes the tag for the document that answers r.
func (h *Hub) Issue(r *http.Request) Tag {
	var flags byte
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "iframe", "frame", "embed", "object":
		flags |= pass.FlagFrame
	}
	k, text := h.secret.NewKey(flags)
	return Tag{Page: k.Page, src: AgentPath(), key: text}
}

// Prefix is the part of a proxy's URLs that is the Hub's.
const Prefix = "/__devtool/"

// AgentPath returns the path of the agent, for a policy that must name it.
func AgentPath() string {
	if name := web.Agent().Name; name != "" {
		return Prefix + name
	}
	return Prefix + web.AgentName + ".js"
}

// HTML returns the tag: ASCII, without line breaks, at most 200 bytes with a
// nonce of up to 64. The nonce, when the page's policy has one, must be one
// that HTML needs no escapes for, as every nonce is. inline says whether the
// page's policy lets a script element with that nonce (or without one) run
// inline code; if not, exec loads its code from under Prefix.
func (t Tag) HTML(nonce string, inline bool) string {
	var b strings.Builder
	b.WriteString(`<script src="` + t.src + `" data-k="` + t.key + `"`)
	if !inline {
		b.WriteString(` ` + FilesAttr)
	}
	if nonce != "" {
		b.WriteString(` nonce="` + nonce + `"`)
	}
	b.WriteString(`></script>`)
	return b.String()
}

// FilesAttr is the tag's attribute that says that the page runs no inline
// script, with or without the tag's nonce, so that exec does not try one: the
// browser would write the attempt to its console and report it.
const FilesAttr = "data-f"

// ErrNone says that no page is connected.
var ErrNone = errors.New("no page is open")

// Pages returns the connected pages, the last focused first.
func (h *Hub) Pages() []*Page {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := make([]*Page, 0, len(h.pages))
	for _, p := range h.pages {
		if p.socket != nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, preferred)
	return list
}

// preferred puts first what a person means by "the page": not a frame, last
// focused, visible, opened last.
func preferred(a, b *Page) int {
	return cmp.Or(
		truth(b.info.Frame)-truth(a.info.Frame),
		b.info.LastFocus.Compare(a.info.LastFocus),
		truth(a.info.Visible)-truth(b.info.Visible),
		b.info.Opened.Compare(a.info.Opened),
		cmp.Compare(a.id, b.id),
	)
}

// truth orders true before false.
func truth(b bool) int {
	if b {
		return 0
	}
	return 1
}

// Pick returns the page with the given id, or for "" the top-level page that
// was focused last. The error is ErrNone when no page is connected.
func (h *Hub) Pick(id string) (*Page, error) {
	list := h.Pages()
	if id == "" {
		if len(list) == 0 || list[0].Info().Frame {
			return nil, ErrNone
		}
		return list[0], nil
	}
	for _, p := range list {
		if p.id == id {
			return p, nil
		}
	}
	h.mu.Lock()
	_, known := h.pages[id]
	h.mu.Unlock()
	if known {
		return nil, fmt.Errorf("page %s: %w", id, ErrAway)
	}
	return nil, fmt.Errorf("page not found: %s", quote.Text(id, wire.MaxName))
}

// Wait returns the first connected page that accept agrees to, as soon as there
// is one. It is asked again whenever any page changes.
func (h *Hub) Wait(ctx context.Context, accept func(Info) bool) (*Page, error) {
	for {
		h.mu.Lock()
		changed := h.changed
		h.mu.Unlock()
		for _, p := range h.Pages() {
			if accept(p.Info()) {
				return p, nil
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for page: %w", ctx.Err())
		case <-h.ctx.Done():
			return nil, fmt.Errorf("wait for page: %w", context.Cause(h.ctx))
		}
	}
}

// notify wakes those who Wait. The lock is held.
func (h *Hub) notify() {
	close(h.changed)
	h.changed = make(chan struct{})
}

func (h *Hub) cleanURL(s string) string {
	if h.options.CleanURL == nil {
		return s
	}
	return h.options.CleanURL(s)
}

// join gives a socket that said hello its page.
func (h *Hub) join(s *socket, k pass.Key, m *wire.Message) (*Page, error) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	p, err := h.identify(k, m)
	if err != nil {
		return nil, err
	}
	if old := p.socket; old != nil {
		old.end(closing{closeReplaced, "the page has come back on another socket"})
		old.abandon()
	}
	p.socket = s
	p.files = p.files || m.Files
	p.info.Connected, p.info.Left = true, time.Time{}
	p.greet(k, m, s.origin, s.userAgent, now)
	h.forget()
	h.notify()
	return p, nil
}

// identify finds out which page speaks; see the package comment. The lock is
// held.
func (h *Hub) identify(k pass.Key, m *wire.Message) (*Page, error) {
	if m.Ticket == "" {
		id := k.Page
		for h.pages[id] != nil {
			id = h.secret.NewPageID()
		}
		return h.add(id, pass.NewInstance()), nil
	}
	n, ok := h.secret.ParseTicket(m.Page, m.Ticket)
	if !ok {
		return nil, closing{closeTicket, "the ticket is not valid"}
	}
	p := h.pages[m.Page]
	switch {
	case p == nil:
		return h.add(m.Page, n), nil
	case p.instance == n:
		return p, nil
	}
	return h.add(h.secret.NewPageID(), pass.NewInstance()), nil
}

func (h *Hub) add(id string, n pass.Instance) *Page {
	p := &Page{hub: h, id: id, instance: n, events: newBucket(eventBurst, eventRate), shots: newBucket(shotBurst, shotRate)}
	p.info.ID = id
	h.pages[id] = p
	return p
}

// leave takes a socket's page off the air, unless it is already on another.
func (h *Hub) leave(p *Page, s *socket) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.abandon()
	if p.socket != s {
		return
	}
	p.socket = nil
	p.info.Connected, p.info.Focused, p.info.Left = false, false, time.Now()
	h.forget()
	h.notify()
}

// forget drops the pages that have been away longest beyond maxAway.
func (h *Hub) forget() {
	var away []*Page
	for _, p := range h.pages {
		if p.socket == nil {
			away = append(away, p)
		}
	}
	if len(away) <= maxAway {
		return
	}
	slices.SortFunc(away, func(a, b *Page) int { return a.info.Left.Compare(b.info.Left) })
	for _, p := range away[:len(away)-maxAway] {
		delete(h.pages, p.id)
	}
}
