package incident

import (
	"slices"
	"strings"
	"time"

	"oriel/internal/incident/reply"
	"oriel/internal/incident/scan/formats"
	"oriel/internal/lazyre"
)

// How long after its cause an echo may come.
const (
	afterAnswer = 3 * time.Second        // a page's reaction to an answer
	sameWords   = 5 * time.Second        // the same error said again elsewhere
	boundary    = 2 * time.Second        // a framework's report of an error it caught
	serving     = 300 * time.Millisecond // a server's words about a request, around it
	dying       = 10 * time.Second       // the words before an exit
	clockSlack  = 250 * time.Millisecond // two processes read their clocks
)

// Bounds of the work: every group is held against every other.
const (
	maxLinked = 300 // groups, the newest; older ones stand for themselves
	maxWords  = 600 // bytes of a message
)

// link ties every echo to its cause; groups come newest first. serves says
// which process is behind a proxy.
func link(groups []*group, serves map[string]string) {
	groups = groups[:min(len(groups), maxLinked)]
	for _, tie := range []func([]*group, *group, map[string]string) *group{
		causeOfExchange, causeOfExit, causeOfResource, causeByAnswer, causeByWords, causeByBuild, causeByBoundary,
	} {
		for _, g := range groups {
			if g.parent != nil {
				continue
			}
			if cause := tie(groups, g, serves); cause != nil && cause.root() != g {
				g.parent = cause
			}
		}
	}
	for _, g := range groups {
		if g.parent != nil {
			root := g.root()
			root.trail = append(root.trail, g)
		}
	}
}

func (g *group) root() *group {
	for g.parent != nil {
		g = g.parent
	}
	return g
}

func (g *group) page() bool {
	return g.Origin == PageError || g.Origin == PageRejection || g.Origin == Console
}

func (g *group) program() bool {
	return g.Origin == Build || g.Origin == Process
}

// within says whether an occurrence of echo came at most limit after one of
// cause ended.
func within(cause, echo *group, limit time.Duration) bool {
	_, ok := gap(cause, echo, limit)
	return ok
}

// gap is the shortest time from an occurrence of cause to one of echo.
func gap(cause, echo *group, limit time.Duration) (time.Duration, bool) {
	best, ok := limit+1, false
	for _, c := range cause.times {
		for _, e := range echo.times {
			d := e.from.Sub(c.to)
			if d >= -clockSlack && d <= limit && d.Abs() < best {
				best, ok = d.Abs(), true
			}
		}
	}
	return best, ok
}

// nearest returns the candidate that an occurrence of echo followed soonest.
func nearest(groups []*group, echo *group, limit time.Duration, fits func(*group) bool) *group {
	var best *group
	var shortest time.Duration
	for _, g := range groups {
		if g == echo || !fits(g) {
			continue
		}
		if d, ok := gap(g, echo, limit); ok && (best == nil || d < shortest) {
			best, shortest = g, d
		}
	}
	return best
}

// causeOfExchange: a failed answer has its reason in the server's output: the
// stack printed for that request, the module that could not be built, or the
// process's end.
func causeOfExchange(groups []*group, g *group, serves map[string]string) *group {
	if g.Origin != HTTP {
		return nil
	}
	path := g.path
	var candidates, builds []*group
	for _, p := range groups {
		switch {
		case p.Origin == Exit && g.Failed && (serves[g.Source] == p.Source || serves[g.Source] == "") && !p.Last.After(g.Last.Add(clockSlack)):
			return p
		case !p.program() || g.Status < 500 && !g.Failed:
			continue
		case p.Request != "" && requestPath(p.Request) == path && overlap(p, g, time.Second):
			return p
		case p.Origin == Build && p.Place.File != "" && sameFile(p.Place.File, path) && !p.Forwarded:
			return p
		case g.Asset && p.Origin == Build && !p.Checker && !p.Warning && serves[g.Source] == p.Source && overlap(p, g, time.Second):
			builds = append(builds, p)
		case p.Forwarded:
			continue
		case p.Kind != formats.Build && p.Request == "" && p.Place.File != "" && overlap(p, g, serving):
			candidates = append(candidates, p)
		}
	}
	switch {
	case len(candidates) == 1:
		return candidates[0]
	case len(candidates) == 0 && len(builds) == 1: // a document that a module of it stopped
		return builds[0]
	}
	return nil
}

