package page

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"oriel/internal/page/pass"
	"oriel/internal/page/wire"
	"oriel/internal/quote"
)

// Viewport is the visible size of a page in CSS pixels.
type Viewport struct {
	Width, Height int
	Ratio         float64 // device pixels per CSS pixel
}

// Info is what is known of a page at one moment. URL, Title and the like are
// the page's own words: bounded and cleaned, but not to be believed.
type Info struct {
	ID        string
	ParentID  string // the page this frame is in, when that is a page of this proxy too
	Frame     bool   // it is in a frame, whether or not the parent is known
	URL       string
	Title     string
	Viewport  Viewport
	Visible   bool
	Focused   bool
	Loaded    bool // its load event is over
	Connected bool
	LastFocus time.Time // zero: never
	Opened    time.Time
	Left      time.Time // when its socket was lost; zero while connected
	UserAgent string
	Lost      int // events that did not fit into the page's own queue
	Refused   int // messages and events that were malformed, or too many
}

// Page is one document in one tab or frame, for as long as it lives, across
// reconnections. It is safe for concurrent use.
type Page struct {
	hub *Hub
	id  string

	// The rest is the hub's to guard.
	info     Info
	instance pass.Instance
	origin   string
	files    bool // inline scripts do not run here
	clock    wire.Clock
	events   bucket
	shots    bucket
	socket   *socket // nil while away
}

// ID returns the page's id.
func (p *Page) ID() string { return p.id }

// Info returns what is known of the page now.
func (p *Page) Info() Info {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	return p.info
}

// When puts a time of the page's own clock, in milliseconds since 1970, on the
// clock that its events are on.
func (p *Page) When(at float64) time.Time {
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	return p.clock.Time(at, time.Now())
}

// Clean redacts and bounds a URL that the page names, as those of its events
// are.
func (p *Page) Clean(address string) string {
	return quote.Text(p.hub.cleanURL(address), wire.MaxURL)
}

// ErrAway says that a page has no socket at the moment.
var ErrAway = errors.New("the page is not connected: it was closed, is being reloaded, or its browser is asleep")

// Navigate makes the page go to address, which may be relative to where it is.
// It does not wait: use Hub.Wait for the page that comes.
func (p *Page) Navigate(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("navigate page %s: %w", p.id, err)
	}
	if u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("navigate page %s: scheme %q is not http or https", p.id, u.Scheme)
	}
	return p.send("navigate", wire.Encode(wire.NavigateRequest{T: "navigate", URL: address}))
}

// Reload makes the page reload. It does not wait.
func (p *Page) Reload() error {
	return p.send("reload", wire.Encode(wire.NavigateRequest{T: "navigate", Reload: true}))
}

func (p *Page) send(what string, frame []byte) error {
	p.hub.mu.Lock()
	s := p.socket
	p.hub.mu.Unlock()
	if s == nil {
		return fmt.Errorf("%s page %s: %w", what, p.id, ErrAway)
	}
	if err := s.enqueue(frame); err != nil {
		return fmt.Errorf("%s page %s: %w", what, p.id, err)
	}
	return nil
}

// greet takes over what a page's hello says. The hub's lock is held.
func (p *Page) greet(k pass.Key, m *wire.Message, origin, agent string, now time.Time) {
	p.origin = origin
	p.clock = wire.NewClock(m, now)
	p.info.Frame = k.Flags&pass.FlagFrame != 0
	p.info.Opened = p.clock.Opened
	p.info.UserAgent = agent
	if m.FocusedAgo != nil && *m.FocusedAgo >= 0 {
		p.focus(now.Add(-time.Duration(min(*m.FocusedAgo, 1e10)) * time.Millisecond))
	}
	p.info.Focused = false // a focus that is only repeated is not a new one
	p.apply(m.State, p.info.LastFocus)
}

// apply takes over what a page says of itself. The hub's lock is held.
func (p *Page) apply(s *wire.State, now time.Time) {
	i := &p.info
	if s.URL != nil {
		i.URL = p.address(*s.URL)
	}
	if s.Title != nil {
		i.Title = quote.Text(*s.Title, wire.MaxTitle)
	}
	if s.Width != nil {
		i.Viewport.Width = wire.Whole(*s.Width)
	}
	if s.Height != nil {
		i.Viewport.Height = wire.Whole(*s.Height)
	}
	if s.Ratio != nil {
		i.Viewport.Ratio = min(max(*s.Ratio, 0), 100)
	}
	if s.Visible != nil {
		i.Visible = *s.Visible
	}
	if s.Loaded != nil {
		i.Loaded = *s.Loaded
	}
	if s.Focused != nil {
		if *s.Focused || i.Focused {
			p.focus(now)
		}
		i.Focused = *s.Focused
	}
}

// focus notes that the page had the focus at t, and so had the page it is in.
func (p *Page) focus(t time.Time) {
	for range maxFrames {
		if t.After(p.info.LastFocus) {
			p.info.LastFocus = t
		}
		parent := p.hub.pages[p.info.ParentID]
		if parent == nil {
			return
		}
		p = parent
	}
}

// maxFrames is how deep frames may be nested.
const maxFrames = 32

// address accepts only a URL of the origin that the page's socket came from: a
// page cannot say that it is another site.
func (p *Page) address(s string) string {
	s = quote.Text(p.hub.cleanURL(s), wire.MaxURL)
	if s == p.origin || strings.HasPrefix(s, p.origin+"/") {
		return s
	}
	return p.origin + "/"
}

// adopt makes the page with the given id this frame's parent, if that can be.
func (p *Page) adopt(parent string) {
	if !p.info.Frame {
		return
	}
	at := p.hub.pages[parent]
	for range maxFrames {
		if at == nil || at == p {
			break
		}
		at = p.hub.pages[at.info.ParentID]
	}
	if at == nil && p.hub.pages[parent] != nil {
		p.info.ParentID = parent
		p.focus(p.info.LastFocus)
	}
}
