package incident

import (
	"path/filepath"
	"strings"
	"time"

	"oriel/internal/incident/scan/formats"
	"oriel/internal/incident/source"
	"oriel/internal/incident/stay"
	"oriel/internal/lazyre"
)

const (
	forwardLag = 5 * time.Second         // how late a dev server may repeat what a page said
	restarting = 2 * time.Second         // how much longer than the last time a program may take to fail again
	retrying   = 1500 * time.Millisecond // likewise a page that got new code
)

// settle marks what is over. "What is broken now" must not have in it what was
// repaired, and must not leave out what only happens not to have come again:
//
//   - a tool said so (Resolved);
//   - a tool went on without a complaint (Maybe), and the file was changed since,
//     or nothing imports it any more;
//   - a program that crashed was changed, run anew, and has outlived the crash;
//   - what could not be built has been served since;
//   - a document, script or style has been served since;
//   - an API has answered well since, and had never before, or the source was
//     changed in between: one that fails now and then is not repaired by working
//     now and then;
//   - the file that a page's error was in was changed since the page got it, and
//     a page has loaded it anew;
//   - what went wrong by itself when a page got its code has not come again in
//     one that was loaded from changed source, nor, where React tries again what
//     failed, in one that was updated;
//   - a page could not even run its code, the source was changed since, and the
//     page was left for one that did not say so: it happens at every load.
//
// What caused nothing but settled exchanges is settled with them.
func settle(groups []*group, t *source.Tree, o *Options) {
	for _, g := range groups {
		switch {
		case g.Resolved:
		case g.program() && rebuilt(g, t, o):
			g.Resolved = true
		case g.Origin == HTTP:
			g.Resolved = servedSince(g, t, o) || g.Asset && (cleanSince(g, t, o) || unasked(g, t, o))
		case g.page() || g.Origin == Resource || g.Origin == CSP:
			g.Resolved = loadedSince(g, t, o) || cleanSince(g, t, o)
		}
	}
	for _, g := range groups {
		if g.parent == nil && g.program() && !g.Resolved && !g.Checker {
			g.Resolved = settledEchoes(g)
		}
	}
}

// rebuilt says whether what a process printed no longer holds.
func rebuilt(g *group, t *source.Tree, o *Options) bool {
	if g.Origin == Build && !g.Checker && o.fetched(g) {
		return true
	}
	if g.Maybe.IsZero() {
		return g.Origin == Build && !g.Checker && g.Place.Own && o.updated(g) && !t.Imported(g.Place.File)
	}
	if g.Kind == formats.Crash && t.ChangedSince(g.Last.Add(-g.Ran)) && o.now().Sub(g.Maybe) > g.Ran+restarting {
		return true
	}
	// A file that is gone cannot be wrong; one elsewhere cannot be asked.
	changed, ok := changedAt(g.Place, t)
	if !ok {
		return !filepath.IsAbs(filepath.FromSlash(g.Place.File))
	}
	last := g.Last
	if g.Forwarded {
		last = last.Add(-forwardLag)
	}
	return changed.After(last) || g.Origin == Build && g.Place.Own && !t.Imported(g.Place.File)
}

// fetched says whether a page has got, since, the file that could not be built.
func (o *Options) fetched(g *group) bool {
	return o.Fetched != nil && g.Place.File != "" && o.anyServed(g, func(proxy string) bool { return o.Fetched(proxy, g.Place.File, g.Last) })
}

// updated says whether a page has got new code since, by a load or an update.
func (o *Options) updated(g *group) bool {
	return o.Delivered != nil && o.anyServed(g, func(proxy string) bool { return o.Delivered(proxy, o.now()).After(g.Last) })
}

// anyServed asks for the proxies that stand before a group's process.
func (o *Options) anyServed(g *group, is func(proxy string) bool) bool {
	for proxy, process := range o.Serves {
		if process == g.Source && is(proxy) {
			return true
		}
	}
	return false
}

func (o *Options) now() time.Time {
	if o.Now.IsZero() {
		return time.Now()
	}
	return o.Now
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

// unasked says whether a module was refused that no other imports any more, and
// a page has got code since.
func unasked(g *group, t *source.Tree, o *Options) bool {
	p := t.Locate(Place{File: strings.TrimPrefix(g.path, "/")}, "")
	return p.Own && o.Delivered != nil && o.Delivered(g.Source, o.now()).After(g.Last) && !t.Imported(p.File)
}

func loadedSince(g *group, t *source.Tree, o *Options) bool {
	p := placeOf(g)
	if p == nil || !p.Own || o.Loaded == nil {
		return false
	}
	if o.Open != nil && g.Origin == PageError && g.Page != "" && topFrame(g.Stack) == "" && !o.Open(g.Source, g.Page) {
		return o.Loaded(g.Source, p.File, g.Last) && t.ChangedSince(g.Last)
	}
	changed, ok := changedAt(*p, t)
	if !ok {
		return false
	}
	since := g.Last
	if changed.After(since) {
		since = changed
	}
	return changed.After(o.had(g.Source, p.File, g.Last)) && o.Loaded(g.Source, p.File, since)
}

// had is when what failed at a moment got a file: it may have been repaired
// before its error was even seen.
func (o *Options) had(proxy, file string, failed time.Time) time.Time {
	if o.Had != nil {
		if at := o.Had(proxy, file, failed); !at.IsZero() {
			return at
		}
	}
	return failed
}

var reactTries = lazyre.New(`\b(?:renderWithHooks|commitHookEffectList(?:Mount|Unmount)|updateClassComponent|mountClassInstance|finishClassComponent|callComponent(?:DidMount|DidUpdate|Render)\w*)\b`)

// cleanSince says whether what a page did by itself with the code it got has
// not come again with newer code, although it would have.
func cleanSince(g *group, t *source.Tree, o *Options) bool {
	if o.Delivered == nil {
		return false
	}
	e := stay.Event{Proxy: g.Source, Page: g.Page, Began: g.began, Last: g.Last, Code: o.Delivered(g.Source, g.began)}
	got, after, ok := o.Visits.Cause(e)
	if !ok || !t.ChangedSince(got) {
		return false
	}
	if o.Visits.Clean(e, o.now()) {
		return true
	}
	update := o.Delivered(g.Source, o.now())
	if !update.After(g.Last) || o.now().Sub(update) < after+retrying {
		return false
	}
	if g.Origin == Resource {
		return o.Shown != nil && o.Open != nil && o.Open(g.Source, g.Page) && !o.Shown(g.Source, g.Page, g.URL)
	}
	_, script := t.Newest() // a style is no reason for React to try again
	return g.page() && script.After(got) && reactTries.MatchString(g.Stack) && (o.Open == nil || o.Open(g.Source, g.Page))
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
