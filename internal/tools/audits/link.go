package audits

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"oriel/internal/audit"
	"oriel/internal/engine"
	"oriel/internal/journal"
)

// call is one record of the page's buffer, as far as the log can know it.
type call struct {
	ID        string  `json:"id"`
	Method    string  `json:"method"`
	URL       string  `json:"url"`
	Timestamp float64 `json:"timestamp"` // ms since the epoch
}

// slack is how much earlier than the page's clock says a request may seem to
// arrive: the two clocks are read in two processes.
const slack = 50 * time.Millisecond

// link writes, in place of the page's ids of calls, the ids of the log's
// entries for them, so that proxylog {ids} shows just those. A call that the
// proxy never saw (from a cache, a service worker, another origin) keeps the
// page's id.
func link(r *audit.Report, calls []byte, log *journal.Journal, p *engine.Proxy) {
	var made []call
	if json.Unmarshal(calls, &made) != nil || len(made) == 0 {
		return
	}
	entries := log.Select(journal.Query{Kinds: []journal.Kind{journal.KindHTTP}, Proxy: p.Spec.ID}).Entries
	slices.Reverse(entries) // oldest first
	seqs := match(made, entries, p.URL())
	for i := range r.Findings {
		ids := r.Findings[i].Calls
		for j, id := range ids {
			if seq, ok := seqs[id]; ok {
				ids[j] = strconv.FormatUint(seq, 10)
			}
		}
	}
}

// match pairs calls with entries: same method and path, the same query where
// nothing in it was redacted, in the order of time.
func match(made []call, entries []journal.Entry, origin string) map[string]uint64 {
	type key struct{ method, path string }
	byPath := map[key][]journal.Entry{}
	for _, e := range entries {
		u, err := url.Parse(e.HTTP.URL)
		if err == nil {
			k := key{e.HTTP.Method, u.Path}
			byPath[k] = append(byPath[k], e)
		}
	}
	slices.SortStableFunc(made, func(a, b call) int { return int(a.Timestamp - b.Timestamp) })
	used := map[uint64]bool{}
	seqs := map[string]uint64{}
	for _, c := range made {
		u, err := url.Parse(c.URL)
		if err != nil || u.Scheme+"://"+u.Host != origin {
			continue
		}
		at := time.UnixMilli(int64(c.Timestamp)).Add(-slack)
		for _, e := range byPath[key{c.Method, u.Path}] {
			if !used[e.Seq] && !e.Time.Before(at) && sameQuery(u, e.HTTP.URL) {
				used[e.Seq] = true
				seqs[c.ID] = e.Seq
				break
			}
		}
	}
	return seqs
}

// sameQuery compares the parameters that were not redacted.
func sameQuery(u *url.URL, logged string) bool {
	v, err := url.Parse(logged)
	if err != nil {
		return false
	}
	if u.RawQuery == v.RawQuery {
		return true
	}
	a, b := u.Query(), v.Query()
	if len(a) != len(b) {
		return false
	}
	for name, values := range b {
		if !slices.Equal(values, a[name]) && !slices.Contains(values, "[redacted]") {
			return false
		}
	}
	return true
}
