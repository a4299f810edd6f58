package chart

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"oriel/internal/audit"
)

func shop(t *testing.T) Input {
	t.Helper()
	data, err := os.ReadFile("../testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Input
		Audits []audit.Report
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	page.Report = page.Audits[0]
	return page.Input
}

func ended(t float64) *float64 { return &t }

// opened are the parts of a picture by id.
func opened(p Picture) map[string]Shape {
	parts := map[string]Shape{}
	for _, s := range p.Shapes {
		if s.Kind == Open && s.ID != "" {
			parts[s.ID] = s
		}
	}
	return parts
}

func words(p Picture) string {
	var all []string
	for _, s := range p.Shapes {
		if s.Kind == Text {
			all = append(all, s.Text)
		}
	}
	return strings.Join(all, "\n")
}

func TestEveryFindingHasItsBars(t *testing.T) {
	in := shop(t)
	p := New(in, Screen)
	parts := opened(p)
	for _, f := range in.Report.Findings {
		if len(f.Calls) == 0 {
			continue
		}
		if _, ok := parts["mark-"+f.ID]; !ok {
			t.Errorf("%s is not marked", f.ID)
		}
		for _, id := range f.Calls {
			if _, ok := parts["call-"+id]; !ok {
				t.Errorf("call %s of %s has no bar", id, f.ID)
			}
		}
	}
	if len(p.Drawn) != 5 || p.Folded+p.Undrawn+p.Unplaced != 0 {
		t.Errorf("drawn %v, %d folded, %d undrawn, %d unplaced", p.Drawn, p.Folded, p.Undrawn, p.Unplaced)
	}
	for _, want := range []string{
		"×12", "×3", "~404 ms wasted", "side by side: 157 ms", "first 3 s of load: 27 calls", "420 ms 503", "40 ms aborted", "in flight",
		"↳ /src/shop/boot.ts:8 in bootShop", "8 calls outside these findings", "idle, not to scale",
	} {
		if !strings.Contains(words(p), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if strings.Contains(words(p)+p.Desc, "abc123") || strings.Contains(fmt.Sprint(parts), "abc123") {
		t.Error("a token is in the picture")
	}
	if !strings.Contains(p.Desc, "29 calls on one time axis. 1. waterfall, warning: /api/session") {
		t.Errorf("description: %s", p.Desc)
	}
}

// TestNothingLeavesThePaper draws all kinds of traffic.
func TestNothingLeavesThePaper(t *testing.T) {
	next := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var in Input
		n := next.IntN(60)
		for i := range n {
			c := Call{ID: fmt.Sprintf("c%d", i), Method: "GET", URL: "https://a.test/" + strings.Repeat("x", next.IntN(80)), Start: next.Float64() * math.Pow(10, next.Float64()*6), Status: 200}
			if next.IntN(8) > 0 {
				c.End = ended(c.Start + next.Float64()*math.Pow(10, next.Float64()*5))
			}
			in.Calls = append(in.Calls, c)
		}
		kinds := []string{waterfall, nPlusOne, duplicate, chattyLoad}
		for i := range next.IntN(6) {
			f := audit.Finding{ID: fmt.Sprintf("f-%d", i), Type: kinds[i%4], Message: strings.Repeat("m", next.IntN(300)), Initiator: &audit.Initiator{File: strings.Repeat("f", next.IntN(300))}}
			for j := i; j < n; j += 7 {
				f.Calls = append(f.Calls, fmt.Sprintf("c%d", j))
			}
			if f.Type == waterfall {
				f.SerialWallMs, f.MaxSingleMs, f.WastedMs = ended(5000), ended(500), ended(4500)
			}
			f.SharedWith = "c1"
			in.Report.Findings = append(in.Report.Findings, f)
		}
		for _, o := range []Options{Screen, Glance} {
			checkPaper(t, round, New(in, o))
		}
	}
}

func checkPaper(t *testing.T, round int, p Picture) {
	t.Helper()
	const dust = 0.01
	depth := 0
	for _, s := range p.Shapes {
		x0, x1, y1 := s.X, s.X+s.W, s.Y+s.H
		switch s.Kind {
		case Open:
			depth++
			continue
		case Close:
			depth--
			continue
		case Text:
			w := CharWidth * float64(len([]rune(s.Text)))
			x0 -= w * map[Anchor]float64{AtMiddle: 0.5, AtEnd: 1}[s.Anchor]
			x1 = x0 + w
		case Line, Dash:
			x0 = s.Points[0].X
			x1 = x0
			for _, q := range s.Points {
				x0, x1, y1 = min(x0, q.X), max(x1, q.X), max(y1, q.Y)
			}
		}
		if math.IsNaN(x0) || x0 < -dust || x1 > p.W+dust || y1 > p.H+dust {
			t.Fatalf("round %d: %+v lies outside of %v × %v", round, s, p.W, p.H)
		}
	}
	if depth != 0 {
		t.Fatalf("round %d: %d parts are not closed", round, depth)
	}
}

func TestManyCallsStayReadable(t *testing.T) {
	in := Input{Page: "https://a.test/"}
	for i := range 1000 {
		in.Calls = append(in.Calls, Call{ID: fmt.Sprintf("c%d", i), Method: "GET", URL: fmt.Sprintf("https://a.test/api/%d", i), Start: float64(i * 9), End: ended(float64(i*9 + 40)), Status: 200})
	}
	for i := range 100 {
		f := audit.Finding{ID: fmt.Sprintf("n-plus-one-%d", i), Type: nPlusOne, Count: 10}
		for j := range 10 {
			f.Calls = append(f.Calls, fmt.Sprintf("c%d", i*10+j))
		}
		in.Report.Findings = append(in.Report.Findings, f)
	}
	in.Report.Dropped = 70
	for _, c := range []struct {
		o       Options
		undrawn int
		tallest float64
	}{{Screen, 40, 12_000}, {Glance, 93, 1300}} {
		p := New(in, c.o)
		if p.Undrawn != c.undrawn || p.H > c.tallest || p.Folded < 600 {
			t.Errorf("%d findings undrawn, %d calls folded, %v tall", p.Undrawn, p.Folded, p.H)
		}
		for _, want := range []string{fmt.Sprintf("not drawn for want of room: %d more findings", c.undrawn), "calls share a row with others", "not analyzed: 70 older calls"} {
			if !strings.Contains(words(p), want) {
				t.Errorf("it is not said: %s", want)
			}
		}
		if len(p.Shapes) > 6000 {
			t.Errorf("%d shapes", len(p.Shapes))
		}
	}
}

func TestImpossibleCalls(t *testing.T) {
	p := New(Input{Calls: []Call{
		{ID: "a b<", Start: 1, End: ended(2)}, {ID: "x", Start: math.NaN()}, {ID: "y", Start: 5, End: ended(4)}, {ID: "z", Start: math.Inf(1)},
		{ID: "twice", Start: 3, End: ended(4)}, {ID: "twice", Start: 4, End: ended(5)},
	}}, Screen)
	if p.Unplaced != 3 || !strings.Contains(words(p), "their times make no sense: 3 calls") {
		t.Errorf("%d unplaced", p.Unplaced)
	}
	parts := opened(p)
	for _, id := range []string{"call-call1", "call-twice", "call-twice-again"} {
		if _, ok := parts[id]; !ok {
			t.Errorf("no part %s", id)
		}
	}
	if none := New(Input{}, Screen); !strings.Contains(words(none), "no API calls were recorded") {
		t.Error("an empty picture does not say so")
	}
}

func TestSharedCallIsTied(t *testing.T) {
	in := Input{Calls: []Call{{ID: "a", Start: 10, End: ended(50)}, {ID: "b", Start: 51, End: ended(90)}, {ID: "c", Start: 92, End: ended(130)}, {ID: "d", Start: 20, End: ended(60)}}}
	in.Report.Findings = []audit.Finding{{ID: "w", Type: waterfall, Calls: []string{"a", "b", "c"}}, {ID: "d", Type: duplicate, Count: 2, Calls: []string{"d"}, SharedWith: "a"}}
	ties := 0
	for _, s := range New(in, Screen).Shapes {
		if s.Kind == Dash {
			ties++
		}
	}
	if ties != 1 {
		t.Errorf("%d ties", ties)
	}
}

func TestAxis(t *testing.T) {
	calls := []Call{{Start: 100, End: ended(400)}, {Start: 900, End: ended(1300)}, {Start: 60_000, End: ended(60_500)}}
	a := newAxis(calls, 3000, 100, 600)
	if len(a.spans) != 2 {
		t.Fatalf("spans %+v", a.spans)
	}
	order := []float64{a.at(-5), a.at(100), a.at(400), a.at(1300), a.at(30_000), a.at(60_000), a.at(60_500), a.at(1e6)}
	if !slices.IsSorted(order) || order[0] < 100 || order[len(order)-1] > 700 {
		t.Errorf("places %v", order)
	}
	same := (a.at(400) - a.at(100)) / 300
	if other := (a.at(60_500) - a.at(60_000)) / 500; math.Abs(same-other) > 1e-9 {
		t.Errorf("a millisecond is %v px here and %v there", same, other)
	}
	var labels []string
	for i, tick := range a.ticks() {
		labels = append(labels, tick.label)
		if i > 0 && tick.x-a.ticks()[i-1].x < 50 {
			t.Errorf("ticks %v", a.ticks())
		}
	}
	if got := strings.Join(labels, ","); got != "0,500 ms,1 s,60 s,60.5 s" {
		t.Errorf("labels %s", got)
	}
	// A page that was left open: its load is not in the picture.
	if late := newAxis([]Call{{Start: 90_000, End: ended(90_100)}}, 3000, 0, 600); late.spans[0].from != 90_000 {
		t.Errorf("spans %+v", late.spans)
	}
}

func TestWords(t *testing.T) {
	const page = "https://shop.test/x"
	for _, c := range [][2]string{
		{Shown("https://shop.test/api/a?x=1#f", page), "/api/a?x=1"},
		{Shown("https://shop.test", page), "/"},
		{Shown("http://shop.test/a", page), "shop.test/a"},
		{Shown("https://u:p@api.test/a?api_key=1&b=2&access%5Ftoken=3&code=", page), "api.test/a?api_key=[redacted]&b=2&access%5Ftoken=[redacted]&code="},
		{Shown("%zz?token=1", page), "%zz"},
		{Redacted("https://u:p@a.test/?token=1"), "https://a.test/?token=[redacted]"},
		{squeeze("abcdefghij", 7), "ab…ghij"},
		{squeeze("abc", 3), "abc"},
		{cut("abcdef", 4), "abc…"},
		{Millis(3.44), "3.4 ms"},
		{Millis(999), "999 ms"},
		{Millis(1500), "1.5 s"},
		{Millis(61_000), "61 s"},
		{Millis(600_000), "10 min"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}
