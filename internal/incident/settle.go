package incident

import (
	"path/filepath"
	"time"

	"oriel/internal/incident/source"
)

// forwardLag is how late a dev server may repeat what a page said.
const forwardLag = 5 * time.Second

// settle marks what is over. "What is broken now" must not have in it what was
// repaired, and must not leave out what only happens not to have come again:
//
//   - a tool said so (Resolved);
//   - a tool went on without a complaint (Maybe), and the file was changed since;
//   - a document, script or style has been served since;
//   - an API has answered well since, and had never before, or the source was
//     changed in between: one that fails now and then is not repaired by working
//     now and then;
//   - the file that a page's error was in was changed since, and a page has
//     loaded it anew;
//   - a page could not even run its code, the source was changed since, and the
//     page was left for one that did not say so: it happens at every load.
//
// What caused nothing but settled exchanges is settled with them.
func settle(groups []*group, t *source.Tree, o *Options) {
	for _, g := range groups {
		switch {
		case g.Resolved:
		case g.Maybe:
			// A file that is gone cannot be wrong; one elsewhere cannot be asked.
			changed, ok := changedAt(g.Place, t)
			last := g.Last
			if g.Forwarded {
				last = last.Add(-forwardLag)
			}
			g.Resolved = ok && changed.After(last) || !ok && !filepath.IsAbs(filepath.FromSlash(g.Place.File))
		case g.Origin == HTTP:
			g.Resolved = servedSince(g, t, o)
		case g.page() || g.Origin == Resource:
			g.Resolved = loadedSince(g, t, o)
		}
	}
	for _, g := range groups {
		if g.parent == nil && g.Origin == Process && !g.Resolved {
			g.Resolved = settledEchoes(g)
		}
	}
}

func changedAt(p Place, t *source.Tree) (time.Time, bool) {
	info, ok := t.Stat(p.File)
	if !ok {
		return time.Time{}, false
	}
	return info.ModTime(), true
}

func servedSince(g *group, t *source.Tree, o *Options) bool {
	if o.Served == nil {
		return false
	}
	first, last := o.Served(g.Source, g.Method, g.path)
	if !last.After(g.End) {
		return false
	}
	return g.Asset || first.After(g.End) || t.ChangedBetween(g.End, last)
}

func loadedSince(g *group, t *source.Tree, o *Options) bool {
	p := placeOf(g)
	if p == nil || !p.Own || o.Loaded == nil {
		return false
	}
	if o.Open != nil && g.Origin == PageError && g.Page != "" && topFrame(g.Stack) == "" && !o.Open(g.Source, g.Page) {
		return o.Loaded(g.Source, p.File, g.Last) && t.ChangedBetween(g.Last, time.Now())
	}
	changed, ok := changedAt(*p, t)
	return ok && changed.After(g.Last) && o.Loaded(g.Source, p.File, changed)
}

// settledEchoes says whether a request that failed in a server's words is
// answered well again.
func settledEchoes(g *group) bool {
	found := false
	for _, e := range g.trail {
		if e.Origin == HTTP {
			if !e.Resolved {
				return false
			}
			found = true
		}
	}
	return found
}
