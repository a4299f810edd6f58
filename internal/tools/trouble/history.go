package trouble

import (
	"slices"
	"strings"
	"time"

	"oriel/internal/incident/stay"
	"oriel/internal/journal"
	"oriel/internal/lazyre"
)

// history is what went well, and when pages came, got code, and left.
type history struct {
	served    map[exchange][]answer
	loads     map[string]time.Time   // proxy id → when a page was last loaded, or a bundler's update fetched
	delivered map[string][]time.Time // proxy id → when pages got code
	stays     []journal.Entry        // navigations and actions, newest first
	// unseen: proxies whose pages may get code in a way that is not seen.
	unseen map[string]bool
}

// exchange is what an answer was for.
type exchange struct{ proxy, method, path string }

// answer is when it was asked for and when it was complete.
type answer struct{ from, to time.Time }

func newHistory() history {
	return history{served: map[exchange][]answer{}, loads: map[string]time.Time{}, delivered: map[string][]time.Time{}, unseen: map[string]bool{}}
}

// gave adds when the process behind a proxy built something: pages get it at
// once, which is not seen where it comes over a socket.
func (h *history) gave(proxy string, built []time.Time) {
	h.delivered[proxy] = append(h.delivered[proxy], built...)
	if len(built) > 0 {
		delete(h.unseen, proxy)
	}
}

// stamped is the address of a module that a dev server wants fetched anew.
var stamped = lazyre.New(`[?&]t=\d{10,}`)

// add takes the next older entry that tells of nothing wrong.
func (h *history) add(e *journal.Entry) {
	switch {
	case e.HTTP != nil && e.HTTP.Status >= 200 && e.HTTP.Status < 400:
		k := exchange{e.Proxy, e.HTTP.Method, pathOf(e.HTTP.URL)}
		h.served[k] = append(h.served[k], answer{e.Time, e.Time.Add(e.HTTP.Duration)})
		switch {
		case strings.HasSuffix(k.path, ".hot-update.js"):
			h.loaded(e)
		case strings.HasPrefix(k.path, "/_next/"):
			h.unseen[e.Proxy] = true
		case e.HTTP.Destination == "script" && stamped.MatchString(e.HTTP.URL):
			h.delivered[e.Proxy] = append(h.delivered[e.Proxy], e.Time)
		}
	case e.Navigation != nil:
		h.stays = append(h.stays, *e)
		if e.Navigation.Type == "load" {
			h.loaded(e)
		}
	case e.Action != nil:
		h.stays = append(h.stays, *e)
	}
}

func (h *history) loaded(e *journal.Entry) {
	h.delivered[e.Proxy] = append(h.delivered[e.Proxy], e.Time)
	if e.Time.After(h.loads[e.Proxy]) {
		h.loads[e.Proxy] = e.Time
	}
}

// servedAt tells when an address was first and last answered well.
func (h *history) servedAt(proxy, method, path string) (first, last time.Time) {
	for _, a := range h.served[exchange{proxy, method, path}] {
		if first.IsZero() || a.to.Before(first) {
			first = a.to
		}
		if a.to.After(last) {
			last = a.to
		}
	}
	return first, last
}

// answers are those for a file of the project, as dev servers without bundles
// give them out: the server's root may be a part of the project.
func (h *history) answers(proxy, file string) []answer {
	for path := "/" + file; ; {
		if list := h.served[exchange{proxy, "GET", path}]; len(list) > 0 {
			return list
		}
		cut := strings.IndexByte(path[1:], '/')
		if cut < 0 {
			return nil
		}
		path = path[1+cut:]
	}
}

// fetched says whether a page has got a file of the project by itself since.
func (h *history) fetched(proxy, file string, since time.Time) bool {
	return slices.ContainsFunc(h.answers(proxy, file), func(a answer) bool { return a.to.After(since) })
}

// got says whether a page has got a file of the project since: by itself, or
// with a new load or update.
func (h *history) got(proxy, file string, since time.Time) bool {
	return h.loads[proxy].After(since) || h.fetched(proxy, file, since)
}

// had tells when a page last got a file by a moment; zero: it is not known.
func (h *history) had(proxy, file string, by time.Time) time.Time {
	list := h.answers(proxy, file)
	switch {
	case len(list) == 0 && h.unseen[proxy]:
		return time.Time{}
	case len(list) == 0:
		return h.code(proxy, by)
	}
	var last time.Time
	for _, a := range list {
		if !a.to.After(by) && a.from.After(last) {
			last = a.from
		}
	}
	return last
}

// code tells when a page last got code by a moment.
func (h *history) code(proxy string, by time.Time) time.Time {
	var last time.Time
	for _, at := range h.delivered[proxy] {
		if !at.After(by) && at.After(last) {
			last = at
		}
	}
	return last
}

// visits are the stays of pages. open says of a page whether it is still there,
// and whether its load event is over.
func (h *history) visits(open func(proxy, page string) (there, loaded bool)) stay.Visits {
	var all stay.Visits
	last := map[string]int{} // page → its newest visit
	for _, e := range slices.Backward(h.stays) {
		i, known := last[e.Page]
		if e.Navigation != nil && e.Navigation.Type == "load" {
			last[e.Page] = len(all)
			all = append(all, stay.Visit{Proxy: e.Proxy, Page: e.Page, Path: pathOf(e.Navigation.To), From: e.Time, To: e.Time})
			continue
		}
		if !known {
			continue
		}
		v := &all[i]
		switch {
		case e.Navigation != nil && e.Navigation.Type == "unload":
			v.To, v.Loaded = e.Time, true
		case e.Navigation != nil && e.Navigation.Type == "replace":
		case v.Touched.IsZero():
			v.Touched = e.Time
		}
	}
	for page, i := range last {
		if there, loaded := open(all[i].Proxy, page); there {
			all[i].To, all[i].Loaded = time.Time{}, loaded
		}
	}
	return all
}
