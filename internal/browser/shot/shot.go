// Package shot takes pictures of pages.
package shot

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/finder/aim"
)

// Shot says what to take a picture of. The zero value is the viewport as PNG.
type Shot struct {
	Selector string // one element
	FullPage bool
	Format   string // "png", "jpeg" or "webp"; empty: png
	Quality  int    // of jpeg and webp, 1 to 100; 0: 80
	MaxWidth int    // in pixels; a wider picture is scaled down; 0: DefaultWidth, below 0: no bound
	MaxSide  int    // in pixels; a picture that is wider or taller is scaled down; 0: no bound
	Patience time.Duration
}

// DefaultWidth is wide enough to read and costs few tokens.
const DefaultWidth = 1024

// Bounds of a picture in pixels: what Chromium can draw in one piece, and what
// anybody wants to look at.
const maxHeight = 16000

// Image is a picture.
type Image struct {
	MIME          string
	Data          []byte
	Width, Height int     // in pixels
	Scale         float64 // pixels per CSS pixel
	Cut           int     // CSS pixels at the bottom that did not fit
}

// Take takes a picture, true to the pixel but for the scaling. density is how
// many pixels the page has per CSS pixel.
func Take(ctx context.Context, on cdp.Session, density float64, s Shot) (Image, error) {
	if s.Format == "" {
		s.Format = "png"
	}
	if !slices.Contains([]string{"png", "jpeg", "webp"}, s.Format) {
		return Image{}, fmt.Errorf("unknown format %q (valid: png, jpeg, webp)", s.Format)
	}
	area, zoom, err := find(ctx, on, s)
	if err != nil {
		return Image{}, err
	}
	scale, cut := s.scale(area, density, zoom), 0
	// What is narrower than a pixel cannot be drawn; it gets a whole one.
	area.Width, area.Height = max(area.Width, 1/(scale*density)), max(area.Height, 1/(scale*density))
	if most := math.Floor(maxHeight / (scale * density)); area.Height > most {
		cut = int(area.Height - most)
		area.Height = most
	}
	p := page.CaptureScreenshotParams{
		Format:                page.CaptureScreenshotFormat(s.Format),
		Clip:                  &page.Viewport{X: area.X, Y: area.Y, Width: area.Width, Height: area.Height, Scale: scale},
		CaptureBeyondViewport: new(s.FullPage || s.Selector != ""),
	}
	if s.Format != "png" {
		if s.Quality <= 0 || s.Quality > 100 {
			s.Quality = 80
		}
		p.Quality = new(int64(s.Quality))
	}
	r, err := cdp.Call(ctx, on, page.CaptureScreenshot, p)
	if err != nil {
		return Image{}, err
	}
	scale *= density
	return Image{
		MIME: "image/" + s.Format, Data: r.Data, Scale: scale, Cut: cut,
		Width: int(math.Round(area.Width * scale)), Height: int(math.Round(area.Height * scale)),
	}, nil
}

// scale is by how much a picture of an area is larger than the page, within the
// bounds that were asked for.
func (s Shot) scale(area finder.Box, density, zoom float64) float64 {
	if s.MaxWidth == 0 {
		s.MaxWidth = DefaultWidth
	}
	scale := zoom
	if pixels := area.Width * density * scale; s.MaxWidth > 0 && pixels > float64(s.MaxWidth) {
		scale *= float64(s.MaxWidth) / pixels
	}
	if pixels := max(area.Width, area.Height) * density * scale; s.MaxSide > 0 && pixels > float64(s.MaxSide) {
		scale *= float64(s.MaxSide) / pixels
	}
	return scale
}

// find is what to take, from the corner of the document, and how far the page
// is zoomed: a phone shows a page that is not made for it smaller than it is.
func find(ctx context.Context, on cdp.Session, s Shot) (finder.Box, float64, error) {
	m, err := cdp.Call(ctx, on, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return finder.Box{}, 0, err
	}
	v := m.CSSVisualViewport
	switch {
	case s.Selector != "":
		box, err := boxOf(ctx, on, s)
		return box, v.Scale, err
	case s.FullPage:
		return finder.Box{Width: math.Ceil(m.CSSContentSize.Width), Height: math.Ceil(m.CSSContentSize.Height)}, v.Scale, nil
	}
	return finder.Box{X: v.PageX, Y: v.PageY, Width: v.ClientWidth, Height: v.ClientHeight}, v.Scale, nil
}

func boxOf(ctx context.Context, on cdp.Session, s Shot) (finder.Box, error) {
	a, err := aim.Parse(s.Selector)
	if err != nil {
		return finder.Box{}, err
	}
	f := finder.Finder{Page: on}
	defer f.Release(context.WithoutCancel(ctx))
	e, err := f.Wait(ctx, a, cmp.Or(s.Patience, finder.Patience))
	if err != nil {
		return finder.Box{}, err
	}
	return around(ctx, on, e)
}

// around is the smallest box of whole pixels that holds an element.
func around(ctx context.Context, on cdp.Session, e *finder.Element) (finder.Box, error) {
	if err := e.Scroll(ctx); err != nil {
		return finder.Box{}, err
	}
	boxes, err := e.Boxes(ctx)
	if err != nil {
		return finder.Box{}, err
	}
	if len(boxes) == 0 {
		return finder.Box{}, fmt.Errorf("%s is empty", e.Verdict.Element)
	}
	m, err := cdp.Call(ctx, on, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return finder.Box{}, err
	}
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for _, b := range boxes {
		left, top = min(left, b.X), min(top, b.Y)
		right, bottom = max(right, b.X+b.Width), max(bottom, b.Y+b.Height)
	}
	dx, dy := m.CSSVisualViewport.PageX, m.CSSVisualViewport.PageY
	left, top, right, bottom = math.Floor(left+dx), math.Floor(top+dy), math.Ceil(right+dx), math.Ceil(bottom+dy)
	return finder.Box{X: left, Y: top, Width: right - left, Height: bottom - top}, nil
}
