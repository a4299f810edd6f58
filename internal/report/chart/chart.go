// Package chart draws a page's API calls on one time axis, with what an audit
// found marked on them: a chain with what it wasted, a fan-out with its count,
// duplicates linked, the load window shaded.
//
// The layout is made once, as a list of shapes; package paint has two ways to
// paint the same list, SVG and PNG. Whatever comes from a page is cleaned and bounded before
// it becomes a shape, and escaped by the painter.
package chart

import (
	"fmt"
	"math"
	"slices"

	"oriel/internal/audit"
	"oriel/internal/lazyre"
	"oriel/internal/quote"
)

// Call is one bar. Times are milliseconds since the page's navigation began.
type Call struct {
	ID     string  `json:"id"`
	Method string  `json:"method"`
	URL    string  `json:"url"`
	Start  float64 `json:"start"`
	// End is nil while the call is in flight.
	End     *float64 `json:"end"`
	Status  int      `json:"status"`
	Error   string   `json:"error,omitempty"`
	Aborted bool     `json:"aborted,omitempty"`
}

// Input is what is drawn.
type Input struct {
	Report audit.Report
	Calls  []Call
	// Page is the address of the page; calls to its origin are shown by path.
	Page string
}

// Options bound the picture.
type Options struct {
	// Rows of calls in all, and in one finding; what is more is folded into a
	// row that says so.
	Rows, GroupRows int
	// Findings drawn; further ones are counted.
	Findings int
	// Prefix of the ids of shapes, for several pictures in one document.
	Prefix string
}

// Screen fits a document that is scrolled, Glance a picture that is looked at
// as a whole.
var (
	Screen = Options{Rows: 300, GroupRows: 16, Findings: 60}
	Glance = Options{Rows: 34, GroupRows: 8, Findings: 7}
)

// Bounds of one call's words.
const (
	maxURL    = 2000
	maxMethod = 16
	maxError  = 200
	maxTime   = 1e9
)

// Role is what a shape means; painters give it a colour.
type Role string

// The roles.
const (
	Ink    Role = "ink"
	Faint  Role = "faint"
	Grid   Role = "grid"
	Window Role = "window" // the time in which the page loads
	Load   Role = "load"   // words about it
	OK     Role = "ok"
	Bad    Role = "bad"
	Gone   Role = "gone" // given up
	Live   Role = "live" // still under way
	Chain  Role = "chain"
	Fan    Role = "fan"
	Twin   Role = "twin"
	Could  Role = "could" // what it could have taken
	Paper  Role = "paper"
	Stripe Role = "stripe"
)

// Kind of a shape.
type Kind int

// The kinds. Open begins a part with a name and a link, Close ends it; the
// rest leaves ink.
const (
	Open Kind = iota
	Close
	Box
	Hatch // a box filled with slanting lines
	Line
	Dash
	Text
	Disc
)

// Point is a place, from the upper left.
type Point struct{ X, Y float64 }

// Shape is one thing to paint.
type Shape struct {
	Kind Kind
	Role Role
	// X, Y, W and H of a box; X and Y of a text's base line; centre of a disc,
	// whose radius is W.
	X, Y, W, H float64
	Points     []Point // of a line
	Text       string  // of a text; of Open, what it is about
	Bold       bool
	Mono       bool
	Anchor     Anchor

	ID, Href, Class string // of Open
}

// Anchor says which end of a text X is.
type Anchor int

// The anchors.
const (
	AtStart Anchor = iota
	AtMiddle
	AtEnd
)

// Picture is a chart, laid out.
type Picture struct {
	W, H   float64
	Title  string
	Desc   string
	Shapes []Shape
	// Drawn are the ids of the findings that are in it, in the order of their
	// numbers; Undrawn counts those for which there was no room.
	Drawn   []string
	Undrawn int
	// Bars are the ids of the calls that have a bar of their own, Folded counts
	// those that share a row with others.
	Bars   map[string]bool
	Folded int
	// Unplaced counts calls whose times make no sense.
	Unplaced int
}

var idForm = lazyre.New(`^[A-Za-z0-9._:-]{1,64}$`)

// clean keeps the calls that can be drawn, bounded, in the order of time.
func clean(calls []Call) (kept []Call, unplaced int) {
	for i, c := range calls {
		if !idForm.MatchString(c.ID) {
			c.ID = fmt.Sprintf("call%d", i+1)
		}
		if !sane(c.Start) || (c.End != nil && (!sane(*c.End) || *c.End < c.Start)) {
			unplaced++
			continue
		}
		c.Method = quote.Text(c.Method, maxMethod)
		c.URL = quote.Text(c.URL, maxURL)
		c.Error = quote.Text(c.Error, maxError)
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, func(a, b Call) int {
		switch {
		case a.Start < b.Start:
			return -1
		case a.Start > b.Start:
			return 1
		}
		return 0
	})
	return kept, unplaced
}

func sane(t float64) bool { return !math.IsNaN(t) && t > -maxTime && t < maxTime }

// role is the colour of a call's bar.
func (c Call) role() Role {
	switch {
	case c.End == nil:
		return Live
	case c.Aborted:
		return Gone
	case c.Error != "" || c.Status >= 400:
		return Bad
	}
	return OK
}
