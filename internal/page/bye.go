package page

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"oriel/internal/page/pass"
	"oriel/internal/page/wire"
)

// Bounds of the last words of pages that leave before their socket was open.
const (
	maxBye   = 1 << 17
	byeBurst = 60
	byeRate  = 5 // a second
)

// serveBye takes the last words of a page that leaves while it has no socket:
// its hello and its events, a line each, in a header. The page is then one that
// has left.
// What holds for a socket holds here: the key, the Host and the Origin.
func (h *Hub) serveBye(w http.ResponseWriter, r *http.Request) {
	origin, sameOrigin := originOf(r)
	k, ok := h.secret.ParseKey(r.URL.Query().Get("k"))
	if !ok || !sameOrigin {
		http.Error(w, "not a page of this proxy", http.StatusForbidden)
		return
	}
	said, err := url.PathUnescape(r.Header.Get("Said"))
	if len(said) > maxBye {
		http.Error(w, "too many last words", http.StatusRequestEntityTooLarge)
		return
	}
	first, rest, _ := strings.Cut(said, "\n")
	hello, err1 := wire.Decode([]byte(first))
	events, err2 := wire.Decode([]byte(rest))
	if errors.Join(err, err1, err2) != nil || hello.T != "hello" || hello.Version != wire.Version || events.T != "events" {
		http.Error(w, "a hello and events expected", http.StatusBadRequest)
		return
	}
	p := h.depart(k, &hello, origin, userAgent(r.UserAgent()))
	if p == nil {
		http.Error(w, "too many pages leave", http.StatusTooManyRequests)
		return
	}
	h.record(p, &events)
	w.WriteHeader(http.StatusNoContent)
}

// depart makes a page that has already left; nil when too many do. A page whose
// ticket is shown keeps what its socket says of it.
func (h *Hub) depart(k pass.Key, m *wire.Message, origin, agent string) *Page {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.byes.take(1, now) == 0 {
		return nil
	}
	p, err := h.identify(k, m)
	if err != nil {
		return nil
	}
	if p.socket != nil {
		return p
	}
	p.greet(k, m, origin, agent, now)
	p.info.Left = now
	h.forget()
	h.notify()
	return p
}
