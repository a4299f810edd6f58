// Package still takes pictures of pages that are the same whenever nothing
// changed: all loaded, nothing moving, no caret.
package still

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/url"
	"strings"
	"time"

	"oriel/internal/browser"
	"oriel/internal/snapshot/pixels"
)

//go:embed page.js
var pageJS string

// How long is waited for what a page may never do.
const (
	idlePatience   = 8 * time.Second // for the network to be quiet
	againPatience  = 3 * time.Second // the same, after what was asked for
	settlePatience = 8 * time.Second // for images, fonts, videos
	attempts       = 6               // to take the same picture twice in a row
	askPatience    = 5 * time.Second // for an answer of the page, beyond the above
)

// Picture is a still page. It is still open, so that it can be asked what is
// where, until Close.
type Picture struct {
	Size     image.Point       // in pixels
	Covered  []image.Rectangle // painted over, in pixels
	Scale    float64           // pixels per CSS pixel
	Unsteady []string          // why it may look different the next time
	Doubts   []string          // why it may not be the page that is meant
	Missing  []string          // selectors to cover that fitted nothing
	Cut      int               // CSS pixels at the bottom that did not fit

	tab   *browser.Tab
	taken []byte      // as the browser sent it
	image *image.RGBA // the same with what is covered; nil until it is needed
}

// WrongSelectorError says that something to cover is no CSS selector.
type WrongSelectorError struct{ Selector string }

func (e *WrongSelectorError) Error() string {
	return fmt.Sprintf("ignore: %.100q is no CSS selector", e.Selector)
}

// StatusError says that a page answered with an error, whose picture nobody
// wants to keep.
type StatusError struct {
	URL    string
	Status int
}

func (e *StatusError) Error() string { return fmt.Sprintf("load %s: HTTP %d", e.URL, e.Status) }

// Take opens a page in a tab of its own, which is in no list, and takes its
// picture from top to bottom. Elements that fit one of the selectors are
// painted over.
func Take(ctx context.Context, b *browser.Browser, address string, look browser.Look, ignore []string) (_ *Picture, err error) {
	look.Private = true
	tab, err := b.Open(ctx, address, look)
	if err != nil {
		return nil, err
	}
	p := &Picture{tab: tab}
	defer func() {
		if err != nil {
			p.Close(context.WithoutCancel(ctx))
		}
	}()
	info, err := tab.Info(ctx)
	if err != nil {
		return nil, err
	}
	if info.Status >= 400 {
		return nil, &StatusError{address, info.Status}
	}
	if err := p.settle(ctx); err != nil {
		return nil, err
	}
	shot, err := p.steady(ctx)
	if err != nil {
		return nil, err
	}
	p.Scale, p.Cut = shot.Scale, shot.Cut
	if err := p.doubt(ctx, address); err != nil {
		return nil, err
	}
	if p.Cut > 0 {
		p.Unsteady = append(p.Unsteady, fmt.Sprintf("%d px at the bottom did not fit into a picture", p.Cut))
	}
	return p, p.cover(ctx, ignore)
}

// doubt notes what nobody wants to keep without knowing: an empty page, the
// dev server's error over it, another page than the one that was asked for.
func (p *Picture) doubt(ctx context.Context, address string) error {
	colour, err := p.blank()
	if err != nil {
		return err
	}
	if colour != "" {
		p.Doubts = append(p.Doubts, "it is blank: every pixel is "+colour)
	}
	var faults []string
	if err := p.ask(ctx, 0, &faults, "faults"); err != nil {
		return err
	}
	p.Doubts = append(p.Doubts, faults...)
	info, err := p.tab.Info(ctx)
	if err != nil {
		return err
	}
	if at := elsewhere(address, info.URL); at != "" {
		p.Doubts = append(p.Doubts, "it led to "+at)
	}
	return nil
}

// elsewhere is where a page went instead of the address; empty when it is
// there.
func elsewhere(asked, at string) string {
	a, err := url.Parse(asked)
	b, also := url.Parse(at)
	if err != nil || also != nil {
		return ""
	}
	switch {
	case a.Host != b.Host:
		return b.Scheme + "://" + b.Host + b.Path
	case strings.Trim(a.Path, "/") != strings.Trim(b.Path, "/"):
		return b.Path
	}
	return ""
}

// Close closes the page.
func (p *Picture) Close(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	_ = p.tab.Close(limited) // it ends with its browser at the latest
}

// settle waits until the page is complete.
func (p *Picture) settle(ctx context.Context) error {
	if _, err := p.idle(ctx, idlePatience); err != nil {
		return err
	}
	var late []string
	if err := p.ask(ctx, settlePatience, &late, "settle", settlePatience.Milliseconds()); err != nil {
		return err
	}
	p.Unsteady = append(p.Unsteady, late...)
	why, err := p.idle(ctx, againPatience)
	if why != "" {
		p.Unsteady = append(p.Unsteady, why)
	}
	return err
}

