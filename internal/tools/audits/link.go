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
	"oriel/internal/quote"
	"oriel/internal/report"
	"oriel/internal/report/chart"
)

// call is one record of the page's buffer, as far as the log can know it and a
// chart needs it.
type call struct {
	ID        string   `json:"id"`
	Method    string   `json:"method"`
	URL       string   `json:"url"`
	Timestamp float64  `json:"timestamp"` // ms since the epoch
	Start     float64  `json:"start"`     // ms since the page's navigation began
	End       *float64 `json:"end"`
	Status    int      `json:"status"`
	Error     string   `json:"error"`
	Aborted   bool     `json:"aborted"`
}

// readCalls reads the page's buffer; what cannot be read is no call.
func readCalls(data []byte) []call {
	var made []call
	if json.Unmarshal(data, &made) != nil {
		return nil
	}
	return made
}

// timeline is the calls as a chart takes them.
func timeline(made []call) []report.Call {
	calls := make([]report.Call, len(made))
	for i, c := range made {
		calls[i] = report.Call{
			ID: quote.Text(c.ID, 64), Method: quote.Text(c.Method, 16), URL: quote.Text(chart.Redacted(c.URL), 2000), Start: c.Start, End: c.End,
			Status: c.Status, Error: quote.Text(c.Error, 200), Aborted: c.Aborted,
		}
	}
	return calls
}

// slack is how much earlier than the page's clock says a request may seem to
// arrive: the two clocks are read in two processes.
const slack = 50 * time.Millisecond

// link writes, in place of the page's ids of calls, the ids of the log's
// entries for them, so that proxylog {ids} shows just those. A call that the
// proxy never saw (from a cache, a service worker, another origin) keeps the
// page's id. The calls get the same ids.
func link(r *audit.Report, made []call, log *journal.Journal, p *engine.Proxy) {
	if len(made) == 0 {
		return
	}
	entries := log.Select(journal.Query{Kinds: []journal.Kind{journal.KindHTTP}, Proxy: p.Spec.ID}).Entries
	slices.Reverse(entries) // oldest first
	seqs := match(made, entries, p.URL())
	rename := func(id *string) {
		if seq, ok := seqs[*id]; ok {
			*id = strconv.FormatUint(seq, 10)
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		rename(&f.SharedWith)
		for j := range f.Calls {
			rename(&f.Calls[j])
		}
	}
	for i := range made {
		rename(&made[i].ID)
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
		if len(values) != len(a[name]) || (!slices.Equal(values, a[name]) && !slices.Contains(values, "[redacted]")) {
			return false
		}
	}
	return true
}
