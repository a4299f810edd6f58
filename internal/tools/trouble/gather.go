package trouble

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"oriel/internal/engine"
	"oriel/internal/incident"
	"oriel/internal/incident/look"
	"oriel/internal/journal"
	"oriel/internal/process"
	"oriel/internal/sourcemap"
	"oriel/internal/tools/words"
)

type scope = look.Scope

// scopeOf checks the ids. What is given as id may be of either kind. A proxy
// that was stopped is known by what it left in the log.
func scopeOf(s Session, in errorsIn) (scope, error) {
	sc := scope{Process: in.ProcessID, Proxy: in.ProxyID}
	if sc.Process != "" {
		if _, err := s.Process(sc.Process); err != nil {
			return sc, err
		}
	}
	if sc.Proxy == "" {
		return sc, nil
	}
	_, err := s.Proxy(sc.Proxy)
	if err == nil || s.Journal.Select(journal.Query{Proxy: sc.Proxy, Limit: 1}).Matched > 0 {
		return sc, nil
	}
	if _, perr := s.Process(sc.Proxy); perr == nil && sc.Process == "" {
		return scope{Process: sc.Proxy}, nil
	}
	return sc, unknownProxy(s, err)
}

// unknownProxy adds which proxies there are.
func unknownProxy(s Session, err error) error {
	var known []string
	for _, p := range s.Proxies() {
		known = append(known, p.Spec.ID)
	}
	if len(known) == 0 {
		return fmt.Errorf("%w (no proxy runs in this project)", err)
	}
	return fmt.Errorf("%w (known: %s)", err, strings.Join(known, ", "))
}

func processes(sc scope) bool { return sc.Process != "" || sc.Proxy == "" }
func proxies(sc scope) bool   { return sc.Proxy != "" || sc.Process == "" }

// gathered is everything that may be wrong, and what was looked at.
type gathered struct {
	history
	facts   []incident.Fact
	serves  map[string]string
	built   map[string][]time.Time // process id → when it built something
	watched watched
	look    look.Look
}

func gather(s Session, sc scope, seen look.Look) *gathered {
	g := &gathered{history: newHistory(), serves: map[string]string{}, built: map[string][]time.Time{}, look: look.New()}
	if processes(sc) {
		for _, p := range s.Processes() {
			if st := p.Status(); sc.Process == "" || st.ID == sc.Process {
				g.process(p, st, seen)
			}
		}
	}
	g.journal(s, sc, seen)
	for _, p := range s.Proxies() {
		g.behind(s, p)
		g.history.gave(p.Spec.ID, g.built[g.serves[p.Spec.ID]])
		if proxies(sc) && (sc.Proxy == "" || p.Spec.ID == sc.Proxy) {
			g.watch(p)
		}
	}
	if sc == (scope{}) {
		for _, problem := range s.Problems() {
			g.facts = append(g.facts, incident.FromConfig(problem, g.look.At, seen.Config[problem]))
			g.look.Config[problem] = true
		}
	}
	return g
}

func (g *gathered) process(p *process.Process, st process.Status, seen look.Look) {
	out := p.Output(process.Query{})
	facts, read := incident.FromOutput(st.ID, out.Lines, seen.Output(st.ID, p))
	g.facts = append(g.facts, facts...)
	g.built[st.ID] = read.Built()
	if f, ok := incident.FromStatus(st, seen.At); ok {
		g.facts = append(g.facts, f)
	}
	g.look.Read(st.ID, p, out.Next)
	g.watched.Processes = append(g.watched.Processes, watchedProcess{
		ID: st.ID, State: string(st.State), Since: st.StartedAt, Lines: len(out.Lines), DroppedLines: out.DroppedLines, DroppedProblems: read.Dropped(),
	})
}

// journal reads the log: what went wrong, and what went well since, which tells
// of processes too.
func (g *gathered) journal(s Session, sc scope, seen look.Look) {
	sel := s.Journal.Select(journal.Query{Kinds: []journal.Kind{journal.KindError, journal.KindConsole, journal.KindHTTP, journal.KindNavigation, journal.KindAction}, Proxy: sc.Proxy})
	g.look.Journal = sel.Last
	for i := range sel.Entries {
		e := &sel.Entries[i]
		switch f, ok := incident.FromJournal(*e, seen.Journal); {
		case !ok:
			g.history.add(e)
		case proxies(sc):
			g.facts = append(g.facts, f)
		}
	}
	if delete(sel.Dropped, journal.KindAction); proxies(sc) {
		g.watched.Dropped = sel.Dropped
	}
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Path
}

