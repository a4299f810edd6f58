package incident

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"oriel/internal/incident/reply"
	"oriel/internal/incident/source"
	"oriel/internal/incident/stay"
)

// Resolve leads a place in a page to the source: from a stack, which may be a
// single frame. It is asked for a bounded number of facts.
type Resolve func(ctx context.Context, proxy, stack string) (Place, bool)

// Options say what to report.
type Options struct {
	Root    string            // the project's folder; "": there is none
	Resolve Resolve           // nil: places in pages stay as they are
	Serves  map[string]string // proxy id → id of the process behind it
	// Caller finds the stack of the code that made a call of a page; "": it is
	// not known. Asked only where nothing else tells the place; nil: never.
	Caller   func(ctx context.Context, proxy, method, address string, status int) string
	Since    time.Time // only what happened from then on
	After    time.Time // with OnlyNew: the moment of the last look
	OnlyNew  bool      // only what was not known at the last look, or came again
	Warnings bool      // warnings too
	// Served tells when an address was first and last answered well; nil: never.
	Served func(proxy, method, path string) (first, last time.Time)
	// Loaded says whether a page of a proxy has got a file of the project anew
	// since; nil: no.
	Loaded func(proxy, file string, since time.Time) bool
	// Fetched says likewise whether it has got the file by its own address.
	Fetched func(proxy, file string, since time.Time) bool
	// Had tells when a page of a proxy last got a file by that moment; zero: it
	// is not known.
	Had func(proxy, file string, by time.Time) time.Time
	// Delivered tells when a page of a proxy last got new code by that moment,
	// with a load or an update; nil: never.
	Delivered func(proxy string, by time.Time) time.Time
	Visits    stay.Visits
	// Shown says whether an element of an open page still has an address; nil:
	// it is not known, and taken to be so.
	Shown func(proxy, page, address string) bool
	// Open says whether a page of a proxy is still there; nil: all are.
	Open func(proxy, page string) bool
	Now  time.Time // zero: the present
}

const (
	maxResolved  = 80
	resolveLimit = 4 * time.Second
	maxEchoes    = 6
	maxOver      = 20
	maxFrames    = 50 // incidents whose source is read
	maxCalled    = 10 // answers whose caller is looked for
)

// Group makes incidents of facts.
func Group(ctx context.Context, facts []Fact, o Options) Report {
	var r Report
	facts = withoutNoise(facts, &r)
	t := source.Open(o.Root)
	defer t.Close()
	for i := range facts {
		f := &facts[i]
		switch {
		case f.Place.File != "":
			f.Place = t.Locate(f.Place, f.Package)
		case f.Asset && f.Status >= 500: // a module that could not be built
			if p := t.Locate(Place{File: strings.TrimPrefix(f.path, "/")}, ""); p.Own {
				f.Place = p
			}
		}
	}
	groups := fold(facts, o.After)
	slices.SortStableFunc(groups, func(a, b *group) int { return b.Last.Compare(a.Last) })
	resolve(ctx, groups, o.Resolve)
	groups = refold(groups)
	link(groups, o.Serves)
	callPlaces(ctx, groups, &o)
	followCalls(groups)
	mentionPlaces(groups, t)
	settle(groups, t, &o)
	for _, g := range groups {
		if g.parent == nil {
			r.add(g, &o)
		}
	}
	slices.SortStableFunc(r.Incidents, func(a, b Incident) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), b.Last.Compare(a.Last), cmp.Compare(b.Count, a.Count))
	})
	for i := range r.Incidents[:min(len(r.Incidents), maxFrames)] {
		r.Incidents[i].look(t, &o)
	}
	return r
}

// look adds the source around an incident's place.
func (in *Incident) look(t *source.Tree, o *Options) {
	if in.Place == nil || !in.Place.Own {
		return
	}
	in.Frame = t.Frame(*in.Place)
	if info, ok := t.Stat(in.Place.File); ok && !in.Place.Mentioned {
		had := in.Last
		if in.Page != "" {
			had = o.had(in.Source, in.Place.File, in.Last)
		}
		in.Changed = info.ModTime().After(had)
	}
}

func withoutNoise(facts []Fact, r *Report) []Fact {
	counts := map[string]int{}
	kept := make([]Fact, 0, len(facts))
	for i := range facts {
		if facts[i].URL != "" {
			facts[i].path = pathOf(facts[i].URL)
		}
		if what := noiseOf(&facts[i]); what != "" {
			counts[what] += facts[i].Count
			continue
		}
		kept = append(kept, facts[i])
	}
	for _, n := range noises {
		if counts[n.what] > 0 {
			r.Noise = append(r.Noise, Noise{n.what, counts[n.what]})
			delete(counts, n.what)
		}
	}
	return kept
}

