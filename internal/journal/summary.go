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
	t := tally{}
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

// tally counts. It is asked for every entry of a full journal, so what has few
// values is counted in short lists, found by where the last one was.
type tally struct {
	Summary
	kinds     [len(kinds)]int
	classes   [10]int
	methods   []methodCount
	hosts     []NameCount
	kind      int // index of the last entry's kind
	method    int // of the last method
	host      int // of the last host
	slow, big []*Entry
	durations []time.Duration
}

type methodCount struct {
	name  string
	count int
	paths map[string]*int
}

func (t *tally) add(e *Entry) {
	if kinds[t.kind] != e.Kind {
		t.kind = max(0, indexOf(e.Kind))
	}
	t.kinds[t.kind]++
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
	t.classes[max(0, h.Status/100)%len(t.classes)]++
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
			t.addHost(u.Host)
			path = u.Path
		}
	} else if host := h.RequestHead["Host"]; len(host) > 0 {
		t.addHost(host[0])
	}
	m := t.methodOf(h.Method)
	m.count++
	if n := m.paths[path]; n != nil {
		*n++
		return
	}
	one := 1
	m.paths[path] = &one
}

func (t *tally) methodOf(name string) *methodCount {
	if t.method >= len(t.methods) || t.methods[t.method].name != name {
		t.method = slices.IndexFunc(t.methods, func(m methodCount) bool { return m.name == name })
		if t.method < 0 {
			t.method = len(t.methods)
			t.methods = append(t.methods, methodCount{name: name, paths: map[string]*int{}})
		}
	}
	return &t.methods[t.method]
}

func (t *tally) addHost(name string) {
	if t.host >= len(t.hosts) || t.hosts[t.host].Name != name {
		t.host = slices.IndexFunc(t.hosts, func(h NameCount) bool { return h.Name == name })
		if t.host < 0 {
			t.host = len(t.hosts)
			t.hosts = append(t.hosts, NameCount{Name: name})
		}
	}
	t.hosts[t.host].Count++
}

func slower(a, b *Entry) int { return cmp.Compare(b.HTTP.Duration, a.HTTP.Duration) }
func bigger(a, b *Entry) int { return cmp.Compare(b.HTTP.ResponseBody.Size, a.HTTP.ResponseBody.Size) }

// keepTop inserts e into list, which is sorted and at most SummaryTop long.
func keepTop[T any](list []T, e T, by func(a, b T) int) []T {
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
	for i, k := range kinds {
		if n := t.kinds[i]; n > 0 {
			t.Kinds = append(t.Kinds, KindCount{k, n})
		}
	}
	for class, n := range t.classes {
		if n > 0 {
			t.Statuses = append(t.Statuses, ClassCount{class, n})
		}
	}
	t.Methods = make([]NameCount, 0, len(t.methods))
	for _, m := range t.methods {
		t.Methods = append(t.Methods, NameCount{m.name, m.count})
	}
	slices.SortFunc(t.Methods, oftener)
	slices.SortFunc(t.hosts, oftener)
	t.Hosts = append(make([]NameCount, 0, SummaryTop), t.hosts[:min(SummaryTop, len(t.hosts))]...)
	t.Paths = t.topPaths()
	t.Slowest = values(t.slow)
	t.Biggest = values(t.big)
	if n := len(t.durations); n > 0 {
		t.P95Time = nth(t.durations, min(n-1, n*95/100))
		t.MedianTime = nth(t.durations, n/2)
	}
	return t.Summary
}

func (t *tally) topPaths() []NameCount {
	var all []NameCount
	for _, m := range t.methods {
		var top []NameCount
		for path, n := range m.paths {
			top = keepTop(top, NameCount{path, *n}, oftener)
		}
		for i := range top {
			top[i].Name = m.name + " " + top[i].Name
		}
		all = append(all, top...)
	}
	slices.SortFunc(all, oftener)
	return append(make([]NameCount, 0, SummaryTop), all[:min(SummaryTop, len(all))]...)
}

// oftener puts the more frequent first, ties in order of name.
func oftener(a, b NameCount) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
}

func values(list []*Entry) []Entry {
	out := make([]Entry, len(list))
	for i, e := range list {
		out[i] = *e
	}
	return out
}

// nth returns what would stand at k if v were sorted, and moves v's values.
func nth(v []time.Duration, k int) time.Duration {
	lo, hi := 0, len(v)-1
	for lo < hi {
		pivot := v[lo+(hi-lo)/2]
		i, j := lo, hi
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for v[j] > pivot {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return v[k]
		}
	}
	return v[k]
}
