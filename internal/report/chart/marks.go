package chart

import (
	"fmt"
	"math"
	"strconv"
)

// mark draws what makes the calls of a group one finding.
func (l *layout) mark(g group, role Role, top float64, own int) {
	if len(g.calls) == 0 {
		return
	}
	if g.finding.Type == waterfall {
		for i := 1; i < own; i++ {
			l.arrow(l.places[g.calls[i-1].ID], l.places[g.calls[i].ID], role)
		}
		return
	}
	l.bracket(top+2, l.y-2, "×"+strconv.Itoa(max(g.finding.Count, len(g.calls))), role)
	if g.finding.Type != duplicate {
		return
	}
	for i, c := range g.calls[:own] {
		at := l.places[c.ID]
		if i > 0 {
			before := l.places[g.calls[i-1].ID]
			l.tie(before, at, role)
		}
		l.marks = append(l.marks, Shape{Kind: Disc, Role: role, X: at.x, Y: at.y + rowH/2, W: 3.5})
	}
	if g.finding.SharedWith != "" {
		l.links = append(l.links, link{g.finding.SharedWith, g.calls[0].ID})
	}
}

// arrow leads from the end of a call to the start of the one that waited for
// it.
func (l *layout) arrow(from, to place, role Role) {
	x, end := from.x+from.w, to.x
	y0, y1 := from.y+barTop+barH, to.y+barTop
	if math.Abs(end-x) < 7 {
		x = min(x, end+to.w) - 0.5
		l.marks = append(l.marks,
			Shape{Kind: Line, Role: role, Points: []Point{{x, y0}, {x, y1 - 1}}},
			Shape{Kind: Line, Role: role, Points: []Point{{x - 3, y1 - 4.5}, {x, y1 - 1}, {x + 3, y1 - 4.5}}})
		return
	}
	y := y1 + barH/2
	points := []Point{{x - 0.5, y0}, {x - 0.5, y}, {end - 1, y}}
	back := math.Copysign(4, x-end)
	l.marks = append(l.marks,
		Shape{Kind: Line, Role: role, Points: points},
		Shape{Kind: Line, Role: role, Points: []Point{{end - 1 + back, y - 3}, {end - 1, y}, {end - 1 + back, y + 3}}})
}

// tie says that two bars are the same question.
func (l *layout) tie(from, to place, role Role) {
	y0, y1 := from.y+rowH/2, to.y+rowH/2
	middle := to.y
	l.marks = append(l.marks, Shape{Kind: Dash, Role: role, Points: []Point{{from.x, y0}, {from.x, middle}, {to.x, middle}, {to.x, y1}}})
}

// ties draws the links between groups, when all bars have their places.
func (l *layout) ties() {
	for _, k := range l.links {
		from, ok := l.places[k.from]
		to, also := l.places[k.to]
		if !ok || !also {
			continue
		}
		l.marks = append(l.marks, Shape{Kind: Disc, Role: Twin, X: from.x, Y: from.y + rowH/2, W: 3.5})
		// Around the brackets, along the edge between them and the bars.
		edge := plotX - 5
		l.marks = append(l.marks, Shape{Kind: Dash, Role: Twin, Points: []Point{
			{from.x, from.y + rowH/2}, {edge, from.y + rowH/2}, {edge, to.y + rowH/2}, {to.x, to.y + rowH/2},
		}})
	}
}

// bracket holds rows together and says how many calls they stand for.
func (l *layout) bracket(top, bottom float64, count string, role Role) {
	const arm = 5
	l.marks = append(l.marks, Shape{Kind: Line, Role: role, Points: []Point{{gutterX, top}, {gutterX - arm, top}, {gutterX - arm, bottom}, {gutterX, bottom}}})
	l.text(Shape{Role: role, X: gutterX - arm - 4, Y: (top+bottom)/2 + 4, Anchor: AtEnd, Bold: true, Text: count})
}

// cost sets the time that running one after the other took against the time it
// could have taken.
func (l *layout) cost(g group, role Role) {
	f := g.finding
	start := g.calls[0].Start
	x0, x1, x2 := l.axis.at(start), l.axis.at(start+*f.MaxSingleMs), l.axis.at(start+*f.SerialWallMs)
	y := l.y + 8
	could := "side by side: " + Millis(*f.MaxSingleMs)
	if f.Parallelizable == "no" {
		could = "its longest call: " + Millis(*f.MaxSingleMs)
	}
	l.text(Shape{Role: Could, X: labelX, Y: l.y + 15, Text: could})
	l.front = append(l.front,
		Shape{Kind: Box, Role: Could, X: x0, Y: y, W: max(x1-x0, 1), H: 6},
		Shape{Kind: Hatch, Role: role, X: x1, Y: y, W: max(x2-x1, 1), H: 6})
	for _, x := range []float64{x0, x1, x2} {
		l.marks = append(l.marks, Shape{Kind: Line, Role: role, Points: []Point{{x, y - 3}, {x, y + 9}}})
	}
	words := Shape{Role: role, Y: l.y + 15, Bold: true, Text: "~" + Millis(math.Round(*f.WastedMs)) + " wasted"}
	if need := CharWidth*float64(len([]rune(words.Text))) + 8; x2+need <= width-4 {
		words.X = x2 + 7
	} else {
		words.X, words.Anchor = x0-7, AtEnd
	}
	if words.Anchor == AtEnd && words.X-CharWidth*float64(len(words.Text)) < plotX {
		words.X, words.Anchor, words.Y = x2, AtEnd, l.y+27
		l.y += 12
	}
	l.text(words)
	l.y += costH
}