// pageOpen says whether a page is still at a proxy, and whether it is loaded.
func pageOpen(s Session) func(proxy, page string) (there, loaded bool) {
	return func(proxy, page string) (there, loaded bool) {
		p, err := s.Proxy(proxy)
		if err != nil {
			return false, false
		}
		pg, err := p.Hub.Pick(page)
		return err == nil, err == nil && pg.Info().Loaded
	}
}

func (g *gathered) watch(p *engine.Proxy) {
	w := watchedProxy{ID: p.Spec.ID, URL: p.URL(), Since: p.Started, Requests: p.Stats().Requests}
	for _, pg := range p.Hub.Pages() {
		w.Pages++
		if pg.Info().Connected {
			w.Connected++
		}
	}
	g.watched.Proxies = append(g.watched.Proxies, w)
}

// behind finds out which process a proxy stands before.
func (g *gathered) behind(s Session, p *engine.Proxy) {
	if p.Spec.Script != "" {
		g.serves[p.Spec.ID] = p.Spec.Script
		return
	}
	target, err := url.Parse(p.Spec.Target)
	if err != nil {
		return
	}
	for _, proc := range s.Processes() {
		st := proc.Status()
		for _, address := range st.URLs {
			if u, err := url.Parse(address); err == nil && u.Port() == target.Port() {
				g.serves[p.Spec.ID] = st.ID
			}
		}
	}
}

// resolver leads from a page's stack to the source: the innermost frame of the
// application, else the innermost that has a place.
func resolver(s Session) incident.Resolve {
	return func(ctx context.Context, proxy, stack string) (incident.Place, bool) {
		frames := sourcemap.ParseStack(stack)
		if p, err := s.Proxy(proxy); err == nil && proxy != "" {
			frames = s.Sources(p).Frames(ctx, stack)
		}
		var other *sourcemap.Frame
		for i := range frames {
			f := &frames[i]
			if f.Native || f.File == "" {
				continue
			}
			if f.Application() {
				return placeOf(f), true
			}
			if other == nil {
				other = f
			}
		}
		if other == nil {
			return incident.Place{}, false
		}
		p := placeOf(other)
		p.Own = false
		return p, true
	}
}

func placeOf(f *sourcemap.Frame) incident.Place {
	return incident.Place{
		File: f.File, Line: f.Line, Column: f.Column, Function: f.Function,
		Own: f.InProject, Compiled: !f.Mapped && !f.InProject,
	}
}

// watched is what an answer is about.
type watched struct {
	Processes []watchedProcess        `json:"processes,omitempty"`
	Proxies   []watchedProxy          `json:"proxies,omitempty"`
	Dropped   map[journal.Kind]uint64 `json:"dropped,omitempty"`
}

type watchedProcess struct {
	ID              string    `json:"id"`
	State           string    `json:"state"`
	Since           time.Time `json:"since"`
	Lines           int       `json:"lines"`
	DroppedLines    uint64    `json:"droppedLines,omitempty"`
	DroppedProblems int       `json:"droppedProblems,omitempty"`
}

type watchedProxy struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Since     time.Time `json:"since"`
	Pages     int       `json:"pages"`
	Connected int       `json:"connected"`
	Requests  int64     `json:"requests"`
}

const clock = "15:04:05"

func (w watched) words(now time.Time) []string {
	var parts []string
	for _, p := range w.Processes {
		parts = append(parts, fmt.Sprintf("process %s (%s, %s since %s)", p.ID, p.State, words.Plural(p.Lines, "line"), p.Since.Format(clock)))
	}
	for _, p := range w.Proxies {
		parts = append(parts, fmt.Sprintf("proxy %s (%s, %s open, since %s)", p.ID, words.Plural(int(p.Requests), "request"), words.Plural(p.Connected, "page"), p.Since.Format(clock)))
	}
	if len(parts) > 8 {
		parts = append(parts[:8], fmt.Sprintf("%d more", len(parts)-8))
	}
	return parts
}

// blind says what could not be seen although it looks as if it was.
func (w watched) blind() string {
	text := ""
	for _, p := range w.Proxies {
		if p.Pages == 0 {
			text += fmt.Sprintf("no page has been open at proxy %s (%s): errors inside pages would not have been seen\n", p.ID, p.URL)
		}
	}
	if len(w.Proxies) == 0 {
		text += "no proxy runs: pages are not watched\n"
	}
	return text
}

// gaps says what was lost because everything kept is bounded.
func (w watched) gaps() string {
	text := ""
	for _, p := range w.Processes {
		if p.DroppedLines > 0 {
			text += fmt.Sprintf("(%d older lines of %s are no longer kept, nor are errors in them)\n", p.DroppedLines, p.ID)
		}
	}
	for _, kind := range journal.Kinds() {
		if n := w.Dropped[kind]; n > 0 {
			text += fmt.Sprintf("(%d older %s entries are no longer kept)\n", n, kind)
		}
	}
	return text
}
