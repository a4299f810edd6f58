package chart

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"oriel/internal/audit"
)

// Measures of the picture, in pixels. Words are laid out by CharWidth, which
// both painters keep to or stay below.
const (
	width  = 1000.0
	margin = 12.0
	// CharWidth is the room that a character is given.
	CharWidth = 7.0
	labelX    = 24.0
	gutterX   = 312.0 // where brackets stand, right end
	plotX     = 326.0
	plotW     = 590.0
	headH     = 30.0
	rowH      = 20.0
	barTop    = 4.0
	barH      = 12.0
	gapH      = 12.0
	costH     = 22.0

	labelRoom = 34 // characters
)

// loadWindowDefault holds when a report does not say.
const loadWindowDefault = 3000.0

// place is where a call's bar is.
type place struct{ x, w, y float64 }

// layout collects shapes in layers.
type layout struct {
	in     Input
	o      Options
	calls  int
	axis   axis
	y      float64
	stripe []Shape
	lines  []Shape
	front  []Shape
	marks  []Shape
	places map[string]place
	links  []link
	pic    Picture
}

// link is a duplicate's tie to the call that another finding counts.
type link struct{ from, to string }

// New lays the picture out.
func New(in Input, o Options) Picture {
	calls, unplaced := clean(in.Calls)
	load := cmp.Or(in.Report.Thresholds["loadWindowMs"], loadWindowDefault)
	l := &layout{in: in, o: o, calls: len(calls), places: map[string]place{}}
	l.pic = Picture{W: width, Bars: map[string]bool{}, Unplaced: unplaced, Title: fmt.Sprintf("API calls of %s: %s (%d)", cut(Redacted(in.Page), 120), in.Report.Grade, in.Report.Score)}
	p := arrange(in.Report, calls, o)
	l.pic.Undrawn = p.undrawn
	l.pic.Desc = l.describe(p, len(calls))
	if len(calls) == 0 {
		return l.nothing()
	}
	l.axis = newAxis(calls, load, plotX, plotW)
	l.y = 52
	each, others := p.rows(o)
	for _, g := range p.groups {
		l.group(g, each)
	}
	if len(p.others) > 0 {
		l.others(p.others, others, len(p.groups) > 0)
	}
	l.ties()
	return l.finish(p, load)
}

func (l *layout) nothing() Picture {
	l.pic.H = 60
	l.pic.Shapes = []Shape{
		{Kind: Box, Role: Paper, W: width, H: l.pic.H},
		{Kind: Text, Role: Faint, X: width / 2, Y: 34, Anchor: AtMiddle, Text: "no API calls were recorded"},
	}
	return l.pic
}

// group draws a finding: its words, its calls, its marks.
func (l *layout) group(g group, rows int) {
	role, top := roleOf(g.finding.Type), l.y
	l.pic.Drawn = append(l.pic.Drawn, g.finding.ID)
	l.open(Shape{ID: "mark-" + g.finding.ID, Href: "finding-" + g.finding.ID, Class: "finding", Text: sentence(*g.finding, g.number)})
	l.heading(g, role)
	l.close()
	first := l.y
	drawn := l.rows(g.calls, rows, func(i int) bool { return g.finding.Type == duplicate && (i > 0 || g.finding.SharedWith != "") }, role)
	if len(g.calls) == 0 {
		l.text(Shape{Role: Faint, X: labelX, Y: l.y + 14, Text: "its calls are no longer in the buffer"})
		l.y += rowH
	}
	l.mark(g, role, first, drawn)
	if f := g.finding; f.WastedMs != nil && f.MaxSingleMs != nil && f.SerialWallMs != nil && len(g.calls) > 0 {
		l.cost(g, role)
	}
	l.y += 4
	l.stripe = append(l.stripe,
		Shape{Kind: Box, Role: Stripe, X: 0, Y: top, W: width, H: l.y - top},
		Shape{Kind: Box, Role: role, X: 0, Y: top, W: 3, H: l.y - top})
	l.y += gapH
}

func (l *layout) heading(g group, role Role) {
	f := g.finding
	y := l.y + headH - 10
	// Words stand on plain ground: no shading and no lines behind them.
	l.front = append(l.front, Shape{Kind: Box, Role: Stripe, X: 3, Y: l.y, W: width - 3, H: headH})
	l.front = append(l.front, Shape{Kind: Disc, Role: role, X: 20, Y: y - 4, W: 9})
	l.text(Shape{Role: Paper, X: 20, Y: y, Anchor: AtMiddle, Bold: true, Text: strconv.Itoa(g.number)})
	fix := ""
	if f.Initiator != nil {
		fix = "↳ " + f.Initiator.String()
	}
	all := int((width - 36 - margin) / CharWidth)
	fix = squeeze(fix, all*9/20)
	message := cut(f.Message, all-len([]rune(f.Type))-len([]rune(fix))-5)
	l.text(Shape{Role: role, X: 36, Y: y, Bold: true, Mono: true, Text: f.Type})
	l.text(Shape{Role: Ink, X: 36 + CharWidth*float64(len([]rune(f.Type))+1), Y: y, Text: message})
	if fix != "" {
		l.text(Shape{Role: Ink, X: width - margin, Y: y, Anchor: AtEnd, Mono: true, Text: fix})
	}
	l.y += headH
}

