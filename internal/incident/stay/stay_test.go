package stay_test

import (
	"testing"
	"time"

	"oriel/internal/incident/stay"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// visit is a stay at / from and to those moments; to 0: it is still open.
func visit(page string, from, to int) stay.Visit {
	v := stay.Visit{Proxy: "dev", Page: page, Path: "/", From: at(from), Loaded: true}
	if to != 0 {
		v.To = at(to)
	}
	return v
}

func TestClean(t *testing.T) {
	loading, other, frame := visit("p2", 3000, 0), visit("p2", 3000, 0), visit("p2", 3000, 0)
	loading.Loaded, other.Proxy, frame.Path = false, "admin", "/frame"
	event := stay.Event{Proxy: "dev", Page: "p1", Began: at(700), Last: at(900)}
	for name, c := range map[string]struct {
		visits stay.Visits
		event  stay.Event
		now    int
		want   bool
	}{
		"no other visit":                 {stay.Visits{visit("p1", 0, 0)}, event, 9000, false},
		"another that has stayed":        {stay.Visits{visit("p1", 0, 2000), visit("p2", 3000, 0)}, event, 5000, true},
		"another that is too new":        {stay.Visits{visit("p1", 0, 2000), visit("p2", 3000, 0)}, event, 4600, false},
		"another that left early":        {stay.Visits{visit("p1", 0, 2000), visit("p2", 3000, 4600)}, event, 9000, false},
		"another that left late":         {stay.Visits{visit("p1", 0, 2000), visit("p2", 3000, 4800)}, event, 9000, true},
		"another from before":            {stay.Visits{visit("p0", 800, 0), visit("p1", 0, 2000)}, event, 9000, false},
		"one that is not loaded yet":     {stay.Visits{visit("p1", 0, 2000), loading}, event, 9000, false},
		"one of another proxy":           {stay.Visits{visit("p1", 0, 2000), other}, event, 9000, false},
		"one at another address":         {stay.Visits{visit("p1", 0, 2000), frame}, event, 9000, false},
		"a page that nobody knows":       {stay.Visits{visit("p2", 3000, 0)}, event, 9000, false},
		"some page of the proxy's":       {stay.Visits{visit("p1", 0, 2000), visit("p2", 3000, 0)}, stay.Event{Proxy: "dev", Began: at(700), Last: at(900)}, 9000, true},
		"an update shortly before":       {stay.Visits{visit("p1", -60_000, 2000), visit("p2", 3000, 0)}, stay.Event{Proxy: "dev", Page: "p1", Began: at(700), Last: at(900), Code: at(500)}, 4300, true},
		"an hour after it was loaded":    {stay.Visits{visit("p1", -3_600_000, 2000), visit("p2", 3000, 0)}, event, 60_000, false},
		"the same document, come back":   {stay.Visits{visit("p1", 0, 2000), visit("p1", 3000, 0)}, event, 9000, true},
		"the page it came in, once more": {stay.Visits{visit("p1", 3000, 0), visit("p1", 0, 2000)}, event, 9000, true},
	} {
		if got := c.visits.Clean(c.event, at(c.now)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestTouched: what comes after somebody did something is not the code's doing
// alone.
func TestTouched(t *testing.T) {
	for ms, want := range map[int]bool{200: false, 900: false, 1000: true} {
		v := visit("p1", 0, 2000)
		v.Touched = at(ms)
		_, after, ok := stay.Visits{v}.Cause(stay.Event{Proxy: "dev", Page: "p1", Began: at(700), Last: at(900)})
		if ok != want || ok && after != 700*time.Millisecond {
			t.Errorf("touched at %d: %v after %v", ms, ok, after)
		}
	}
}
