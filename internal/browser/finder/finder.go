// Package finder finds elements of a page by CSS, by role and name, or by the
// words on them, through open shadow roots and the frames of the same site.
package finder

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"oriel/internal/browser/finder/aim"
)

//go:embed locate.js
var locateJS string

const (
	worldName  = "oriel"        // the world in which elements are looked for
	handles    = "oriel-handle" // the group of objects held in the page
	mostFrames = 30
	mostFound  = 100 // elements of which it is asked whether they are visible
)

// Finder looks for elements of one page.
type Finder struct {
	Page cdp.Session
}

// World is one frame, seen from beside the page's own scripts. Frames of other
// sites run in other processes and are not among them.
type World struct {
	frame   cdp.FrameID
	context runtime.ExecutionContextID
}

// worlds are the frames of the page, the main one first.
func (f Finder) worlds(ctx context.Context) ([]World, error) {
	tree, err := cdp.Call(ctx, f.Page, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	var list []World
	var failure error
	var add func(*page.FrameTree)
	add = func(n *page.FrameTree) {
		if len(list) >= mostFrames || n == nil {
			return
		}
		made, err := cdp.Call(ctx, f.Page, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: n.Frame.ID, WorldName: worldName})
		if err == nil {
			list = append(list, World{n.Frame.ID, made.ExecutionContextID})
		} else if failure == nil {
			failure = err
		}
		for _, child := range n.ChildFrames {
			add(child)
		}
	}
	add(tree.FrameTree)
	if len(list) == 0 {
		return nil, failure
	}
	return list, nil
}

// argument is a value or a handle for a function in the page.
type argument = *runtime.CallArgument

func value[T string | bool | int | []string](v T) argument {
	text, err := json.Marshal(v)
	if err != nil {
		text = []byte("null") // cannot happen with these types
	}
	return &runtime.CallArgument{Value: text}
}

// invoke calls a function of locate.js, on an element when there is one.
func (f Finder) invoke(ctx context.Context, w World, on runtime.RemoteObjectID, byValue bool, function string, args ...argument) (*runtime.RemoteObject, error) {
	p := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function (...args) {" + locateJS + "\nreturn " + function + ".apply(this, args); }",
		Arguments:           args, ReturnByValue: new(byValue), AwaitPromise: new(true), Silent: new(true), UserGesture: new(true), ObjectGroup: handles,
	}
	if on != "" {
		p.ObjectID = on
	} else {
		p.ExecutionContextID = w.context
	}
	r, err := cdp.Call(ctx, f.Page, runtime.CallFunctionOn, p)
	if err != nil {
		return nil, err
	}
	if r.ExceptionDetails != nil {
		return nil, Thrown(r.ExceptionDetails)
	}
	return r.Result, nil
}

// ask is invoke for a value.
func ask[T any](ctx context.Context, f Finder, w World, on runtime.RemoteObjectID, function string, args ...argument) (T, error) {
	var v T
	r, err := f.invoke(ctx, w, on, true, function, args...)
	if err != nil {
		return v, err
	}
	if len(r.Value) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return v, fmt.Errorf("read the answer of %s: %w", function, err)
	}
	return v, nil
}

// Verdict is what can be done with an element.
type Verdict struct {
	aim.Element
	Shown    bool   `json:"shown"`
	Disabled bool   `json:"disabled"`
	Readonly bool   `json:"readonly"`
	Kind     string `json:"kind"` // of field: "text", "rich", "select", or the type of an input
	Checked  bool   `json:"checked"`
	Value    string `json:"value"`
}

// Find finds the first visible element that fits. When there is none, the
// reason says so and the element is nil; an error means that looking failed.
func (f Finder) Find(ctx context.Context, a aim.Aim) (found *Element, reason string, err error) {
	worlds, err := f.worlds(ctx)
	if err != nil {
		return nil, "", err
	}
	visible, hidden := 0, 0
	for i, w := range worlds {
		list, verdicts, err := f.search(ctx, w, a)
		if err != nil && i == 0 {
			return nil, "", err
		}
		// A frame that goes away meanwhile has nothing to show.
		for n, v := range verdicts {
			if !v.Shown {
				hidden++
				continue
			}
			if found == nil && visible == a.Nth {
				if found, err = f.pick(ctx, w, list, n, v); err != nil {
					return nil, "", err
				}
			}
			visible++
		}
	}
	switch {
	case found != nil:
		found.Matches = visible
		return found, "", nil
	case visible > 0:
		return nil, fmt.Sprintf("only %d visible elements match %s", visible, a), nil
	case hidden > 0:
		return nil, fmt.Sprintf("%s matches %d elements, none of them visible", a, hidden), nil
	}
	return nil, fmt.Sprintf("no element matches %s", a), nil
}

// Patience is how long an element may usually take to be there and usable.
const Patience = 5 * time.Second

const (
	pause   = 40 * time.Millisecond // between two looks
	telling = 2 * time.Second       // for finding out what there is instead
)

// Error says why an element could not be used, and what there is instead.
type Error struct {
	Why  string
	Near string
}

func (e *Error) Error() string {
	if e.Near == "" {
		return e.Why
	}
	return e.Why + ": " + e.Near
}

// Wait waits until a visible element fits.
func (f Finder) Wait(ctx context.Context, a aim.Aim, patience time.Duration) (*Element, error) {
	var e *Element
	err := f.Until(ctx, a, patience, func(ctx context.Context) (ok bool, why string, err error) {
		e, why, err = f.Find(ctx, a)
		return e != nil, why, err
	})
	return e, err
}

