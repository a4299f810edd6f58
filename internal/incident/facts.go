package incident

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"oriel/internal/incident/reply"
	"oriel/internal/incident/scan"
	"oriel/internal/incident/scan/formats"
	"oriel/internal/journal"
	"oriel/internal/process"
)

// patience is how long a page waits for an answer before giving up on it is the
// server's fault.
const patience = 10 * time.Second

// FromJournal returns what an entry tells that went wrong, if anything. An
// entry up to seen is an old one.
func FromJournal(e journal.Entry, seen uint64) (Fact, bool) {
	f := Fact{Source: e.Proxy, Page: e.Page, First: e.Time, Last: e.Time, Count: 1, Seq: e.Seq, Old: e.Seq <= seen}
	switch {
	case e.Error != nil:
		return fromPage(f, e.Error), true
	case e.Console != nil:
		return fromConsole(f, e.Console)
	case e.HTTP != nil:
		return fromHTTP(f, e.HTTP)
	}
	return Fact{}, false
}

func fromPage(f Fact, e *journal.PageError) Fact {
	f.Message, f.Count = strings.TrimPrefix(e.Message, "Uncaught "), max(e.Count, 1)
	f.Stack, f.Script, f.ScriptLine, f.ScriptColumn = e.Stack, e.URL, e.Line, e.Column
	switch e.Source {
	case "rejection":
		f.Origin = PageRejection
		f.Message = strings.TrimPrefix(f.Message, "(in promise) ")
	case "resource":
		f.Origin, f.URL, f.Script = Resource, e.URL, ""
		if u, err := url.Parse(e.URL); err == nil && loopback(u.Hostname()) {
			// Where the proxy listens is no news.
			f.Message = strings.Replace(f.Message, e.URL, u.RequestURI(), 1)
		}
	case "csp":
		f.Origin = CSP
		f.Warning = strings.Contains(e.Message, "would block (report only)")
	default:
		f.Origin = PageError
	}
	return f
}

func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || strings.HasSuffix(host, ".localhost")
}

func fromConsole(f Fact, c *journal.Console) (Fact, bool) {
	switch c.Level {
	case "error", "assert":
	case "warn":
		f.Warning = true
	default:
		return Fact{}, false
	}
	f.Origin, f.Message, f.Stack, f.Count = Console, strings.TrimSpace(c.Text), c.Stack, max(c.Count, 1)
	if f.Message == "" {
		f.Message = "(an empty console." + c.Level + ")"
	}
	// A dev server's client may write a failed build to the console before the
	// server says it: the place is in the words then, not in the stack.
	if strings.Contains(f.Message, "\n") {
		if p, ok := scan.Build(f.Message); ok {
			f.Message, f.Code, f.Stack = p.Message, p.Code, ""
			f.Place = Place{File: p.File, Line: p.Line, Column: p.Column}
		}
	}
	return f, true
}

func fromHTTP(f Fact, h *journal.HTTP) (Fact, bool) {
	f.Origin, f.Method, f.URL, f.Status = HTTP, h.Method, h.URL, h.Status
	f.End = f.First.Add(h.Duration)
	f.Last = f.End
	switch h.Destination {
	case "document", "iframe", "frame", "script", "style", "worker", "sharedworker":
		f.Asset = true
	}
	path := pathOf(h.URL)
	switch {
	case h.Aborted && (h.Status != 0 || h.Duration < patience || f.Asset):
		f.Message = h.Method + " " + path + " aborted"
		f.Status = aborted
	case h.Aborted:
		f.Failed, f.Message = true, fmt.Sprintf("%s %s → the page gave up after %d s without an answer", h.Method, path, int(h.Duration.Seconds()))
	case h.Error != "":
		f.Failed, f.Message = true, h.Method+" "+path+" → no answer: "+h.Error
	case h.Status >= 400:
		f.Message = fmt.Sprintf("%s %s → %d", h.Method, path, h.Status)
		if why := reply.Reason(h); why != "" {
			f.Message += ": " + why
		} else if p, ok := scan.Build(reply.Printed(h)); ok {
			f.Message, f.Code = f.Message+": "+p.Message, p.Code
			f.Place = Place{File: p.File, Line: p.Line, Column: p.Column}
		}
	default:
		return Fact{}, false
	}
	return f, true
}

// aborted marks an exchange that its client ended.
const aborted = -1

// pathOf is an address without origin, query and fragment.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		path, _, _ := strings.Cut(address, "?")
		return path
	}
	return u.Path
}

// FromOutput returns the problems in a process's kept output, and what else was
// read there. Lines before the cursor seen are old.
func FromOutput(id string, lines []process.Line, seen uint64) (facts []Fact, read *scan.Scanner) {
	read = scan.Output(lines)
	for _, p := range read.Problems() {
		f := Fact{
			Origin: Process, Source: id, Message: p.Message, Code: p.Code, Warning: p.Warning,
			Count: p.Count, First: p.First, Last: p.Last, Old: p.FirstSeq < seen, Again: p.FirstSeq < seen && p.LastSeq >= seen,
			Place:   Place{File: p.File, Line: p.Line, Column: p.Column, Function: p.Function},
			Package: p.Package, Forwarded: p.Forwarded, Request: p.Request, Causes: p.Causes, Kind: p.Kind,
			Resolved: p.Resolved, Maybe: p.Perhaps, Ran: p.Ran, Checker: p.Checker,
		}
		switch p.Kind {
		case formats.Build:
			f.Origin = Build
		case formats.Test:
			f.Origin = Test
		}
		facts = append(facts, f)
	}
	return facts, read
}

// FromStatus returns how a process failed, if it did. What ended before the
// moment seen is old.
func FromStatus(s process.Status, seen time.Time) (Fact, bool) {
	f := Fact{Origin: Exit, Source: s.ID, Count: 1, First: s.ExitedAt, Last: s.ExitedAt, Ours: true}
	switch {
	case s.State == process.StateFailed && s.ExitedAt.IsZero():
		f.Message = "could not be started"
	case s.State != process.StateFailed && s.State != process.StateBackoff:
		return Fact{}, false
	case s.Signal != "":
		f.Message = "ended by " + s.Signal
	default:
		f.Message = fmt.Sprintf("exited with code %d", s.ExitCode)
	}
	if s.State == process.StateBackoff {
		f.Message += " and is being restarted"
		if s.ExitCode == 0 && s.Signal == "" {
			return Fact{}, false // restart always, and it ended well
		}
	}
	if s.Restarts > 0 {
		f.Message += fmt.Sprintf(" (restarted %d times)", s.Restarts)
	}
	if f.Last.IsZero() {
		f.First, f.Last = s.StartedAt, s.StartedAt
	}
	if s.LastError != "" {
		f.Causes = []string{s.LastError}
	}
	f.Old = !f.Last.After(seen)
	return f, true
}

// FromConfig returns a problem of the project's file, given as
// file:line:column: message or as plain words.
func FromConfig(problem string, at time.Time, old bool) Fact {
	f := Fact{Origin: Config, Message: problem, Count: 1, First: at, Last: at, Old: old, Ours: true}
	if m := configForm.FindStringSubmatch(problem); m != nil {
		f.Place = Place{File: m[1], Line: atoi(m[2]), Column: atoi(m[3])}
		f.Message = m[4]
	}
	return f
}
