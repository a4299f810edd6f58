package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// isDocument says whether a browser asks for something to show as a page.
// Browsers say so; a service worker that passes a navigation on loses the
// destination, but not the mode. For clients that say nothing a GET that
// prefers HTML and does not come from a script is taken for one.
func isDocument(r *http.Request) bool {
	if d, ok := r.Header["Sec-Fetch-Dest"]; ok {
		switch d[0] {
		case "document", "iframe", "frame":
			return true
		case "empty":
			return r.Header.Get("Sec-Fetch-Mode") == "navigate"
		}
		return false
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, script := range [...]string{"X-Requested-With", "Hx-Request", "Turbo-Frame", "X-Inertia", "X-Pjax", "Sec-Websocket-Key"} {
		if _, ok := r.Header[script]; ok {
			return false
		}
	}
	accept := strings.TrimSpace(r.Header.Get("Accept"))
	return strings.HasPrefix(accept, "text/html") || strings.HasPrefix(accept, "application/xhtml+xml")
}

// workers are the service worker scripts seen. What a worker fetches by itself
// may be kept and shown as a page later; its requests name the script as their
// referrer.
type workers struct {
	mu    sync.RWMutex
	paths map[string]bool
}

const maxWorkers = 64

// asks notes worker scripts and says whether a worker's own fetch is at hand.
func (w *workers) asks(r *http.Request) bool {
	if len(r.Header["Service-Worker"]) > 0 {
		w.mu.Lock()
		if w.paths == nil || len(w.paths) >= maxWorkers {
			w.paths = map[string]bool{}
		}
		w.paths[r.URL.Path] = true
		w.mu.Unlock()
		return false
	}
	w.mu.RLock()
	none := len(w.paths) == 0
	w.mu.RUnlock()
	if none || r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Dest") != "empty" {
		return false
	}
	from, err := url.Parse(r.Header.Get("Referer"))
	if err != nil || !strings.EqualFold(from.Host, r.Host) {
		return false
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.paths[from.Path]
}
