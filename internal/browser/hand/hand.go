// Package hand acts on a page as a person does: it waits until an element can
// be used, and then moves the mouse, touches and types. The page gets events
// that it can trust.
package hand

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/finder/aim"
)

// Hand acts on one page.
type Hand struct {
	Page     cdp.Session
	Touch    bool          // taps instead of clicks
	Patience time.Duration // how long an element may take to be ready
}

// Done is what an act did.
type Done struct {
	Element string // what it acted on, in words; the page's are quoted
	Matches int    // how many visible elements fitted
	Value   string // what a field holds afterwards, in the page's words
}

// Error says why an element could not be used, and what there is instead.
type Error = finder.Error

// spot is an element that is ready, and where to touch it.
type spot struct {
	*finder.Element
	x, y float64
}

// need says what an element must be before it is used.
type need struct {
	field bool // a field is meant, maybe by its label
	point bool // it must be possible to touch it
}

// ready waits until the element can be used.
func (h Hand) ready(ctx context.Context, a aim.Aim, n need) (*spot, error) {
	f := finder.Finder{Page: h.Page}
	var s *spot
	err := f.Until(ctx, a, h.Patience, func(ctx context.Context) (ok bool, why string, err error) {
		s, why, err = h.try(ctx, f, a, n)
		return s != nil, why, err
	})
	return s, err
}

// try looks once. Without a spot it says why.
func (h Hand) try(ctx context.Context, f finder.Finder, a aim.Aim, n need) (*spot, string, error) {
	e, reason, err := f.Find(ctx, a)
	if e == nil {
		return nil, reason, err
	}
	if n.field {
		if e, err = e.Field(ctx); err != nil {
			return nil, "", err
		}
	}
	switch {
	case e.Disabled:
		return nil, e.Verdict.Element.String() + " is disabled", nil
	case n.field && e.Readonly:
		return nil, e.Verdict.Element.String() + " is read-only", nil
	case !n.point:
		return &spot{Element: e}, "", nil
	}
	return h.aim(ctx, e)
}

// aim finds a point at which the element is still and on top.
func (h Hand) aim(ctx context.Context, e *finder.Element) (*spot, string, error) {
	if err := e.Scroll(ctx); err != nil {
		return nil, "", err
	}
	name := e.Verdict.Element.String()
	if still, err := e.Still(ctx); err != nil || !still {
		return nil, name + " keeps moving", err
	}
	boxes, err := e.Boxes(ctx)
	if err != nil {
		return nil, "", err
	}
	points, err := h.points(ctx, boxes)
	if err != nil || len(points) == 0 {
		return nil, name + " is outside of the viewport", err
	}
	var cover string
	for i, p := range points {
		over, err := e.Cover(ctx, p[0], p[1])
		if err != nil {
			return nil, "", err
		}
		if over == "" {
			return &spot{e, p[0], p[1]}, "", nil
		}
		if i == 0 {
			cover = over
		}
	}
	return nil, fmt.Sprintf("%s is covered by %s", name, cover), nil
}

// points are where to touch: the middle first, then around it.
func (h Hand) points(ctx context.Context, boxes []finder.Box) ([][2]float64, error) {
	m, err := cdp.Call(ctx, h.Page, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	width, height := float64(m.CSSLayoutViewport.ClientWidth), float64(m.CSSLayoutViewport.ClientHeight)
	var list [][2]float64
	for _, b := range boxes {
		left, top := max(b.X, 0), max(b.Y, 0)
		right, bottom := min(b.X+b.Width, width), min(b.Y+b.Height, height)
		if right-left < 1 || bottom-top < 1 {
			continue
		}
		for _, part := range [][2]float64{{.5, .5}, {.25, .25}, {.75, .25}, {.25, .75}, {.75, .75}} {
			list = append(list, [2]float64{left + part[0]*(right-left), top + part[1]*(bottom-top)})
		}
		if len(list) > 10 {
			break
		}
	}
	return list, nil
}
