package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oriel/internal/journal"
)

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

func went(ms int, how, to string) journal.Entry {
	return journal.Entry{Time: at(ms), Kind: journal.KindNavigation, Navigation: &journal.Navigation{Type: how, To: to}}
}

func wrong(ms, count int) journal.Entry {
	return journal.Entry{Time: at(ms), Kind: journal.KindError, Error: &journal.PageError{Message: "boom", Count: count}}
}

func logged(ms int, level string) journal.Entry {
	return journal.Entry{Time: at(ms), Kind: journal.KindConsole, Console: &journal.Console{Level: level, Text: "words", Count: 1}}
}

func did(ms int, what string) journal.Entry {
	return journal.Entry{Time: at(ms), Kind: journal.KindAction, Action: &journal.Action{Type: what, Target: "button#save"}}
}

func called(ms, status int) call {
	return call{Method: "GET", URL: "/api", Status: status, Time: at(ms)}
}

// TestVisits: what happened belongs to the visit during which it happened, and
// to no other.
func TestVisits(t *testing.T) {
	entries := []journal.Entry{ // newest first
		logged(5200, "error"), wrong(5100, 3), went(5000, "pop", "/a"), logged(4000, "warn"), went(3000, "push", "/b"),
		went(2500, "unload", "/a"), wrong(1500, 1), went(1000, "load", "/a"), wrong(500, 1),
	}
	aborted := called(3600, 0)
	aborted.Aborted, aborted.Error = true, "AbortError"
	refused := called(3700, 0)
	refused.Error = "TypeError: Failed to fetch"
	calls := []call{called(6000, 200), called(5000, 404), refused, aborted, called(3500, 500), called(3000, 200), called(2999, 200), called(900, 200)}
	var got []string
	for _, v := range visitsOf(entries, calls) {
		got = append(got, fmt.Sprintf("%s %s %d/%d/%d", v.How, v.URL, v.Calls, v.Failed, v.Errors))
	}
	want := "pop /a 2/1/4|push /b 4/2/0|load /a 1/0/1"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
	if words := visitsOf(entries, calls)[0].words(); words != "pop → /a: 2 calls, 1 failed, 4 errors" {
		t.Error(words)
	}
	if len(visitsOf(nil, calls)) != 0 {
		t.Error("visits out of nothing")
	}
}

func TestVisitsAreBounded(t *testing.T) {
	var entries []journal.Entry
	var calls []call
	for i := 500; i > 0; i-- {
		entries = append(entries, went(i, "push", "/p"))
	}
	for range 1000 {
		calls = append(calls, called(9999, 200))
	}
	got := visitsOf(entries, calls)
	if len(got) != keptEach || got[0].Calls != 1000 || len(got[0].CallList) != keptEach {
		t.Errorf("%d visits, %d calls in the newest, %d listed", len(got), got[0].Calls, len(got[0].CallList))
	}
}

func TestAfterTheLastAction(t *testing.T) {
	entries := []journal.Entry{wrong(20000, 1), wrong(3000, 2), went(2200, "push", "/done"), wrong(1000, 1)}
	calls := []call{called(12000, 500), called(2100, 500), called(2000, 200), called(1990, 200)}
	for name, c := range map[string]struct {
		actions []journal.Entry
		want    string
	}{
		"none":             {nil, ""},
		"one":              {[]journal.Entry{did(2000, "click"), did(1000, "click")}, "click 2/1 2 errors, 1 went"},
		"one act of three": {[]journal.Entry{did(2005, "submit"), did(2001, "click"), did(1985, "key"), did(1000, "input")}, "key 3/1 2 errors, 1 went"},
		"nothing followed": {[]journal.Entry{did(30000, "click")}, "click 0/0 0 errors, 0 went"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if a := afterLast(c.actions, entries, calls, at(60000)); a != nil {
				got = fmt.Sprintf("%s %d/%d %d errors, %d went", a.Action.Action.Type, a.calls, a.Failed, a.errors, len(a.Went))
				if a.Span != 5000 || !strings.Contains(a.Text(), "button#save") {
					t.Errorf("%v %s", a.Span, a.Text())
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestWordsOfAnAction(t *testing.T) {
	for want, e := range map[string]journal.Entry{
		`click on "button#save"`: did(0, "click"),
		"popstate":               {Kind: journal.KindAction, Action: &journal.Action{Type: "popstate"}},
	} {
		if got := entryWords(e); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
