package incident

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel/internal/incident/reply"
	"oriel/internal/lazyre"
)

// group is facts that are the same thing happening again.
type group struct {
	Fact
	place  *Place
	call   *Place    // of the code that made the call, when that was looked for
	times  []span    // of the newest occurrences, for linking
	fresh  bool      // happened since the last look
	known  bool      // happened before it
	told   int       // how often, before it
	began  time.Time // when it first came in the page where it was last
	seqs   []uint64
	says   *reply.Words // of a page's message, when first needed
	parent *group
	trail  []*group
}

// span is when one occurrence was: an exchange takes its time.
type span struct{ from, to time.Time }

const (
	maxTimes = 12 // occurrences of one group that are looked at
	maxSeqs  = 8
)

// foldKey tells groups apart.
type foldKey struct {
	origin        Origin
	source        string
	message, code string
	place         string
	warning       bool
}

// fold makes groups of equal facts. after is the moment of the last look.
func fold(facts []Fact, after time.Time) []*group {
	index := map[foldKey]*group{}
	var groups []*group
	for i := range facts {
		f := &facts[i]
		k := foldKey{f.Origin, f.Source, f.Message, f.Code, rawPlace(f), f.Warning}
		if f.Origin == HTTP {
			k.message, k.place = f.Method+" "+reply.Template(f.path), statusWord(f)
		}
		g := index[k]
		if g == nil {
			g = &group{Fact: *f}
			g.Count, g.fresh = 0, false
			index[k] = g
			groups = append(groups, g)
		}
		g.take(f, after)
	}
	return groups
}

func statusWord(f *Fact) string {
	if f.Failed {
		return "failed"
	}
	return itoa(f.Status)
}

// rawPlace is where a fact was, before any source map: without the query that
// dev servers change with every edit.
func rawPlace(f *Fact) string {
	if f.Place.File != "" {
		return f.Place.File + ":" + itoa(f.Place.Line) + ":" + itoa(f.Place.Column)
	}
	if line := topFrame(f.Stack); line != "" {
		return queryForm.ReplaceAllString(line, "")
	}
	if f.Origin == Resource {
		return f.URL
	}
	return queryForm.ReplaceAllString(f.Script, "") + ":" + itoa(f.ScriptLine) + ":" + itoa(f.ScriptColumn)
}

// topFrame is the first line of a stack that names a place. There is none when
// no code ran: a module that cannot be parsed or linked.
func topFrame(stack string) string {
	for line := range strings.SplitSeq(stack, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "at ") || strings.Contains(line, "@http") {
			return line
		}
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }

var queryForm = lazyre.New(`\?[^:)\s]*`)

func (g *group) take(f *Fact, after time.Time) {
	if f.Old {
		g.known = true
		g.told += f.Count
	}
	if f.Again || !f.Old && f.Last.After(after) {
		g.fresh = true
	}
	g.Count += f.Count
	switch {
	case g.began.IsZero() || f.Page != g.Page && !f.Last.Before(g.Last):
		g.began = f.First
	case f.Page == g.Page && f.First.Before(g.began):
		g.began = f.First
	}
	if f.First.Before(g.First) {
		g.First = f.First
	}
	if !f.Last.Before(g.Last) {
		// The newest speaks for all: it is what a developer would see now.
		g.Last, g.Message, g.Stack, g.Script, g.ScriptLine, g.ScriptColumn = f.Last, f.Message, f.Stack, f.Script, f.ScriptLine, f.ScriptColumn
		g.URL, g.path, g.End, g.Page = f.URL, f.path, f.End, f.Page
		g.Resolved, g.Maybe, g.Ran = f.Resolved, f.Maybe, f.Ran
	}
	g.addTime(span{f.First, f.Last})
	g.addTime(span{f.Last, f.Last})
	if f.Seq > 0 {
		g.seqs = append(g.seqs, f.Seq)
		if len(g.seqs) > 2*maxSeqs {
			slices.Sort(g.seqs)
			g.seqs = append(g.seqs[:0], g.seqs[len(g.seqs)-maxSeqs:]...)
		}
	}
}

func (g *group) addTime(s span) {
	if n := len(g.times); n > 0 && g.times[n-1] == s {
		return
	}
	if len(g.times) >= 2*maxTimes {
		slices.SortFunc(g.times, func(a, b span) int { return a.from.Compare(b.from) })
		g.times = append(g.times[:0], g.times[len(g.times)-maxTimes:]...)
	}
	g.times = append(g.times, s)
}

// isNew says whether there is something to tell since the last look: it was not
// known then, or it has happened again. What the page and the dev server both
// say comes in either order, so an error that was told by its echo is known.
func (g *group) isNew() bool {
	if g.known {
		return g.fresh
	}
	said := core(g.Message)
	return !slices.ContainsFunc(g.trail, func(echo *group) bool {
		return echo.told >= g.Count && said != "" && strings.Contains(echo.Message, said)
	})
}

// refold joins groups that turned out to be at one place of the source with the
// same words, but for numbers in them: a dev server gives an edited module a new
// address, and a loop words each turn anew.
func refold(groups []*group) []*group {
	index := map[foldKey]*group{}
	kept := groups[:0]
	for _, g := range groups {
		if g.place == nil || g.place.Line == 0 || g.Origin == HTTP {
			kept = append(kept, g)
			continue
		}
		k := foldKey{g.Origin, g.Source, numberForm.ReplaceAllString(g.Message, "0"), g.Code, g.place.File + ":" + itoa(g.place.Line), g.Warning}
		old := index[k]
		if old == nil {
			index[k] = g
			kept = append(kept, g)
			continue
		}
		old.join(g)
	}
	return kept
}

func (g *group) join(o *group) {
	g.Count += o.Count
	g.known, g.fresh, g.told = g.known || o.known, g.fresh || o.fresh, g.told+o.told
	if o.First.Before(g.First) {
		g.First = o.First
	}
	if o.Last.After(g.Last) {
		g.Last, g.Message, g.Stack, g.place, g.Page = o.Last, o.Message, o.Stack, o.place, o.Page
		g.Resolved, g.Maybe, g.Ran, g.began = o.Resolved, o.Maybe, o.Ran, o.began
	}
	g.times = append(g.times, o.times...)
	if len(g.times) > 2*maxTimes {
		g.addTime(o.times[len(o.times)-1])
	}
	g.seqs = append(g.seqs, o.seqs...)
}

var numberForm = lazyre.New(`\d+(?:\.\d+)?`)