func requestPath(request string) string {
	_, path, ok := strings.Cut(request, " ")
	if !ok {
		path = request
	}
	return pathOf(path)
}

// overlap says whether an occurrence of p falls into an exchange of g, give or
// take slack.
func overlap(p, g *group, slack time.Duration) bool {
	for _, e := range g.times {
		for _, t := range p.times {
			if !t.to.Before(e.from.Add(-slack)) && !t.from.After(e.to.Add(slack)) {
				return true
			}
		}
	}
	return false
}

func sameFile(file, path string) bool {
	file = strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), ".")
	path = "/" + strings.TrimPrefix(path, "/")
	return len(path) > 3 && (strings.HasSuffix("/"+strings.TrimPrefix(file, "/"), path) || strings.HasSuffix(path, "/"+strings.TrimPrefix(file, "/")))
}

// causeOfExit: a process that ends badly has usually said why.
func causeOfExit(groups []*group, g *group, _ map[string]string) *group {
	if g.Origin != Exit {
		return nil
	}
	var best *group
	for _, p := range groups {
		if p.Source != g.Source || p == g || p.Warning || p.Resolved || p.Forwarded || p.Origin != Build && p.Origin != Process && p.Origin != Test {
			continue
		}
		if p.Last.After(g.Last.Add(clockSlack)) || g.Last.Sub(p.Last) > dying {
			continue
		}
		// What nothing caught before what was merely written down; then the last.
		if best == nil || (p.Kind == formats.Crash) != (best.Kind == formats.Crash) && p.Kind == formats.Crash || (p.Kind == formats.Crash) == (best.Kind == formats.Crash) && p.Last.After(best.Last) {
			best = p
		}
	}
	return best
}

// causeOfResource: an element that did not load and the exchange that failed
// are one thing. The element says more, unless the server said why.
func causeOfResource(groups []*group, g *group, _ map[string]string) *group {
	switch g.Origin {
	case HTTP:
		return nearestAround(groups, g, func(r *group) bool {
			return r.Origin == Resource && r.Source == g.Source && r.parent == nil && r.path == g.path
		})
	case Resource:
		if h := nearestAround(groups, g, func(h *group) bool {
			return h.Origin == HTTP && h.Source == g.Source && h.parent != nil && h.path == g.path
		}); h != nil {
			return h
		}
		if c := nearestAround(groups, g, func(c *group) bool {
			return c.Origin == CSP && c.Source == g.Source && g.URL != "" && strings.HasSuffix(c.Message, " "+g.URL)
		}); c != nil || !strings.HasPrefix(g.Message, "failed to load <script>") {
			return c
		}
		// A module does not load either when one that it imports does not.
		return nearest(groups, g, sameWords, func(h *group) bool {
			return h.Origin == HTTP && h.Source == g.Source && h.Asset && h.path != g.path
		})
	}
	return nil
}

func nearestAround(groups []*group, g *group, fits func(*group) bool) *group {
	for _, o := range groups {
		if o != g && fits(o) && overlap(o, g, sameWords) {
			return o
		}
	}
	return nil
}

// causeByAnswer: what a page says shortly after an answer and that names it.
func causeByAnswer(groups []*group, g *group, _ map[string]string) *group {
	if !g.page() {
		return nil
	}
	return nearest(groups, g, afterAnswer, func(h *group) bool {
		return h.Origin == HTTP && h.Source == g.Source && within(h, g, afterAnswer) && g.words().Names(h.path, h.Failed, h.Status, h.Asset)
	})
}

func (g *group) words() *reply.Words {
	if g.says == nil {
		g.says = reply.Read(g.Message[:min(len(g.Message), maxWords)])
	}
	return g.says
}

// strength is which of two that say the same is the cause: the lower one.
func strength(g *group) int {
	switch g.Origin {
	case Build: // forwarded or not: the page only tells what the server found
		return 0
	case PageError:
		return 1
	case PageRejection:
		return 2
	case Process:
		if g.Forwarded || g.Kind == formats.Logged && g.Place.Line == 0 {
			return 5
		}
		return 3
	case Console:
		return 4
	}
	return 9
}