// Until tries until it succeeds. What a page in motion causes is not an error.
// When the patience is over, the error is an *Error with the last reason why
// not, and with what is near the aim.
func (f Finder) Until(ctx context.Context, a aim.Aim, patience time.Duration, try func(context.Context) (ok bool, why string, err error)) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	last := fmt.Sprintf("no element matches %s", a)
	// The first look is finished in any case: on a big page it can take longer
	// than an impatient caller, and "not looked" is not "not there".
	first, stop := context.WithTimeout(ctx, max(patience, telling))
	defer stop()
	for look := first; ; look = limited {
		ok, why, err := try(look)
		switch {
		case ok:
			return nil
		case err == nil:
			last = why
		case look.Err() == nil && !Passing(err):
			return err
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			telling, cancel := context.WithTimeout(ctx, telling)
			defer cancel()
			return &Error{fmt.Sprintf("%s after %s", last, patience), f.Near(telling, a)}
		}
	}
}

// Passing says that an error comes from a page in motion: a document that is
// just being replaced, an element that is just being removed.
func Passing(err error) bool {
	_, script := errors.AsType[*ScriptError](err)
	_, protocol := errors.AsType[*cdproto.Error](err)
	return script || protocol
}

// search lists what fits in one frame, visible or not, and judges it.
func (f Finder) search(ctx context.Context, w World, a aim.Aim) (runtime.RemoteObjectID, []Verdict, error) {
	var list *runtime.RemoteObject
	var err error
	switch a.Kind {
	case aim.Role:
		list, err = f.byRole(ctx, w, a)
	case aim.Text:
		list, err = f.invoke(ctx, w, "", false, "byText", value(a.Text), value(a.Exact))
	default:
		list, err = f.invoke(ctx, w, "", false, "byCSS", value(a.CSS))
	}
	if err != nil {
		if script, ok := errors.AsType[*ScriptError](err); ok && strings.Contains(script.Text, "SyntaxError") {
			return "", nil, &AimError{fmt.Sprintf("not a CSS selector: %s (for words on the page write text=…, for a role role=button[name=\"…\"])", a)}
		}
		return "", nil, err
	}
	verdicts, err := ask[[]Verdict](ctx, f, w, list.ObjectID, "judgeAll", value(mostFound))
	return list.ObjectID, verdicts, err
}

func (f Finder) pick(ctx context.Context, w World, list runtime.RemoteObjectID, n int, v Verdict) (*Element, error) {
	object, err := f.invoke(ctx, w, list, false, "pick", value(n))
	if err != nil {
		return nil, err
	}
	return &Element{Verdict: v, finder: f, world: w, object: object.ObjectID}, nil
}

// Release lets the page forget what was found in it.
func (f Finder) Release(ctx context.Context) {
	// It fails when the page is gone, and then there is nothing to forget.
	_, _ = cdp.Call(ctx, f.Page, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: handles})
}

// AimError says that a selector cannot be understood. Waiting does not help.
type AimError struct{ Text string }

func (e *AimError) Error() string { return e.Text }

// byRole asks the accessibility tree, which computes roles and names as
// screen readers get them. Whole names come first.
func (f Finder) byRole(ctx context.Context, w World, a aim.Aim) (*runtime.RemoteObject, error) {
	nodes, err := f.ofRole(ctx, w, a.Role)
	if err != nil {
		return nil, err
	}
	var found []argument
	for fit := 2; fit > 0; fit-- {
		for _, n := range nodes {
			if a.NameFits(text(n.Name)) != fit || len(found) >= mostFound {
				continue
			}
			r, err := cdp.Call(ctx, f.Page, dom.ResolveNode, dom.ResolveNodeParams{
				BackendNodeID: n.BackendDOMNodeID, ExecutionContextID: w.context, ObjectGroup: handles,
			})
			if err == nil && r.Object != nil {
				found = append(found, &runtime.CallArgument{ObjectID: r.Object.ObjectID})
			}
		}
	}
	return f.invoke(ctx, w, "", false, "gather", found...)
}

func (f Finder) ofRole(ctx context.Context, w World, role string) ([]*accessibility.Node, error) {
	document, err := cdp.Call(ctx, f.Page, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", ContextID: w.context, ObjectGroup: handles})
	if err != nil {
		return nil, err
	}
	r, err := cdp.Call(ctx, f.Page, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: document.Result.ObjectID, Role: role})
	if err != nil {
		return nil, err
	}
	var out []*accessibility.Node
	for _, n := range r.Nodes {
		if !n.Ignored && n.BackendDOMNodeID != 0 {
			out = append(out, n)
		}
	}
	return out, nil
}

func text(v *accessibility.Value) string {
	var s string
	if v == nil || json.Unmarshal(v.Value, &s) != nil {
		return ""
	}
	return s
}

// Near tells what there is instead of what was aimed at.
func (f Finder) Near(ctx context.Context, a aim.Aim) string {
	worlds, err := f.worlds(ctx)
	if err != nil {
		return ""
	}
	var all []aim.Element
	frames := 0
	for _, w := range worlds {
		there, err := ask[struct {
			List   []aim.Element `json:"list"`
			Frames int           `json:"frames"`
		}](ctx, f, w, "", "candidates")
		if err == nil {
			all = append(all, there.List...)
			frames += there.Frames
		}
	}
	const most = 6
	var parts []string
	for _, e := range a.Near(all, most) {
		parts = append(parts, e.String())
	}
	told := "nothing on the page can be acted on"
	if len(parts) > 0 {
		told = "nearest of what is visible: " + strings.Join(parts, ", ")
	}
	if other := frames - (len(worlds) - 1); other > 0 {
		told += fmt.Sprintf("; %d frames of other sites were not searched", other)
	}
	return told
}