// resolve leads the places of pages to the source, the newest first: maps may
// have to be fetched, and nobody reads hundreds of incidents.
func resolve(ctx context.Context, groups []*group, lead Resolve) {
	ctx, cancel := context.WithTimeout(ctx, resolveLimit)
	defer cancel()
	left := maxResolved
	for _, g := range groups {
		if g.Place.File != "" {
			p := g.Place
			g.place = &p
			continue
		}
		stack := g.Stack
		if topFrame(stack) == "" && g.Script != "" && g.ScriptLine > 0 {
			stack = "Error\n    at " + g.Script + ":" + itoa(g.ScriptLine) + ":" + itoa(max(g.ScriptColumn, 1))
		}
		if stack == "" || lead == nil || left == 0 || ctx.Err() != nil {
			continue
		}
		left--
		if p, ok := lead(ctx, g.Source, stack); ok {
			g.place = &p
		}
	}
}

// callPlaces leads failed answers to the code that made the call, where nothing
// in the page complained about them, or something may have.
func callPlaces(ctx context.Context, groups []*group, o *Options) {
	if o.Caller == nil || o.Resolve == nil {
		return
	}
	left := maxCalled
	for _, g := range groups {
		if g.Origin != HTTP || g.Resolved || g.Asset || left == 0 || (g.parent != nil || placeOf(g) != nil) && !followed(groups, g) {
			continue
		}
		left--
		stack := o.Caller(ctx, g.Source, g.Method, g.URL, g.Status)
		if stack == "" {
			continue
		}
		if p, ok := o.Resolve(ctx, g.Source, stack); ok && !p.Compiled {
			if g.call = &p; g.parent == nil && placeOf(g) == nil {
				g.place = &p
			}
		}
	}
}

// mentionPlaces looks in the source for the addresses of what did not load or
// was refused, where nothing else tells the place.
func mentionPlaces(groups []*group, t *source.Tree) {
	wanted := map[string][]*group{}
	var addresses []string
	for _, g := range groups {
		if g.parent != nil || g.URL == "" || g.Resolved || placeOf(g) != nil || len(addresses) >= 20 {
			continue
		}
		address := g.path
		if i := strings.Index(reply.Template(address), "{id}"); i >= 0 {
			address = strings.TrimSuffix(address[:i], "/")
		}
		if len(address) < 4 {
			continue
		}
		if wanted[address] == nil {
			addresses = append(addresses, address)
		}
		wanted[address] = append(wanted[address], g)
	}
	for address, p := range t.Mentions(addresses) {
		for _, g := range wanted[address] {
			g.place = &p
		}
	}
}

// placeOf is where to look: a group's own place, else that of its echoes, the
// project's files first. A program knows best where it failed.
func placeOf(g *group) *Place {
	if g.place != nil && (g.place.Own || len(g.trail) == 0 || g.program()) {
		return g.place
	}
	best := g.place
	for _, e := range g.trail {
		if e.place != nil && (best == nil || e.place.Own && !best.Own) {
			best = e.place
		}
	}
	return best
}

func (r *Report) add(g *group, o *Options) {
	switch {
	case o.OnlyNew && !g.isNew(), !o.Since.IsZero() && g.Last.Before(o.Since):
		r.Earlier++
		return
	case g.Warning && !o.Warnings:
		if !g.Resolved {
			r.Warnings++
		}
		return
	}
	in := Incident{
		Origin: g.Origin, Source: g.Source, Page: g.Page, Message: g.Message, Code: g.Code, Warning: g.Warning, Resolved: g.Resolved,
		Count: g.Count, First: g.First, Last: g.Last, Ours: g.Ours,
	}
	if p := placeOf(g); p != nil {
		in.Place = p
	}
	for _, c := range g.Causes {
		in.Trail = append(in.Trail, Echo{Origin: g.Origin, Source: g.Source, Message: c, Count: 1, Cause: true})
	}
	sortTrail(g.trail)
	for _, e := range g.trail {
		g.seqs = append(g.seqs, e.seqs...)
		if len(in.Trail) < maxEchoes {
			in.Trail = append(in.Trail, Echo{Origin: e.Origin, Source: e.Source, Message: e.Message, Count: e.Count, Place: e.place, Ours: e.Ours})
		}
	}
	slices.Sort(g.seqs)
	in.Entries = slices.Compact(g.seqs)
	if n := len(in.Entries); n > maxSeqs {
		in.Entries = in.Entries[n-maxSeqs:]
	}
	if g.Resolved {
		if r.Resolved++; len(r.Over) < maxOver {
			r.Over = append(r.Over, in)
		}
		return
	}
	in.rank = rank(&in, g)
	r.Incidents = append(r.Incidents, in)
}

// rank is what comes first: errors before warnings; what is in the project's
// own source, then what has no place, then other people's code; last the
// refusals that an application may well have expected.
func rank(in *Incident, g *group) int {
	n := 0
	switch {
	case in.Place != nil && in.Place.Own && !in.Place.Mentioned:
	case g.Origin == HTTP && g.Status >= 400 && g.Status < 500 && len(g.trail) == 0:
		n = 3
	case in.Place == nil || in.Place.Mentioned:
		n = 1
	default:
		n = 2
	}
	if in.Warning {
		n += 10
	}
	return n
}