func (l *layout) others(calls []Call, rows int, below bool) {
	if below {
		l.text(Shape{Role: Faint, X: labelX, Y: l.y + headH - 10, Bold: true, Text: fmt.Sprintf("%s outside these findings", plural(len(calls), "call"))})
		l.y += headH
	}
	l.rows(calls, rows, func(int) bool { return false }, OK)
	l.y += gapH
}

// rows draws calls, the last row holding all that find no row of their own. It
// returns how many have one.
func (l *layout) rows(calls []Call, rows int, again func(i int) bool, role Role) int {
	own := len(calls)
	if own > rows {
		own = rows - 1
	}
	for i, c := range calls[:own] {
		l.call(c, again(i), role)
	}
	if rest := calls[own:]; len(rest) > 0 {
		l.fold(rest)
	}
	return own
}

func (l *layout) call(c Call, again bool, role Role) {
	x := l.axis.at(c.Start)
	end := l.axis.end()
	if c.End != nil {
		end = *c.End
	}
	at := place{x: x, w: max(l.axis.at(end)-x, 2), y: l.y}
	if c.End == nil {
		at.w = max(at.w, 24) // to be seen as open
	}
	if _, twice := l.places[c.ID]; twice {
		c.ID += "-again"
	}
	l.places[c.ID] = at
	l.pic.Bars[c.ID] = true
	l.open(Shape{ID: "call-" + c.ID, Class: "call", Text: c.about(l.in.Page)})
	l.text(Shape{Role: Ink, X: labelX, Y: l.y + 14, Mono: true, Text: squeeze(c.Method+" "+Shown(c.URL, l.in.Page), labelRoom)})
	bar := Shape{Kind: Box, Role: c.role(), X: at.x, Y: l.y + barTop, W: at.w, H: barH}
	l.front = append(l.front, bar)
	if again && c.role() == OK {
		bar.Kind, bar.Role = Hatch, role
		l.front = append(l.front, bar)
	}
	l.beside(at, c)
	l.close()
	l.y += rowH
}

// beside writes how long a call took: after its bar, before it, or inside it,
// where there is room.
func (l *layout) beside(at place, c Call) {
	s := Shape{Role: Faint, Y: at.y + 14, Text: c.took()}
	if c.role() == Bad {
		s.Role = Bad
	}
	need := CharWidth*float64(len([]rune(s.Text))) + 8
	switch {
	case at.x+at.w+need <= width-4:
		s.X = at.x + at.w + 5
	case at.x-need >= plotX:
		s.X, s.Anchor = at.x-5, AtEnd
	default:
		s.Role, s.X, s.Anchor = Paper, at.x+at.w-5, AtEnd
	}
	l.text(s)
}

// fold draws many calls in one row, thin.
func (l *layout) fold(calls []Call) {
	l.pic.Folded += len(calls)
	l.open(Shape{Class: "fold", Text: fmt.Sprintf("%s in one row", plural(len(calls), "more call"))})
	l.text(Shape{Role: Faint, X: labelX, Y: l.y + 14, Text: fmt.Sprintf("… %s, in one row", plural(len(calls), "more call"))})
	const lanes = 3
	drawn := map[[2]int]int{} // by lane and pixel: the farthest right
	for i, c := range calls {
		x := l.axis.at(c.Start)
		end := l.axis.end()
		if c.End != nil {
			end = *c.End
		}
		w := max(l.axis.at(end)-x, 1.5)
		// What lies wholly on another adds nothing but bytes.
		key := [2]int{i % lanes, int(x)}
		if drawn[key] >= int(x+w) {
			continue
		}
		drawn[key] = int(x + w)
		l.front = append(l.front, Shape{Kind: Box, Role: c.role(), X: x, Y: l.y + barTop - 1 + float64(i%lanes)*5, W: w, H: 3})
	}
	l.close()
	l.y += rowH
}

func (l *layout) open(s Shape) {
	s.Kind = Open
	if s.ID != "" {
		s.ID = l.o.Prefix + s.ID
	}
	if s.Href != "" {
		s.Href = l.o.Prefix + s.Href
	}
	l.front = append(l.front, s)
}

func (l *layout) close() { l.front = append(l.front, Shape{Kind: Close}) }

func (l *layout) text(s Shape) {
	s.Kind = Text
	l.front = append(l.front, s)
}

// roleOf is a finding's colour.
func roleOf(kind string) Role {
	switch kind {
	case waterfall:
		return Chain
	case nPlusOne:
		return Fan
	}
	return Twin
}

// sentence is a finding in one line.
func sentence(f audit.Finding, number int) string {
	s := fmt.Sprintf("%d. %s, %s: %s — %s", number, f.Type, f.Severity, f.Selector, f.Message)
	if f.Initiator != nil {
		s += " (" + f.Initiator.String() + ")"
	}
	return s
}

// describe is the picture for who cannot see it.
func (l *layout) describe(p plan, calls int) string {
	parts := []string{fmt.Sprintf("%s on one time axis.", plural(calls, "call"))}
	for _, g := range p.groups {
		parts = append(parts, sentence(*g.finding, g.number)+".")
	}
	if p.chatty != nil {
		parts = append(parts, sentence(*p.chatty, p.numbers[p.chatty.ID])+".")
	}
	if len(parts) == 1 {
		parts = append(parts, "No findings.")
	}
	return strings.Join(parts, " ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
