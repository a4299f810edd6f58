package journal

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"
)

// SummaryTop is how many of the slowest, the biggest, the hosts and the paths a
// Summary names.
const SummaryTop = 5

// Summary is the journal in numbers.
type Summary struct {
	Kinds      []KindCount     `json:"kinds"` // every kind that has entries, in the order of Kinds
	Statuses   []ClassCount    `json:"statuses"`
	Methods    []NameCount     `json:"methods"`
	Errors     ErrorCounts     `json:"errors"`
	First      time.Time       `json:"first,omitzero"` // of the entries counted; zero when there are none
	Last       time.Time       `json:"last,omitzero"`
	Sent       int64           `json:"sent"`         // request bytes
	Received   int64           `json:"received"`     // response bytes
	MedianTime time.Duration   `json:"medianTimeNs"` // of HTTP exchanges
	P95Time    time.Duration   `json:"p95TimeNs"`
	Slowest    []Entry         `json:"slowest"` // HTTP, slowest first
	Biggest    []Entry         `json:"biggest"` // HTTP, largest response first
	Hosts      []NameCount     `json:"hosts"`
	Paths      []NameCount     `json:"paths"` // method and path without its query
	Dropped    map[Kind]uint64 `json:"dropped,omitempty"`
}

// KindCount counts entries of a kind.
type KindCount struct {
	Kind  Kind `json:"kind"`
	Count int  `json:"count"`
}

// ClassCount counts HTTP exchanges of a status class: 1 to 5, or 0 for those
// without a response.
type ClassCount struct {
	Class int `json:"class"`
	Count int `json:"count"`
}

// NameCount counts occurrences of a name.
type NameCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// ErrorCounts counts what is an error, by where it shows.
type ErrorCounts struct {
	Page    int `json:"page"`    // page errors, folded ones counted
	Console int `json:"console"` // console.error and failed console.assert
	HTTP    int `json:"http"`    // responses of 400 and over
	Failed  int `json:"failed"`  // exchanges that got no response
}

// Summary counts what matches q; its Limit is ignored.
func (j *Journal) Summary(q Query) Summary {
	q.Limit = 0
	lists, sel := j.snapshot(&q)
	m := newMatcher(&q)
	t := tally{
		kinds: map[Kind]int{}, classes: map[int]int{}, methods: map[string]int{},
		hosts: map[string]int{}, paths: map[endpoint]int{},
	}
	for _, list := range lists {
		for _, s := range list {
			if m.match(s.entry) {
				t.add(s.entry)
			}
		}
	}
	t.Dropped = sel.Dropped
	return t.finish()
}

type tally struct {
	Summary
	kinds     map[Kind]int
	classes   map[int]int
	methods   map[string]int
	hosts     map[string]int
	paths     map[endpoint]int
	slow, big []*Entry
	durations []time.Duration
}

type endpoint struct{ method, path string }

func (t *tally) add(e *Entry) {
	t.kinds[e.Kind]++
	if t.First.IsZero() || e.Time.Before(t.First) {
		t.First = e.Time
	}
	if e.Time.After(t.Last) {
		t.Last = e.Time
	}
	switch {
	case e.HTTP != nil:
		t.addHTTP(e)
	case e.Error != nil:
		t.Errors.Page += max(1, e.Error.Count)
	case e.Console != nil && (e.Console.Level == "error" || e.Console.Level == "assert"):
		t.Errors.Console += max(1, e.Console.Count)
	}
}

func (t *tally) addHTTP(e *Entry) {
	h := e.HTTP
	t.classes[h.Status/100]++
	t.methods[h.Method]++
	t.Sent += h.RequestBody.Size
	t.Received += h.ResponseBody.Size
	switch {
	case h.Status == 0:
		t.Errors.Failed++
	case h.Status >= 400:
		t.Errors.HTTP++
	}
	t.durations = append(t.durations, h.Duration)
	t.slow = keepTop(t.slow, e, slower)
	t.big = keepTop(t.big, e, bigger)
	path, _, _ := strings.Cut(h.URL, "?")
	if !strings.HasPrefix(path, "/") {
		if u, err := url.Parse(path); err == nil && u.Host != "" {
			t.hosts[u.Host]++
			path = u.Path
		}
	} else if host := h.RequestHead["Host"]; len(host) > 0 {
		t.hosts[host[0]]++
	}
	t.paths[endpoint{h.Method, path}]++
}

func slower(a, b *Entry) int { return cmp.Compare(b.HTTP.Duration, a.HTTP.Duration) }
func bigger(a, b *Entry) int { return cmp.Compare(b.HTTP.ResponseBody.Size, a.HTTP.ResponseBody.Size) }

// keepTop inserts e into list, which is sorted and at most SummaryTop long.
func keepTop(list []*Entry, e *Entry, by func(a, b *Entry) int) []*Entry {
	if len(list) == SummaryTop {
		if by(list[SummaryTop-1], e) <= 0 {
			return list
		}
		list = list[:SummaryTop-1]
	}
	at, _ := slices.BinarySearchFunc(list, e, by)
	return slices.Insert(list, at, e)
}

func (t *tally) finish() Summary {
	for _, k := range kinds {
		if n := t.kinds[k]; n > 0 {
			t.Kinds = append(t.Kinds, KindCount{k, n})
		}
	}
	for class := range 10 {
		if n := t.classes[class]; n > 0 {
			t.Statuses = append(t.Statuses, ClassCount{class, n})
		}
	}
	t.Methods = topNames(t.methods, len(t.methods))
	t.Hosts = topNames(t.hosts, SummaryTop)
	paths := make(map[string]int, len(t.paths))
	for p, n := range t.paths {
		paths[p.method+" "+p.path] = n
	}
	t.Paths = topNames(paths, SummaryTop)
	t.Slowest = values(t.slow)
	t.Biggest = values(t.big)
	if n := len(t.durations); n > 0 {
		slices.Sort(t.durations)
		t.MedianTime = t.durations[n/2]
		t.P95Time = t.durations[min(n-1, n*95/100)]
	}
	return t.Summary
}

func values(list []*Entry) []Entry {
	out := make([]Entry, len(list))
	for i, e := range list {
		out[i] = *e
	}
	return out
}

// topNames returns the n most frequent names, ties in order of name.
func topNames(counts map[string]int, n int) []NameCount {
	list := make([]NameCount, 0, len(counts))
	for name, count := range counts {
		list = append(list, NameCount{name, count})
	}
	slices.SortFunc(list, func(a, b NameCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return list[:min(n, len(list))]
}