// finish draws what runs through all rows and puts the layers together.
func (l *layout) finish(p plan, load float64) Picture {
	bottom := l.y - gapH + 4
	// The picture may stand alone: it says itself what it is about.
	l.text(Shape{Role: Ink, X: labelX, Y: 19, Bold: true, Text: fmt.Sprintf("API efficiency %s (%d)", l.in.Report.Grade, l.in.Report.Score)})
	l.text(Shape{Role: Faint, X: labelX, Y: 38, Text: cut(fmt.Sprintf("%s, %s", plural(l.calls, "call"), Redacted(l.in.Page)), labelRoom+3)})
	back := l.loadWindow(p, load, bottom)
	for _, t := range l.axis.ticks() {
		l.lines = append(l.lines, Shape{Kind: Line, Role: Grid, Points: []Point{{t.x, 44}, {t.x, bottom}}})
		l.text(Shape{Role: Faint, X: t.x, Y: 38, Anchor: AtMiddle, Text: t.label})
	}
	for i, s := range l.axis.spans {
		if i > 0 {
			l.lines = append(l.lines, Shape{Kind: Hatch, Role: Grid, X: s.x - breakWidth + 2, Y: 44, W: breakWidth - 4, H: bottom - 44})
		}
	}
	l.legend(bottom + 22)
	l.pic.H = bottom + 34
	for _, note := range l.notes() {
		l.text(Shape{Role: Faint, X: labelX, Y: l.pic.H + 8, Text: note})
		l.pic.H += 18
	}
	paper := []Shape{{Kind: Box, Role: Paper, W: width, H: l.pic.H}}
	for _, layer := range [][]Shape{paper, l.stripe, back, l.lines, l.front, l.marks} {
		l.pic.Shapes = append(l.pic.Shapes, layer...)
	}
	return l.pic
}

// loadWindow shades the time in which the page loads, as far as it is drawn.
func (l *layout) loadWindow(p plan, load, bottom float64) []Shape {
	if l.axis.spans[0].from >= load {
		return nil
	}
	x0, x1 := l.axis.at(0), l.axis.at(load)
	words := fmt.Sprintf("first %s of load", Millis(load))
	bold := false
	if p.chatty != nil {
		words, bold = fmt.Sprintf("%s: %s", words, plural(p.chatty.Count, "call")), true
		l.pic.Drawn = append(l.pic.Drawn, p.chatty.ID)
		l.open(Shape{ID: "mark-" + p.chatty.ID, Href: "finding-" + p.chatty.ID, Class: "finding", Text: sentence(*p.chatty, p.numbers[p.chatty.ID])})
		defer l.close()
		l.front = append(l.front, Shape{Kind: Disc, Role: Load, X: x0 + 10, Y: 15, W: 9})
		l.text(Shape{Role: Paper, X: x0 + 10, Y: 19, Anchor: AtMiddle, Bold: true, Text: strconv.Itoa(p.numbers[p.chatty.ID])})
		x0 += 18
	}
	if load > l.axis.end() {
		words += " →"
	}
	l.text(Shape{Role: Load, X: x0 + 6, Y: 19, Bold: bold, Text: words})
	start := l.axis.at(0)
	rim := []Point{{start, 4}, {start, 24}, {x1, 24}}
	if load <= l.axis.end() {
		rim = append(rim, Point{x1, 4}) // else it goes on beyond what is drawn
	}
	return []Shape{
		{Kind: Box, Role: Window, X: start, Y: 4, W: x1 - start, H: bottom - 4},
		{Kind: Line, Role: Load, Points: rim},
	}
}

// legend explains the colours that occur.
func (l *layout) legend(y float64) {
	x := labelX
	for _, e := range []struct {
		role  Role
		words string
	}{{OK, "answered"}, {Bad, "failed"}, {Gone, "aborted"}, {Live, "in flight"}} {
		l.front = append(l.front, Shape{Kind: Box, Role: e.role, X: x, Y: y - 9, W: 14, H: 9})
		l.text(Shape{Role: Faint, X: x + 19, Y: y, Text: e.words})
		x += 19 + CharWidth*float64(len(e.words)) + 18
	}
	l.front = append(l.front, Shape{Kind: Hatch, Role: Twin, X: x, Y: y - 9, W: 14, H: 9})
	l.text(Shape{Role: Faint, X: x + 19, Y: y, Text: "asked before"})
	if len(l.axis.spans) > 1 {
		x += 19 + CharWidth*12 + 18
		l.front = append(l.front, Shape{Kind: Hatch, Role: Grid, X: x, Y: y - 9, W: 14, H: 9})
		l.text(Shape{Role: Faint, X: x + 19, Y: y, Text: "idle, not to scale"})
	}
}

// notes say what the picture does not show.
func (l *layout) notes() []string {
	var notes []string
	if n := l.pic.Undrawn; n > 0 {
		notes = append(notes, fmt.Sprintf("not drawn for want of room: %s", plural(n, "more finding")))
	}
	if n := l.pic.Folded; n > 0 {
		notes = append(notes, fmt.Sprintf("%s share a row with others", plural(n, "call")))
	}
	if n := l.pic.Unplaced; n > 0 {
		notes = append(notes, fmt.Sprintf("not drawn, their times make no sense: %s", plural(n, "call")))
	}
	if n := l.in.Report.Dropped; n > 0 {
		notes = append(notes, fmt.Sprintf("not analyzed: %s that had left the buffer", plural(n, "older call")))
	}
	return notes
}