// causeByWords: one error that is said in several places: thrown in the page,
// written to its console by a handler, repeated by the dev server.
func causeByWords(groups []*group, g *group, _ map[string]string) *group {
	if !g.page() && !g.program() {
		return nil
	}
	var best *group
	said := g.Message[:min(len(g.Message), maxWords)]
	for _, c := range groups {
		if c == g || !c.page() && !c.program() || !stronger(c, g) || c.page() && g.page() && (c.Source != g.Source || c.Page != g.Page) {
			continue
		}
		if core := core(c.Message); len(core) < 8 || !strings.Contains(said, core) {
			continue
		}
		if overlap(c, g, sameWords) && (best == nil || stronger(c, best)) {
			best = c
		}
	}
	return best
}

// stronger: of two equals the one that began is the cause.
func stronger(a, b *group) bool {
	if x, y := strength(a), strength(b); x != y {
		return x < y
	}
	// Two errors of one kind are one only if nothing but their wording differs.
	return false
}

// core is a message without the name of its class, on one line.
func core(message string) string {
	message, _, _ = strings.Cut(message[:min(len(message), maxWords)], "\n")
	if i := strings.Index(message, "Error: "); i >= 0 && i < 40 && !strings.Contains(message[:i], " ") {
		message = message[i+len("Error: "):]
	}
	return strings.TrimSpace(message)
}

var buildWords = lazyre.New(`(?i)errors while compiling|failed to compile|build error|compilation failed|\[hmr\].*failed|module (?:build|parse) failed|module not found|failed to reload|syntax error|parsing .* failed|transform failed`)

// causeByBuild: a dev server's client tells in the page that a build failed,
// often without saying which.
func causeByBuild(groups []*group, g *group, _ map[string]string) *group {
	if !g.page() {
		return nil
	}
	c := nearestAround(groups, g, func(c *group) bool { return c.Origin == Build && !c.Warning })
	if c == nil || !buildWords.MatchString(g.words().Text) { // looked for last, since it takes longest
		return nil
	}
	return c
}

var boundaryWords = lazyre.New(`error occurred in (?:the |one of your )|React will try to recreate|Consider adding an error boundary|\[Vue warn\]: Unhandled error|Error handled by React Router|The above error|ErrorBoundary caught`)

// causeByBoundary: a framework tells which component the error was in, without
// repeating the error.
func causeByBoundary(groups []*group, g *group, _ map[string]string) *group {
	if g.Origin != Console || !boundaryWords.MatchString(g.Message) {
		return nil
	}
	return nearest(groups, g, boundary, func(c *group) bool {
		return (c.Origin == PageError || c.Origin == PageRejection) && c.Source == g.Source && c.Page == g.Page
	})
}

// afterCall is how soon after an answer the code that asked for it complains.
const afterCall = time.Second

// followed says whether something in a page, so far without a cause, came right
// after an answer.
func followed(groups []*group, h *group) bool {
	return slices.ContainsFunc(groups[:min(len(groups), maxLinked)], func(g *group) bool {
		return g.page() && g.parent == nil && g.place != nil && g.Source == h.Source && within(h, g, afterCall)
	})
}

// followCalls ties what was thrown right after a failed answer, further down in
// the function that had asked for it, to that answer.
func followCalls(groups []*group) {
	for _, g := range groups[:min(len(groups), maxLinked)] {
		if !g.page() || g.parent != nil || g.place == nil {
			continue
		}
		h := nearest(groups, g, afterCall, func(h *group) bool {
			return h.call != nil && h.Source == g.Source && h.call.File == g.place.File && h.call.Function == g.place.Function &&
				g.place.Line >= h.call.Line && g.place.Line <= h.call.Line+20
		})
		if h == nil {
			continue
		}
		root := h.root()
		g.parent = h
		root.trail = append(append(root.trail, g), g.trail...)
		g.trail = nil
	}
}

// sortTrail puts echoes in the order of time.
func sortTrail(trail []*group) {
	slices.SortStableFunc(trail, func(a, b *group) int { return a.First.Compare(b.First) })
}
