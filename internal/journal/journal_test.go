package journal

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/quick"
	"time"

	"github.com/google/go-cmp/cmp"
)

var epoch = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

func httpEntry(ms int, method, url string, status int) Entry {
	return Entry{Kind: KindHTTP, Time: at(ms), Proxy: "web", HTTP: &HTTP{Method: method, URL: url, Status: status}}
}

func consoleEntry(ms int, text string) Entry {
	return Entry{Kind: KindConsole, Time: at(ms), Proxy: "web", Page: "p1", Console: &Console{Level: "log", Text: text, Count: 1}}
}

func seqs(entries []Entry) []uint64 {
	out := []uint64{}
	for _, e := range entries {
		out = append(out, e.Seq)
	}
	return out
}

func pattern(t testing.TB, s string) Pattern {
	t.Helper()
	p, err := ParsePattern(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelectFilters(t *testing.T) {
	j := New(nil)
	j.Append(httpEntry(0, "GET", "/", 200))                           // 1
	j.Append(httpEntry(10, "POST", "/api/users?id=7", 201))           // 2
	j.Append(httpEntry(20, "GET", "/api/users/7", 404))               // 3
	j.Append(consoleEntry(30, "hello"))                               // 4
	j.Append(httpEntry(40, "GET", "http://cdn.test/Api/lib.js", 500)) // 5
	j.Append(Entry{Kind: KindHTTP, Time: at(50), Proxy: "other", Page: "p9", HTTP: &HTTP{Method: "GET", URL: "/x"}})
	j.Append(Entry{Kind: KindNavigation, Time: at(60), Proxy: "web", Navigation: &Navigation{Type: "push", To: "http://h/api/nav"}})

	for name, tc := range map[string]struct {
		q    Query
		want []uint64
	}{
		"everything":         {Query{}, []uint64{7, 6, 5, 4, 3, 2, 1}},
		"kind":               {Query{Kinds: []Kind{KindConsole, KindNavigation}}, []uint64{7, 4}},
		"method any case":    {Query{Methods: []string{"post"}}, []uint64{2}},
		"status class":       {Query{Statuses: []StatusRange{{400, 499}, {500, 599}}}, []uint64{5, 3}},
		"no response":        {Query{Statuses: []StatusRange{{0, 0}}}, []uint64{6}},
		"url substring":      {Query{URL: pattern(t, "/api/")}, []uint64{7, 5, 3, 2}},
		"url glob":           {Query{URL: pattern(t, "/api/*")}, []uint64{7, 5, 2}},
		"url deep glob":      {Query{URL: pattern(t, "/api/**")}, []uint64{7, 5, 3, 2}},
		"url regexp":         {Query{URL: pattern(t, `/users\/\d+$/`)}, []uint64{3}},
		"since inclusive":    {Query{Since: at(40)}, []uint64{7, 6, 5}},
		"until inclusive":    {Query{Until: at(10)}, []uint64{2, 1}},
		"proxy":              {Query{Proxy: "other"}, []uint64{6}},
		"page":               {Query{Page: "p1"}, []uint64{4}},
		"ids":                {Query{Seqs: []uint64{2, 5, 99}}, []uint64{5, 2}},
		"after":              {Query{After: 5}, []uint64{7, 6}},
		"method and console": {Query{Kinds: []Kind{KindConsole}, Methods: []string{"GET"}}, []uint64{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, seqs(j.Select(tc.q).Entries)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSelectSaysWhatItLeftOut(t *testing.T) {
	j := New(Limits{KindConsole: {Count: 10, Bytes: 1 << 20}})
	for i := range 25 {
		j.Append(consoleEntry(i, "x"))
	}
	sel := j.Select(Query{Limit: 4})
	if sel.Matched != 10 || sel.Cut != 6 || sel.Dropped[KindConsole] != 15 || sel.Last != 25 {
		t.Errorf("matched %d, cut %d, dropped %v, last %d", sel.Matched, sel.Cut, sel.Dropped, sel.Last)
	}
	if diff := cmp.Diff([]uint64{25, 24, 23, 22}, seqs(sel.Entries)); diff != "" {
		t.Error(diff)
	}
	if got := j.Select(Query{Kinds: []Kind{KindHTTP}}).Dropped; len(got) != 0 {
		t.Errorf("drops of a kind nobody asked for: %v", got)
	}
}

// An exchange is appended when it ends but belongs where it began.
func TestNewestFirstIsByTime(t *testing.T) {
	j := New(nil)
	j.Append(consoleEntry(50, "later"))
	j.Append(httpEntry(10, "GET", "/slow", 200))
	j.Append(consoleEntry(50, "same time, appended after"))
	if diff := cmp.Diff([]uint64{3, 1, 2}, seqs(j.Select(Query{}).Entries)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]uint64{3, 1}, seqs(j.Select(Query{Limit: 2}).Entries)); diff != "" {
		t.Error(diff)
	}
}

func TestBytesBound(t *testing.T) {
	const bound = 1 << 20
	j := New(Limits{KindHTTP: {Count: 1000, Bytes: bound}})
	for i := range 100 {
		e := httpEntry(i, "GET", "/", 200)
		e.HTTP.ResponseBody = Body{Size: 64 << 10, Data: make([]byte, 64<<10)}
		j.Append(e)
	}
	u := j.Usage()[0]
	if u.Bytes > bound || u.Count < 10 || u.Count+int(u.Dropped) != 100 {
		t.Errorf("usage %+v", u)
	}
	// One over the whole bound still shows: an answer without the newest entry would be a lie.
	huge := httpEntry(200, "GET", "/huge", 200)
	huge.HTTP.ResponseBody.Data = make([]byte, 2*bound)
	j.Append(huge)
	if sel := j.Select(Query{}); len(sel.Entries) != 1 || sel.Entries[0].HTTP.URL != "/huge" {
		t.Errorf("after a huge entry: %d entries", len(sel.Entries))
	}
}

func TestClear(t *testing.T) {
	j := New(nil)
	for i := range 40 {
		e := consoleEntry(i, "x")
		if i%2 == 0 {
			e.Proxy = "other"
		}
		j.Append(e)
		j.Append(httpEntry(i, "GET", "/", 200))
	}
	if n := j.Clear("other", KindConsole); n != 20 {
		t.Errorf("cleared %d, want 20", n)
	}
	sel := j.Select(Query{})
	if sel.Matched != 60 || len(sel.Dropped) != 0 {
		t.Errorf("left %d, dropped %v", sel.Matched, sel.Dropped)
	}
	seq := j.Append(consoleEntry(99, "after"))
	if seq != 81 {
		t.Errorf("sequence after clear = %d, want 81: numbers are never reused", seq)
	}
	if n := j.Clear(""); n != 61 {
		t.Errorf("cleared %d, want all 61", n)
	}
}

func TestUnknownKindIsNotStored(t *testing.T) {
	j := New(nil)
	if seq := j.Append(Entry{Kind: "nonsense"}); seq != 0 || j.Last() != 0 {
		t.Errorf("seq %d, last %d", seq, j.Last())
	}
}

func TestPatterns(t *testing.T) {
	for _, tc := range []struct {
		pattern, url string
		want         bool
	}{
		{"/api/", "/api/x", true},
		{"/api/", "/API/x", true},
		{"/api/", "/apix", false},
		{"/a.c/", "/abc/", false}, // a path with a dot, not a regular expression
		{"/a+c/", "/aac/", true},
		{"/USER$/i", "/user", true},
		{"/USER$/", "/user", false},
		{"*.js", "/x/y.js", false}, // * stays in its segment
		{"**.js", "/x/y.js", true},
		{"**.js", "/x/y.js?v=1", true},
		{"/x/*.js", "http://h:1/x/y.js", true},
		{"/x/*", "/x/y/z", false},
		{"/search?q=*", "/search?q=abc", true},
		{"/search?q=*", "/searchXq=abc", false},
		{"", "/anything", true},
	} {
		if got := pattern(t, tc.pattern).Match(tc.url); got != tc.want {
			t.Errorf("%q on %q = %v, want %v", tc.pattern, tc.url, got, tc.want)
		}
	}
	if _, err := ParsePattern("/a(/"); err == nil || !strings.Contains(err.Error(), "/a(/") {
		t.Errorf("bad expression: %v", err)
	}
}

func TestParseStatus(t *testing.T) {
	for in, want := range map[string]StatusRange{
		"404": {404, 404}, "4xx": {400, 499}, "5XX": {500, 599}, "400-499": {400, 499}, ">=400": {400, 999}, "0": {0, 0},
	} {
		if got, err := ParseStatus(in); err != nil || got != want {
			t.Errorf("%q = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "abc", "6xx", "500-400", "-1", ">=x", "4x", "1000"} {
		if got, err := ParseStatus(in); err == nil {
			t.Errorf("%q accepted as %v", in, got)
		}
	}
}

func TestSummary(t *testing.T) {
	j := New(nil)
	for i := range 20 {
		e := httpEntry(i, "GET", fmt.Sprintf("/item?n=%d", i), 200)
		e.HTTP.Duration = time.Duration(i+1) * time.Millisecond
		e.HTTP.ResponseBody.Size = int64(100 - i)
		j.Append(e)
	}
	j.Append(httpEntry(30, "POST", "http://api.test/login", 401))
	j.Append(httpEntry(31, "GET", "/down", 0))
	j.Append(Entry{Kind: KindError, Time: at(32), Error: &PageError{Count: 3}})
	j.Append(Entry{Kind: KindConsole, Time: at(33), Console: &Console{Level: "error", Count: 2}})
	j.Append(consoleEntry(34, "fine"))

	s := j.Summary(Query{})
	if diff := cmp.Diff([]KindCount{{KindHTTP, 22}, {KindError, 1}, {KindConsole, 2}}, s.Kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]ClassCount{{0, 1}, {2, 20}, {4, 1}}, s.Statuses); diff != "" {
		t.Error(diff)
	}
	if want := (ErrorCounts{Page: 3, Console: 2, HTTP: 1, Failed: 1}); s.Errors != want {
		t.Errorf("errors %+v, want %+v", s.Errors, want)
	}
	if diff := cmp.Diff([]uint64{20, 19, 18, 17, 16}, seqs(s.Slowest)); diff != "" {
		t.Error("slowest", diff)
	}
	if diff := cmp.Diff([]uint64{1, 2, 3, 4, 5}, seqs(s.Biggest)); diff != "" {
		t.Error("biggest", diff)
	}
	if s.Paths[0] != (NameCount{"GET /item", 20}) || s.Hosts[0] != (NameCount{"api.test", 1}) {
		t.Errorf("paths %v, hosts %v", s.Paths, s.Hosts)
	}
	if !s.First.Equal(at(0)) || !s.Last.Equal(at(34)) {
		t.Errorf("from %v to %v", s.First, s.Last)
	}
}

// naive is the journal as one would write it without bounds on cost: a list per
// kind that is trimmed from the front.
type naive struct {
	limit   Limit
	seq     uint64
	lists   map[Kind][]Entry
	dropped map[Kind]uint64
}

func (n *naive) append(e Entry) {
	n.seq++
	e.Seq = n.seq
	list := append(n.lists[e.Kind], e)
	total := func() (b int) {
		for i := range list {
			b += sizeOf(&list[i])
		}
		return b
	}
	for len(list) > 1 && (len(list) > n.limit.Count || total() > n.limit.Bytes) {
		list = list[1:]
		n.dropped[e.Kind]++
	}
	n.lists[e.Kind] = list
}

func (n *naive) query(q Query) []uint64 {
	var all []Entry
	for _, list := range n.lists {
		for _, e := range list {
			if len(q.Kinds) > 0 && !slices.Contains(q.Kinds, e.Kind) || e.Seq <= q.After || q.Proxy != "" && e.Proxy != q.Proxy {
				continue
			}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if !a.Time.Equal(b.Time) {
			return b.Time.Compare(a.Time)
		}
		return int(b.Seq) - int(a.Seq)
	})
	if q.Limit > 0 && len(all) > q.Limit {
		all = all[:q.Limit]
	}
	return seqs(all)
}

func TestAgainstNaiveModel(t *testing.T) {
	limit := Limit{Count: 23, Bytes: 12_000}
	check := func(seed uint64) bool {
		r := rand.New(rand.NewPCG(seed, 1))
		limits := Limits{}
		for _, k := range Kinds() {
			limits[k] = limit
		}
		j := New(limits)
		model := &naive{limit: limit, lists: map[Kind][]Entry{}, dropped: map[Kind]uint64{}}
		for range 400 {
			e := consoleEntry(r.IntN(1000), strings.Repeat("x", r.IntN(900)))
			if r.IntN(2) == 0 {
				e = httpEntry(r.IntN(1000), "GET", "/"+strings.Repeat("u", r.IntN(300)), 200)
			}
			if r.IntN(3) == 0 {
				e.Proxy = "other"
			}
			j.Append(e)
			model.append(e)
			if r.IntN(40) == 0 {
				kind := []Kind{KindHTTP, KindConsole}[r.IntN(2)]
				j.Clear("other", kind)
				model.lists[kind] = slices.DeleteFunc(slices.Clone(model.lists[kind]), func(e Entry) bool { return e.Proxy == "other" })
			}
			q := Query{Limit: r.IntN(30), After: uint64(r.IntN(int(model.seq) + 1))}
			if r.IntN(2) == 0 {
				q.Kinds = []Kind{KindConsole}
			}
			if r.IntN(3) == 0 {
				q.Proxy = "web"
			}
			if diff := cmp.Diff(model.query(q), seqs(j.Select(q).Entries)); diff != "" {
				t.Logf("seed %d, query %+v: %s", seed, q, diff)
				return false
			}
		}
		for _, u := range j.Usage() {
			if u.Dropped != model.dropped[u.Kind] || u.Count != len(model.lists[u.Kind]) {
				t.Logf("seed %d: %+v, want dropped %d count %d", seed, u, model.dropped[u.Kind], len(model.lists[u.Kind]))
				return false
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 30}); err != nil {
		t.Error(err)
	}
}

func TestConcurrentProducersAndReaders(t *testing.T) {
	j := New(Limits{KindConsole: {Count: 500, Bytes: 1 << 20}})
	const producers, each = 8, 500
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for i := range each {
				j.Append(consoleEntry(i, fmt.Sprint(p)))
				if i%50 == 0 {
					j.Select(Query{Limit: 10, URL: pattern(t, "/x")})
					j.Summary(Query{})
				}
			}
		})
	}
	wg.Wait()
	u := j.Usage()[indexOf(KindConsole)]
	if u.Count != 500 || u.Dropped != producers*each-500 || j.Last() != producers*each {
		t.Errorf("%+v, last %d", u, j.Last())
	}
}

// fullJournal is as full as the default bounds allow, with entries as a dev
// server makes them.
func fullJournal() *Journal {
	j := New(nil)
	head := http.Header{}
	for i := range 12 {
		head[fmt.Sprintf("X-Header-%d", i)] = []string{"some ordinary value"}
	}
	limits := New(Limits{KindHTTP: {Count: HTTPCount, Bytes: 1 << 40}})
	j.rings[0].limit = limits.rings[0].limit
	for i := range HTTPCount {
		e := httpEntry(i, "GET", fmt.Sprintf("/assets/chunk-%d/module.js?v=%d", i%300, i), 200)
		e.HTTP.RequestHead, e.HTTP.ResponseHead = head, head
		e.HTTP.Duration = time.Duration(i*7919%1000) * time.Millisecond
		j.Append(e)
	}
	for i := range ConsoleCount {
		j.Append(consoleEntry(i, "a line of text that the page logged"))
		j.Append(Entry{Kind: KindPerformance, Time: at(i), Performance: &Performance{Name: "LCP"}})
		j.Append(Entry{Kind: KindAction, Time: at(i), Action: &Action{Type: "click"}})
	}
	return j
}

func BenchmarkAppend(b *testing.B) {
	j := New(nil)
	head := http.Header{}
	for i := range 12 {
		head[fmt.Sprintf("X-Header-%d", i)] = []string{"some ordinary value"}
	}
	body := make([]byte, 512)
	h := &HTTP{Method: "GET", URL: "/api/things?page=3", Status: 200, RequestHead: head, ResponseHead: head, ResponseBody: Body{Data: body}}
	b.ReportAllocs()
	for b.Loop() {
		j.Append(Entry{Kind: KindHTTP, Time: epoch, Proxy: "web", HTTP: h})
	}
}

func BenchmarkSelectFull(b *testing.B) {
	j := fullJournal()
	for name, q := range map[string]Query{
		"everything": {Limit: 50},
		"substring":  {Kinds: []Kind{KindHTTP}, URL: pattern(b, "chunk-299"), Limit: 50},
		"glob":       {Kinds: []Kind{KindHTTP}, URL: pattern(b, "/assets/*/module.js"), Limit: 50},
		"regexp":     {Kinds: []Kind{KindHTTP}, URL: pattern(b, `/chunk-\d+9\//`), Limit: 50},
		"status":     {Statuses: []StatusRange{{500, 599}}, Limit: 50},
		"no limit":   {},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				j.Select(q)
			}
		})
	}
	b.Run("summary", func(b *testing.B) {
		for b.Loop() {
			j.Summary(Query{})
		}
	})
}

// The byte bounds are worth something only if the estimate is near what the
// runtime really keeps.
func TestFullJournalStaysWithinItsBytes(t *testing.T) {
	total := 0
	for _, u := range New(nil).Usage() {
		total += u.Limit.Bytes
	}
	if total > 32<<20 {
		t.Fatalf("the default bounds add up to %d bytes", total)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	j := New(nil)
	for i := range 3 * HTTPCount {
		e := httpEntry(i, "GET", fmt.Sprintf("/api/things/%d?page=%d", i, i), 200)
		e.HTTP.RequestHead, e.HTTP.ResponseHead = realHead(i), realHead(i)
		e.HTTP.ResponseBody = Body{Size: 900, Data: make([]byte, 900)}
		j.Append(e)
		j.Append(consoleEntry(i, strings.Repeat("x", 1000+i%3)))
		j.Append(Entry{Kind: KindError, Time: at(i), Error: &PageError{Message: strings.Repeat("m", 300+i%3), Stack: strings.Repeat("s", 1500+i%3)}})
		j.Append(Entry{Kind: KindAction, Time: at(i), Action: &Action{Type: "click", Target: strings.Repeat("t", 30+i%3)}})
		j.Append(Entry{Kind: KindPerformance, Time: at(i), Performance: &Performance{Name: "LCP", Target: strings.Repeat("t", 30+i%3)}})
	}
	kept := int(heap() - before)
	estimate := 0
	for _, u := range j.Usage() {
		estimate += u.Bytes
	}
	t.Logf("kept %d bytes, estimated %d", kept, estimate)
	if kept > estimate*5/4 || kept > 40<<20 {
		t.Errorf("%d bytes are kept, the estimate is %d", kept, estimate)
	}
	runtime.KeepAlive(j)
}

func realHead(i int) http.Header {
	h := http.Header{}
	for k := range 12 {
		h[fmt.Sprintf("X-Header-%d", k)] = []string{fmt.Sprintf("an ordinary value of some length %d", i+k)}
	}
	return h
}
