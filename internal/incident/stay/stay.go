// Package stay knows how long documents stayed open in pages, and so whether
// what went wrong in one has had its chance to go wrong again.
package stay

import "time"

// margin is how much longer than the first time something may take to happen
// again.
const margin = time.Second

// Visit is one document's stay in a page, from its load on.
type Visit struct {
	Proxy, Page, Path string
	From              time.Time
	To                time.Time // zero: it is still open
	// Touched is when somebody first did something in it, or it changed its
	// route; zero: never. What comes after that is not the load's doing.
	Touched time.Time
	Loaded  bool // its load event is over
}

// Visits are the stays of all pages, in any order.
type Visits []Visit

// Event is something that went wrong.
type Event struct {
	Proxy string
	Page  string // "": some page of the proxy's
	// Began is when it first came in that page, Last when last.
	Began, Last time.Time
	// Code is when the page got the code that did it, as far as it is known: a
	// load, or an update later on.
	Code time.Time
}

// of is the visit in which an event began.
func (all Visits) of(e *Event) *Visit {
	var best *Visit
	for i := range all {
		v := &all[i]
		if v.Proxy != e.Proxy || e.Page != "" && v.Page != e.Page || v.From.After(e.Began) || !v.To.IsZero() && v.To.Before(e.Began) {
			continue
		}
		if best == nil || v.From.After(best.From) {
			best = v
		}
	}
	return best
}

// Cause is when the page got the code that the event is due to, and how long
// after that it came. False: it is not the code's doing alone, since somebody
// had done something in the page by then, or the page is not known.
func (all Visits) Cause(e Event) (got time.Time, after time.Duration, ok bool) {
	v := all.of(&e)
	if v == nil || !v.Touched.IsZero() && !v.Touched.After(e.Last) {
		return time.Time{}, 0, false
	}
	got = v.From
	if e.Code.After(got) {
		got = e.Code
	}
	return got, e.Began.Sub(got), true
}

// Clean says whether the same address has been loaded since the event came last
// and has stayed for so long that it would have come again.
func (all Visits) Clean(e Event, now time.Time) bool {
	v := all.of(&e)
	_, after, ok := all.Cause(e)
	if !ok {
		return false
	}
	for i := range all {
		w := &all[i]
		end := w.To
		if end.IsZero() {
			end = now
		}
		if w.Proxy == e.Proxy && w.Path == v.Path && w.Loaded && w.From.After(e.Last) && end.Sub(w.From) >= after+margin {
			return true
		}
	}
	return false
}
