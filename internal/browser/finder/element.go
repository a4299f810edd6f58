package finder

import (
	"context"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"oriel/internal/browser/finder/aim"
)

// Element is one that was found. It is only good for as long as its document.
type Element struct {
	Verdict
	Matches int // visible elements that fitted, this one included

	finder Finder
	world  World
	object runtime.RemoteObjectID
}

// ScriptError is what code in the page threw.
type ScriptError struct{ Text string }

func (e *ScriptError) Error() string { return "script: " + e.Text }

// Thrown words an exception of the page.
func Thrown(e *runtime.ExceptionDetails) error {
	switch {
	case e.Exception != nil && e.Exception.Description != "":
		return &ScriptError{e.Exception.Description}
	case e.Exception != nil && len(e.Exception.Value) > 0:
		return &ScriptError{e.Text + " " + string(e.Exception.Value)}
	}
	return &ScriptError{e.Text}
}

// Field is the field that is meant: the element, or the one it labels or
// holds.
func (e *Element) Field(ctx context.Context) (*Element, error) {
	object, err := e.finder.invoke(ctx, e.world, e.object, false, "field")
	if err != nil {
		return nil, err
	}
	field := &Element{Matches: e.Matches, finder: e.finder, world: e.world, object: object.ObjectID}
	return field, field.Judge(ctx)
}

// Judge looks at the element again.
func (e *Element) Judge(ctx context.Context) error {
	v, err := ask[Verdict](ctx, e.finder, e.world, e.object, "judge")
	if err == nil {
		e.Verdict = v
	}
	return err
}

// Scroll brings the element into view, when it is not.
func (e *Element) Scroll(ctx context.Context) error {
	_, err := cdp.Call(ctx, e.finder.Page, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{ObjectID: e.object})
	return err
}

// Box is a rectangle in the viewport, in CSS pixels.
type Box struct{ X, Y, Width, Height float64 }

// Boxes are where the element is drawn: several for text that wraps.
func (e *Element) Boxes(ctx context.Context) ([]Box, error) {
	r, err := cdp.Call(ctx, e.finder.Page, dom.GetContentQuads, dom.GetContentQuadsParams{ObjectID: e.object})
	if err != nil {
		return nil, err
	}
	var list []Box
	for _, q := range r.Quads {
		if len(q) != 8 {
			continue
		}
		left, right := min(q[0], q[2], q[4], q[6]), max(q[0], q[2], q[4], q[6])
		top, bottom := min(q[1], q[3], q[5], q[7]), max(q[1], q[3], q[5], q[7])
		if right-left >= 1 && bottom-top >= 1 {
			list = append(list, Box{left, top, right - left, bottom - top})
		}
	}
	return list, nil
}

// Still says whether the element stays where it is for some frames.
func (e *Element) Still(ctx context.Context) (bool, error) {
	return ask[bool](ctx, e.finder, e.world, e.object, "still")
}

// Cover says what a click at a point of the viewport would hit instead of the
// element; empty when it hits the element.
func (e *Element) Cover(ctx context.Context, x, y float64) (string, error) {
	metrics, err := cdp.Call(ctx, e.finder.Page, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return "", err
	}
	// Chromium counts these coordinates from the corner of the document.
	hit, err := cdp.Call(ctx, e.finder.Page, dom.GetNodeForLocation, dom.GetNodeForLocationParams{
		X: int64(math.Round(x + float64(metrics.CSSLayoutViewport.PageX))), Y: int64(math.Round(y + float64(metrics.CSSLayoutViewport.PageY))),
	})
	if err != nil {
		return "nothing, outside of the page", nil // that is how Chromium says so
	}
	node, err := cdp.Call(ctx, e.finder.Page, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: hit.BackendNodeID, ExecutionContextID: e.world.context, ObjectGroup: handles,
	})
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "something in another frame", nil
	}
	cover, err := ask[*aim.Element](ctx, e.finder, e.world, e.object, "reached", &runtime.CallArgument{ObjectID: node.Object.ObjectID})
	if err != nil || cover == nil {
		return "", err
	}
	return cover.String(), nil
}

// Select focuses the element and selects what is in it.
func (e *Element) Select(ctx context.Context) error {
	_, err := e.finder.invoke(ctx, e.world, e.object, true, "select")
	return err
}

// Focus gives the element the focus.
func (e *Element) Focus(ctx context.Context) error {
	_, err := cdp.Call(ctx, e.finder.Page, dom.Focus, dom.FocusParams{ObjectID: e.object})
	return err
}

// Assign sets the value of an input that cannot be typed into, and returns
// what the input made of it.
func (e *Element) Assign(ctx context.Context, v string) (string, error) {
	return ask[string](ctx, e.finder, e.world, e.object, "assign", value(v))
}

// Files gives a file input its files.
func (e *Element) Files(ctx context.Context, paths []string) error {
	_, err := cdp.Call(ctx, e.finder.Page, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: paths, ObjectID: e.object})
	return err
}

// Choose selects options by value or label.
func (e *Element) Choose(ctx context.Context, options []string) ([]string, error) {
	r, err := ask[struct {
		Chosen  []string `json:"chosen"`
		Missing *string  `json:"missing"`
		Options []string `json:"options"`
	}](ctx, e.finder, e.world, e.object, "choose", value(options))
	if err != nil {
		return nil, err
	}
	if r.Missing != nil {
		const most = 8
		near := aim.Nearest(*r.Missing, r.Options, most)
		return nil, &AimError{fmt.Sprintf("%s has no option %q: nearest of %d: %q", e.Verdict.Element, *r.Missing, len(r.Options), near)}
	}
	return r.Chosen, nil
}