// idle waits for a quiet network. A busy one is no error, but the reason is
// returned.
func (p *Picture) idle(ctx context.Context, patience time.Duration) (busy string, err error) {
	_, err = p.tab.Wait(ctx, browser.Want{Idle: true, Patience: patience})
	if late, ok := errors.AsType[*browser.ActError](err); ok {
		return late.Why, nil
	}
	return "", err
}

// steady takes pictures until two in a row are the same.
func (p *Picture) steady(ctx context.Context) (browser.Image, error) {
	var last browser.Image
	for n := range attempts {
		if err := p.ask(ctx, 0, nil, "freeze"); err != nil {
			return last, err
		}
		shot, err := p.tab.Screenshot(ctx, browser.Shot{FullPage: true, MaxWidth: -1})
		if err != nil {
			return last, err
		}
		same := bytes.Equal(shot.Data, last.Data)
		if !same && n == attempts-1 {
			p.restless(ctx, last, shot)
		}
		last = shot
		if same {
			break
		}
	}
	head, err := png.DecodeConfig(bytes.NewReader(last.Data))
	if err != nil {
		return last, fmt.Errorf("read a picture: %w", err)
	}
	p.taken, p.Size = last.Data, image.Pt(head.Width, head.Height)
	return last, nil
}

// restless notes what still moved.
func (p *Picture) restless(ctx context.Context, one, two browser.Image) {
	text := "it did not come to rest"
	p.Scale = two.Scale
	a, err := Decode(one.Data)
	b, also := Decode(two.Data)
	if err == nil && also == nil {
		if d, err := pixels.Compare(a, b, pixels.Ignored{}); err == nil {
			if names, err := p.Name(ctx, d.Regions); err == nil && len(names) > 0 {
				text += ": " + names[0].Selector + " moves"
			}
		}
	}
	p.Unsteady = append(p.Unsteady, text)
}

// cover paints over what is to be ignored.
func (p *Picture) cover(ctx context.Context, selectors []string) error {
	if len(selectors) == 0 {
		return nil
	}
	var found struct {
		Boxes          []box
		Missing, Wrong []string
	}
	if err := p.ask(ctx, 0, &found, "find", selectors); err != nil {
		return err
	}
	if len(found.Wrong) > 0 {
		return &WrongSelectorError{found.Wrong[0]}
	}
	p.Missing = found.Missing
	for _, b := range found.Boxes {
		r := b.pixels(p.Scale).Intersect(image.Rectangle{Max: p.Size})
		if !r.Empty() {
			p.Covered = append(p.Covered, r)
		}
	}
	return nil
}

// box is a place on the page in CSS pixels, as the page tells it.
type box struct {
	X   float64 `json:"x"`
	Y   float64 `json:"y"`
	W   float64 `json:"w"`
	H   float64 `json:"h"`
	Fit bool    `json:"fit,omitempty"`
}

// pixels is the smallest box of whole pixels around it. What a page says is
// bounded before it is counted with.
func (b box) pixels(scale float64) image.Rectangle {
	whole := func(v float64, round func(float64) float64) int {
		return int(round(max(-1e6, min(1e6, v*scale))))
	}
	return image.Rect(whole(b.X, math.Floor), whole(b.Y, math.Floor), whole(b.X+b.W, math.Ceil), whole(b.Y+b.H, math.Ceil))
}

// Named is an element. Both are the page's words.
type Named struct {
	Selector, Text string
	Box            image.Rectangle // in pixels
}

// Name finds the elements that regions of the picture belong to.
func (p *Picture) Name(ctx context.Context, regions []pixels.Region) ([]Named, error) {
	boxes := make([]box, len(regions))
	for i, r := range regions {
		boxes[i] = box{
			float64(r.Box.Min.X) / p.Scale, float64(r.Box.Min.Y) / p.Scale, float64(r.Box.Dx()) / p.Scale, float64(r.Box.Dy()) / p.Scale,
			r.Kind == pixels.Inserted,
		}
	}
	var found []struct {
		Selector, Text string
		Box            box
	}
	if err := p.ask(ctx, 0, &found, "name", boxes); err != nil {
		return nil, err
	}
	if len(found) != len(regions) {
		return nil, fmt.Errorf("name %d regions: the page named %d", len(regions), len(found))
	}
	names := make([]Named, len(found))
	for i, f := range found {
		names[i] = Named{f.Selector, f.Text, f.Box.pixels(p.Scale)}
	}
	return names, nil
}

// ask calls a function of page.js. A page whose scripts never let go is left.
func (p *Picture) ask(ctx context.Context, extra time.Duration, into any, function string, args ...any) error {
	limited, cancel := context.WithTimeout(ctx, askPatience+extra)
	defer cancel()
	list := make([]json.RawMessage, len(args))
	for i, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			return fmt.Errorf("ask the page: %w", err)
		}
		list[i] = text
	}
	value, err := p.tab.Aside(limited, "function (...args) {"+pageJS+"\nreturn "+function+"(...args); }", list...)
	if err != nil {
		if limited.Err() != nil && ctx.Err() == nil {
			return fmt.Errorf("%s: the page does not answer: its scripts keep it busy", function)
		}
		return err
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("read the page's answer to %s: %w", function, err)
	}
	return nil
}
