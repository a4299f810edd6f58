// Package trouble is the tools that say what is wrong: get_errors.
package trouble

import (
	"context"
	"fmt"
	"strings"
	"time"

	"oriel/internal/incident"
	"oriel/internal/incident/wording"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/words"
)

// Session is what the handlers here work on.
type Session = session.Session

// Errors is the tool.
var Errors = tool.Define("get_errors", tool.Doc{
	Title: "Unified error view across all processes and proxies",
	Text:  "What is broken now: page errors, failed requests, builds, crashes, config; grouped by cause, with the source line. Noise and what a later build fixed are left out.",
	Hints: tool.Hints{ReadOnly: true},
}, getErrors)

type errorsIn struct {
	Since     string `json:"since" doc:"30s, RFC 3339 time, or last: new since my last call"`
	ProcessID string `json:"process_id"`
	ProxyID   string `json:"proxy_id" alias:"id"`
	Warnings  bool   `json:"include_warnings"`
	Limit     int    `json:"limit"`
}

const (
	defaultLimit = 10
	mostLimit    = 200
)

type errorsOut struct {
	incident.Report
	Cut     int       `json:"cut,omitempty"`  // incidents that the limit left out
	Since   time.Time `json:"since,omitzero"` // only what happened from then on
	Last    bool      `json:"sinceLastCall,omitempty"`
	Watched watched   `json:"watched"`
	now     time.Time
	root    string
}

func getErrors(s Session, ctx context.Context, in errorsIn) (errorsOut, error) {
	out := errorsOut{now: time.Now(), root: s.Root}
	if in.Limit < 0 || in.Limit > mostLimit {
		return out, fmt.Errorf("limit: expected a number from 1 to %d, got %d", mostLimit, in.Limit)
	}
	scope, err := scopeOf(s, in)
	if err != nil {
		return out, err
	}
	opts := incident.Options{Root: s.Root, Resolve: resolver(s), Caller: callers(s), Warnings: in.Warnings}
	seen := s.Looks.Last(s.From.Dir, scope)
	switch {
	case in.Since == "last":
		out.Last, opts.OnlyNew, opts.After = true, !seen.At.IsZero(), seen.At
		out.Since = seen.At
	case in.Since != "":
		at, err := words.Instant(in.Since, out.now)
		if err != nil {
			return out, fmt.Errorf("since: %w (or \"last\": new since your last call)", err)
		}
		out.Since, opts.Since = at, at
	}
	g := gather(s, scope, seen)
	open := pageOpen(s)
	opts.Serves, opts.Served, opts.Loaded, opts.Fetched, opts.Had, opts.Delivered = g.serves, g.servedAt, g.got, g.fetched, g.had, g.code
	opts.Visits, opts.Now = g.visits(open), out.now
	opts.Shown = shown(ctx, s)
	opts.Open = func(proxy, page string) bool { there, _ := open(proxy, page); return there }
	out.Report = incident.Group(ctx, g.facts, opts)
	out.Watched = g.watched
	s.Looks.Remember(s.From.Dir, scope, g.look)
	limit := in.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if out.Incidents == nil {
		out.Incidents = []incident.Incident{}
	}
	if n := len(out.Incidents); n > limit {
		out.Incidents, out.Cut = out.Incidents[:limit], n-limit
	}
	return out, nil
}

// Text is the answer for a model.
func (o errorsOut) Text() string {
	var b strings.Builder
	if len(o.Incidents) == 0 {
		b.WriteString(o.nothing())
		b.WriteString(wording.LeftOut(o.Report))
		b.WriteString(o.Watched.gaps())
		return b.String()
	}
	fmt.Fprintf(&b, "%s%s, own source first, then newest:\n", words.Plural(len(o.Incidents)+o.Cut, "incident"), o.period())
	foot := wording.LeftOut(o.Report) + o.Watched.gaps()
	if o.logged() {
		foot += "#n: proxylog {\"ids\":[n]}\n"
	}
	text, shown := wording.Text(o.Report, o.now, len(o.Watched.Processes) > 1, roomFor(len(o.Incidents))-b.Len()-len(foot)-60)
	b.WriteString(text)
	if rest := len(o.Incidents) - shown + o.Cut; rest > 0 {
		fmt.Fprintf(&b, "… and %d more (limit, raw: true)\n", rest)
	}
	b.WriteString(foot)
	return b.String()
}

// roomFor is how long an answer may be: a few incidents are to be read at once.
func roomFor(incidents int) int {
	if incidents <= 4 {
		return 1500
	}
	return words.TextBudget
}

// logged says whether any incident has an entry in the log.
func (o errorsOut) logged() bool {
	for _, in := range o.Incidents {
		if len(in.Entries) > 0 {
			return true
		}
	}
	return false
}

func (o errorsOut) period() string {
	switch {
	case o.Last && o.Since.IsZero():
		return " (this is your first look)"
	case o.Last:
		return " new since your last look " + words.Span(o.now.Sub(o.Since)) + " ago"
	case !o.Since.IsZero():
		return " since " + o.Since.Format("15:04:05")
	}
	return ""
}

// nothing says what "no errors" is worth: what was watched and since when, or
// that nothing was.
func (o errorsOut) nothing() string {
	w := o.Watched
	if len(w.Processes)+len(w.Proxies) == 0 {
		return "nothing is watched: no process was started and no proxy runs in " + o.root + ", so this says nothing about the app; start with run {\"script_name\":…} and proxy {\"action\":\"start\",\"id\":…,\"target_url\":…}\n"
	}
	return "no errors" + o.period() + "; watched: " + strings.Join(w.words(o.now), "; ") + "\n" + w.blind()
}
