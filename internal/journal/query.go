package journal

import (
	"slices"
	"strings"
	"time"
)

// Query selects entries. Every field that is set must match; a zero Query
// matches everything. Methods and Statuses only match HTTP entries, URL only
// entries that have one.
type Query struct {
	Kinds    []Kind
	Methods  []string // in any case
	Statuses []StatusRange
	URL      Pattern
	Since    time.Time // inclusive
	Until    time.Time // inclusive
	Proxy    string
	Page     string
	Seqs     []uint64
	After    uint64 // only entries with a higher sequence number
	Limit    int    // at most this many, the newest; 0 means no limit
}

// Selection is the answer to a Query.
type Selection struct {
	Entries []Entry         // newest first by Time, then by Seq
	Matched int             // how many matched
	Cut     int             // how many of them the limit left out, all older than Entries
	Dropped map[Kind]uint64 // pushed out of the journal since it began; only kinds that lost some, and only asked-for ones
	Last    uint64          // cursor: every entry so far has a Seq of at most this
}

// Select answers q. It blocks producers only while it copies references.
func (j *Journal) Select(q Query) Selection {
	lists, out := j.snapshot(&q)
	m := newMatcher(&q)
	top := newest{limit: q.Limit}
	for _, list := range lists {
		for i := len(list) - 1; i >= 0; i-- {
			if e := list[i].entry; m.match(e) {
				top.add(e)
			}
		}
	}
	out.Matched = top.seen
	found := top.sorted()
	out.Entries = make([]Entry, len(found))
	for i, e := range found {
		out.Entries[i] = *e
	}
	out.Cut = out.Matched - len(out.Entries)
	return out
}

// snapshot copies the references q could be about.
func (j *Journal) snapshot(q *Query) ([][]slot, Selection) {
	var lists [][]slot
	out := Selection{Dropped: map[Kind]uint64{}}
	j.mu.Lock()
	defer j.mu.Unlock()
	out.Last = j.seq
	for i := range j.rings {
		r := &j.rings[i]
		if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, kinds[i]) {
			continue
		}
		if r.dropped > 0 {
			out.Dropped[kinds[i]] = r.dropped
		}
		if kinds[i] != KindHTTP && (len(q.Methods) > 0 || len(q.Statuses) > 0) {
			continue
		}
		list := make([]slot, r.n)
		r.copyTo(list)
		lists = append(lists, list[r.since(q.After):])
	}
	return lists, out
}

// matcher is a Query made ready to be asked many times.
type matcher struct {
	*Query
	seqs   map[uint64]bool
	anyURL bool
}

func newMatcher(q *Query) matcher {
	m := matcher{Query: q, anyURL: q.URL.source == ""}
	if len(q.Seqs) > 0 {
		m.seqs = make(map[uint64]bool, len(q.Seqs))
		for _, s := range q.Seqs {
			m.seqs[s] = true
		}
	}
	return m
}

func (m matcher) match(e *Entry) bool {
	switch {
	case m.seqs != nil && !m.seqs[e.Seq],
		e.Seq <= m.After,
		m.Proxy != "" && e.Proxy != m.Proxy,
		m.Page != "" && e.Page != m.Page,
		!m.Since.IsZero() && e.Time.Before(m.Since),
		!m.Until.IsZero() && e.Time.After(m.Until):
		return false
	}
	return m.matchHTTP(e) && (m.anyURL || m.matchURL(e))
}

func (m matcher) matchHTTP(e *Entry) bool {
	if len(m.Methods) == 0 && len(m.Statuses) == 0 {
		return true
	}
	if e.HTTP == nil {
		return false
	}
	if len(m.Methods) > 0 && !slices.ContainsFunc(m.Methods, func(want string) bool {
		return strings.EqualFold(want, e.HTTP.Method)
	}) {
		return false
	}
	return len(m.Statuses) == 0 || slices.ContainsFunc(m.Statuses, func(r StatusRange) bool {
		return r.Contains(e.HTTP.Status)
	})
}

func (m matcher) matchURL(e *Entry) bool {
	url := e.URL()
	return url != "" && m.URL.Match(url)
}

// URL returns the URL that the entry is about, or "".
func (e *Entry) URL() string {
	switch {
	case e.HTTP != nil:
		return e.HTTP.URL
	case e.WebSocket != nil:
		return e.WebSocket.URL
	case e.Navigation != nil:
		return e.Navigation.To
	case e.Error != nil:
		return e.Error.URL
	}
	return ""
}

// order puts newer entries first.
func order(a, b *Entry) int {
	if c := b.Time.Compare(a.Time); c != 0 {
		return c
	}
	if a.Seq > b.Seq {
		return -1
	}
	return 1
}

// newest keeps the limit newest of the entries it is given. Entries come nearly
// in order, so that almost all beyond the limit cost one comparison.
type newest struct {
	limit int
	seen  int
	list  []*Entry
}

func (n *newest) add(e *Entry) {
	n.seen++
	if n.limit <= 0 {
		n.list = append(n.list, e)
		return
	}
	if len(n.list) == n.limit {
		if order(n.list[len(n.list)-1], e) < 0 {
			return
		}
		n.list = n.list[:n.limit-1]
	}
	at, _ := slices.BinarySearchFunc(n.list, e, order)
	n.list = slices.Insert(n.list, at, e)
}

func (n *newest) sorted() []*Entry {
	if n.limit <= 0 {
		return mergeRuns(n.list)
	}
	return n.list
}

// mergeRuns sorts a list that is mostly a few sorted ones after each other, as
// the kinds' entries are, by merging them.
func mergeRuns(list []*Entry) []*Entry {
	var ends []int
	for i := 1; i <= len(list); i++ {
		if i == len(list) || order(list[i-1], list[i]) > 0 {
			ends = append(ends, i)
		}
		if len(ends) > 4*len(kinds) {
			slices.SortFunc(list, order)
			return list
		}
	}
	spare := make([]*Entry, len(list))
	for len(ends) > 1 {
		from, left := 0, ends[:0]
		for i := 0; i < len(ends); i += 2 {
			middle, to := ends[i], ends[min(i+1, len(ends)-1)]
			merge(spare[from:to], list[from:middle], list[middle:to])
			left = append(left, to)
			from = to
		}
		ends = left
		list, spare = spare, list
	}
	return list
}

// merge puts two sorted lists into dst, which is as long as both.
func merge(dst, a, b []*Entry) {
	for i := range dst {
		if len(b) == 0 || len(a) > 0 && order(a[0], b[0]) < 0 {
			dst[i], a = a[0], a[1:]
		} else {
			dst[i], b = b[0], b[1:]
		}
	}
}
