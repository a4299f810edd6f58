package audits

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"oriel/internal/engine"
	"oriel/internal/journal"
)

// Bounds of what a page is told of its own document.
const (
	maxHeaders   = 100
	maxHeader    = 8 << 10
	maxCookies   = 100
	maxFailed    = 100
	maxLookBack  = 5000 // entries of the log
	setCookie    = "Set-Cookie"
	revalidation = http.StatusNotModified
)

// seenByProxy is what an audit is told that a page cannot see by itself. The
// log holds headers as the target sent them, before any policy was widened for
// the agent, and cookies without their values.
type seenByProxy struct {
	DocumentHeaders [][2]string  `json:"documentHeaders"`
	Cookies         []seenCookie `json:"cookies"`
	Status          int          `json:"status"`
	TargetOrigin    string       `json:"targetOrigin"`
	TLS             bool         `json:"tls"`
	// Failed are the addresses of files that the page asked for and did not get.
	Failed []string `json:"failed"`
}

type seenCookie struct {
	Name     string `json:"name"`
	Secure   bool   `json:"secure"`
	HTTPOnly bool   `json:"httpOnly"`
	SameSite string `json:"sameSite"`
	Path     string `json:"path"`
	Domain   string `json:"domain"`
}

// input is the argument of the page's audits: what the proxy saw of the
// document, or nothing when the log does not have it any more.
func input(log *journal.Journal, p *engine.Proxy, page, document string) string {
	entries := log.Select(journal.Query{Kinds: []journal.Kind{journal.KindHTTP}, Proxy: p.Spec.ID, Limit: maxLookBack}).Entries
	head, status, ok := documentHead(entries, document)
	if !ok {
		return "{}"
	}
	public := p.Spec.PublicURL
	data, err := json.Marshal(struct {
		Seen seenByProxy `json:"seen"`
	}{seenByProxy{
		DocumentHeaders: pairs(head), Cookies: cookies(entries), Status: status, TargetOrigin: strings.TrimSuffix(p.Spec.Target, "/"),
		TLS:    strings.HasPrefix(p.Spec.Target, "https://") || strings.HasPrefix(public, "https://"),
		Failed: failed(log.Select(journal.Query{Kinds: []journal.Kind{journal.KindError}, Proxy: p.Spec.ID, Page: page, Limit: maxLookBack}).Entries),
	}})
	if err != nil {
		return "{}"
	}
	return string(data)
}

// failed are the files that a page told it did not get, each once.
func failed(entries []journal.Entry) []string {
	list := []string{}
	for _, e := range entries {
		if e.Error.Source == "resource" && e.Error.URL != "" && len(list) < maxFailed && !slices.Contains(list, e.Error.URL) {
			list = append(list, e.Error.URL)
		}
	}
	return list
}

// documentHead is the head of the newest answer to a navigation to document.
// entries are the newest first. What a revalidation left out, the answer that
// it confirmed had.
func documentHead(entries []journal.Entry, document string) (http.Header, int, bool) {
	u, err := url.Parse(document)
	if err != nil {
		return nil, 0, false
	}
	head := http.Header{}
	status := 0
	for _, e := range entries {
		h := e.HTTP
		if !h.Injected && h.Destination != "document" {
			continue
		}
		logged, err := url.Parse(h.URL)
		if err != nil || logged.Path != u.Path || !sameQuery(u, h.URL) || h.ResponseHead == nil {
			continue
		}
		for name, values := range h.ResponseHead {
			if _, there := head[name]; !there {
				head[name] = values
			}
		}
		if status = h.Status; status != revalidation {
			return head, status, true
		}
	}
	return head, http.StatusOK, status == revalidation
}

// pairs is a head as lines. Cookies are told apart.
func pairs(head http.Header) [][2]string {
	list := [][2]string{}
	for _, name := range slices.Sorted(maps.Keys(head)) {
		if name == setCookie {
			continue
		}
		for _, value := range head[name] {
			if len(list) < maxHeaders && len(value) <= maxHeader {
				list = append(list, [2]string{name, value})
			}
		}
	}
	return list
}

// cookies are those that the target has set and not taken back, by their last
// Set-Cookie line.
func cookies(entries []journal.Entry) []seenCookie {
	type key struct{ name, domain, path string }
	jar := map[key]seenCookie{}
	for _, e := range slices.Backward(entries) {
		for _, line := range e.HTTP.ResponseHead[setCookie] {
			c, err := http.ParseSetCookie(line)
			if err != nil {
				continue
			}
			k := key{c.Name, strings.ToLower(strings.TrimPrefix(c.Domain, ".")), c.Path}
			if c.MaxAge < 0 || (c.MaxAge == 0 && !c.Expires.IsZero() && c.Expires.Before(e.Time.Add(time.Second))) {
				delete(jar, k)
				continue
			}
			jar[k] = seenCookie{Name: c.Name, Secure: c.Secure, HTTPOnly: c.HttpOnly, SameSite: sameSite(c.SameSite), Path: c.Path, Domain: c.Domain}
		}
	}
	list := slices.SortedFunc(maps.Values(jar), func(a, b seenCookie) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Domain, b.Domain), cmp.Compare(a.Path, b.Path))
	})
	return append([]seenCookie{}, list[:min(len(list), maxCookies)]...)
}

func sameSite(s http.SameSite) string {
	switch s {
	case http.SameSiteLaxMode:
		return "Lax"
	case http.SameSiteStrictMode:
		return "Strict"
	case http.SameSiteNoneMode:
		return "None"
	}
	return ""
}
