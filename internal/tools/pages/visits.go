package pages

import (
	"fmt"
	"strings"
	"time"

	"oriel/internal/journal"
	"oriel/internal/quote"
	"oriel/internal/tools/words"
)

// visit is one stay at one address: a load, or a route change within the
// document. What happened until the next one is its own.
type visit struct {
	URL       string          `json:"url"`
	Time      time.Time       `json:"time"`
	How       string          `json:"how"` // load, push, replace, pop or hash
	Calls     int             `json:"calls"`
	Failed    int             `json:"failed"` // of the calls
	Errors    int             `json:"errors"`
	CallList  []call          `json:"callList"`  // newest first, at most keptEach
	ErrorList []journal.Entry `json:"errorList"` // likewise
}

func (v visit) words() string {
	text := fmt.Sprintf("%s → %s", quote.Text(v.How, 10), quote.Text(v.URL, 120))
	return text + ": " + tally(v.Calls, v.Failed, v.Errors)
}

// tally says how many, and leaves out what there is none of.
func tally(calls, failed, errors int) string {
	parts := []string{words.Plural(calls, "call")}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	if errors > 0 {
		parts = append(parts, words.Plural(errors, "error"))
	}
	return strings.Join(parts, ", ")
}

// failed: no answer, or one that says no. A call that the page gave up is
// neither.
func (c call) failed() bool { return !c.Aborted && (c.Error != "" || c.Status >= 400) }

// isError says that an entry is what currentpage counts as an error, and how
// many it stands for.
func isError(e journal.Entry) (int, bool) {
	switch {
	case e.Error != nil:
		return max(1, e.Error.Count), true
	case e.Console != nil && e.Console.Level == "error":
		return max(1, e.Console.Count), true
	}
	return 0, false
}

// visitsOf tells what belongs to which visit. Entries and calls come newest
// first, and so do the visits. What happened before the oldest visit that is
// known belongs to none.
func visitsOf(entries []journal.Entry, calls []call) []visit {
	visits := []visit{}
	for _, e := range entries {
		if e.Navigation == nil || e.Navigation.Type == "unload" || len(visits) == keptEach {
			continue
		}
		visits = append(visits, visit{URL: e.Navigation.To, Time: e.Time, How: e.Navigation.Type, CallList: []call{}, ErrorList: []journal.Entry{}})
	}
	at := func(t time.Time) *visit {
		for i := range visits {
			if !t.Before(visits[i].Time) {
				return &visits[i]
			}
		}
		return nil
	}
	for _, c := range calls {
		v := at(c.Time)
		if v == nil {
			continue
		}
		v.Calls++
		if c.failed() {
			v.Failed++
		}
		if len(v.CallList) < keptEach {
			v.CallList = append(v.CallList, c)
		}
	}
	for _, e := range entries {
		n, ok := isError(e)
		v := at(e.Time)
		if !ok || v == nil {
			continue
		}
		v.Errors += n
		if len(v.ErrorList) < keptEach {
			v.ErrorList = append(v.ErrorList, e)
		}
	}
	return visits
}

// aftermath is what followed the last thing that the user did.
type aftermath struct {
	Action journal.Entry   `json:"action"`
	Span   float64         `json:"spanMs"` // how long was looked
	Calls  []call          `json:"calls"`  // oldest first, at most keptEach, as the rest
	Failed int             `json:"failed"`
	Errors []journal.Entry `json:"errors"`
	Went   []journal.Entry `json:"went"` // navigations
	calls  int
	errors int
}

const (
	// afterSpan is how long after an action something still counts as its
	// consequence.
	afterSpan = 5 * time.Second
	// oneAct is how far apart events of one act of the user may be: a key, the
	// click it makes, and the submission.
	oneAct = 100 * time.Millisecond
)

// afterLast looks at what followed the last action. nil when there was none.
func afterLast(actions, entries []journal.Entry, calls []call, now time.Time) *aftermath {
	if len(actions) == 0 {
		return nil
	}
	first := actions[0]
	for _, a := range actions[1:] {
		if first.Time.Sub(a.Time) > oneAct {
			break
		}
		first = a
	}
	until := first.Time.Add(afterSpan)
	out := &aftermath{Action: first, Span: float64(min(now.Sub(first.Time), afterSpan).Milliseconds()), Calls: []call{}, Errors: []journal.Entry{}, Went: []journal.Entry{}}
	within := func(t time.Time) bool { return !t.Before(first.Time) && !t.After(until) }
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if !within(c.Time) {
			continue
		}
		out.calls++
		if c.failed() {
			out.Failed++
		}
		if len(out.Calls) < keptEach {
			out.Calls = append(out.Calls, c)
		}
	}
	for i := len(entries) - 1; i >= 0; i-- {
		e := entries[i]
		if !within(e.Time) {
			continue
		}
		if n, ok := isError(e); ok {
			out.errors += n
			if len(out.Errors) < keptEach {
				out.Errors = append(out.Errors, e)
			}
		}
		if e.Navigation != nil && e.Navigation.Type != "unload" && len(out.Went) < keptEach {
			out.Went = append(out.Went, e)
		}
	}
	return out
}

// Text is one line, and then the first of what followed, as it came.
func (a aftermath) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "after the last action, %s, in %s: %s", entryWords(a.Action), words.Span(time.Duration(a.Span)*time.Millisecond), tally(a.calls, a.Failed, a.errors))
	for _, e := range a.Went[:min(len(a.Went), 2)] {
		fmt.Fprintf(&b, ", %s", entryWords(e))
	}
	fmt.Fprintln(&b)
	shown := 0
	for _, c := range a.Calls {
		if shown < 3 {
			fmt.Fprintf(&b, "  %s\n", c.words())
			shown++
		}
	}
	for _, e := range a.Errors[:min(len(a.Errors), 3)] {
		fmt.Fprintf(&b, "  %s\n", entryWords(e))
	}
	return b.String()
}
