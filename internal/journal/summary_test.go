package journal

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestNth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 60; n++ {
		v := make([]time.Duration, n)
		for i := range v {
			v[i] = time.Duration(rnd.IntN(n/3 + 1)) // with repetitions
		}
		want := slices.Sorted(slices.Values(v))
		for _, k := range []int{0, n / 2, n * 95 / 100, n - 1} {
			if got := nth(v, k); got != want[k] {
				t.Fatalf("%d of %v: %d, want %d", k, want, got, want[k])
			}
		}
	}
}

// Ties are told in order of name, whatever the order of the entries and
// however many methods, paths and hosts there are.
func TestSummaryTop(t *testing.T) {
	j := New(nil)
	for i, u := range []string{"/f", "/e", "/d", "/c", "/b", "/a", "/a", "http://h2/x?q", "http://h1/x", "/a?q"} {
		method := "GET"
		if u == "/e" {
			method = "DELETE"
		}
		j.Append(httpEntry(i, method, u, 200))
	}
	s := j.Summary(Query{})
	want := []NameCount{{"GET /a", 3}, {"GET /x", 2}, {"DELETE /e", 1}, {"GET /b", 1}, {"GET /c", 1}}
	if !slices.Equal(s.Paths, want) {
		t.Errorf("paths %v", s.Paths)
	}
	if !slices.Equal(s.Methods, []NameCount{{"GET", 9}, {"DELETE", 1}}) || !slices.Equal(s.Hosts, []NameCount{{"h1", 1}, {"h2", 1}}) {
		t.Errorf("methods %v, hosts %v", s.Methods, s.Hosts)
	}
	if none := New(nil).Summary(Query{}); none.Methods == nil || none.Paths == nil || none.Hosts == nil || len(none.Slowest) != 0 {
		t.Errorf("an empty one: %+v", none)
	}
}

func TestPatternsThatAskLittle(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"/go?to=*", "/go?to=http://x/y", false}, // a star stays in its segment
		{"/go?to=**", "/go?to=http://x/y", true},
		{"/go*", "/go?to=http://x/y", true}, // the query need not be written
		{"/a*/b", "/ab", false},             // beginning and end may not share
		{"/ab*b/", "/ab/", false},
		{"/A*z", "/abcZ", true},
		{"/a*z", "http://h/abz", true},
		{"*", "/a/b", false},
		{"**", "/a/b", true},
		{`/x\d+9\//`, "/x19/", true},
		{`/x\d+9\//`, "/9/x1", false},
		{`/(ab)+c?d/`, "/ababd", true},
		{`/(?:a|b)x+y/`, "/bxxy", true},
	} {
		p, err := ParsePattern(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match(c.url); got != c.want {
			t.Errorf("%s on %s: %v", c.pattern, c.url, got)
		}
	}
}

func TestMergeRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for runs := range 40 {
		var list []*Entry
		for r := range runs {
			part := make([]*Entry, rnd.IntN(9))
			for i := range part {
				part[i] = &Entry{Seq: uint64(len(list) + i + 1), Time: at(rnd.IntN(20))}
			}
			if r%7 != 6 { // some are in no order at all
				slices.SortFunc(part, order)
			}
			list = append(list, part...)
		}
		want := slices.Clone(list)
		slices.SortFunc(want, order)
		if got := mergeRuns(list); !slices.Equal(got, want) {
			t.Fatalf("%d runs", runs)
		}
	}
}
