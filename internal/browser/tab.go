package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/shot"
)

// Tab is one page in a browser. It is safe for concurrent use; acts on it take
// turns.
type Tab struct {
	browser *Browser
	id      string
	target  target.ID
	look    atomic.Pointer[Look]
	private bool   // as its look says, from the beginning
	opener  string // id of the tab that opened it

	ctx     context.Context // chromedp's
	cancel  func()          // ends ctx, closes the page, waits
	session *chromedp.Target
	life    context.Context // ends with the page; its cause says why
	endLife context.CancelCauseFunc

	turn  chan struct{} // held by the act that is under way
	used  atomic.Int64  // when an act last had its turn, in nanoseconds
	state state
}

// Info is what is known of a tab at one moment. URL and Title are the page's
// own words.
type Info struct {
	ID     string
	Opener string // id of the tab that opened it
	URL    string
	Title  string
	Status int  // of the document's response; 0 when there was none
	Loaded bool // its load event is over
	Failed bool // what is shown is the browser's page for one that cannot be reached
}

func newTab(b *Browser, id string, target target.ID, as Look, opener string) *Tab {
	t := &Tab{browser: b, id: id, target: target, private: as.Private, opener: opener, turn: make(chan struct{}, 1)}
	t.look.Store(&as)
	t.ctx, t.cancel = chromedp.NewContext(b.root, chromedp.WithTargetID(target))
	t.life, t.endLife = context.WithCancelCause(context.Background())
	t.state.changed = make(chan struct{})
	t.used.Store(time.Now().UnixNano())
	return t
}

// attach opens the session. As with a browser, chromedp binds it to the
// context of the first call.
func (t *Tab) attach(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { t.endLife(context.Cause(ctx)); t.release() })
	defer stop()
	if err := chromedp.Do(t.ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	t.session = chromedp.FromContext(t.ctx).Target
	t.follow()
	return nil
}

// ID is the tab's id, unique in its browser.
func (t *Tab) ID() string { return t.id }

// Look is how the tab presents itself to pages.
func (t *Tab) Look() Look { return *t.look.Load() }

// Dress changes how the tab looks from now on.
func (t *Tab) Dress(ctx context.Context, as Look) error {
	if err := as.Complete(); err != nil {
		return err
	}
	give, err := t.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	as.Private = t.private
	t.look.Store(&as)
	return as.Apply(ctx, wire{t})
}

// Used is when the tab was opened, or last acted on.
func (t *Tab) Used() time.Time { return time.Unix(0, t.used.Load()) }

// end makes every call under way, and every later one, fail with cause.
func (t *Tab) end(cause error) { t.endLife(cause) }

// release closes the page and lets go of the session.
func (t *Tab) release() {
	t.cancel()
}

// Close closes the tab.
func (t *Tab) Close(ctx context.Context) error {
	closed := make(chan struct{})
	t.browser.drop(t.target, ErrTabClosed)
	t.browser.spawn(func() {
		t.release()
		close(closed)
	})
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close tab %s: %w", t.id, context.Cause(ctx))
	}
}

// Err says why the tab cannot be used any more; nil while it can.
func (t *Tab) Err() error { return context.Cause(t.life) }

// wire is the tab's session. A call on it ends with its context, and when the
// page does.
type wire struct{ *Tab }

func (w wire) Call(ctx context.Context, method string, params, result any) error {
	bound, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.life, func() { cancel(context.Cause(w.life)) })()
	err := w.session.Call(bound, method, params, result)
	if err == nil {
		return nil
	}
	if cause := context.Cause(bound); cause != nil {
		return cause
	}
	return w.browser.explain(ctx, err)
}

func (w wire) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	return w.session.Subscribe(method)
}

// Info asks for what is known of the tab now.
func (t *Tab) Info(ctx context.Context) (Info, error) {
	info := Info{ID: t.id, Opener: t.opener}
	if err := t.Err(); err != nil {
		return info, err
	}
	r, err := cdp.Call(ctx, t.browser.chrome, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: t.target})
	if err != nil {
		return info, fmt.Errorf("ask for tab %s: %w", t.id, t.browser.explain(ctx, err))
	}
	info.URL, info.Title = r.TargetInfo.URL, r.TargetInfo.Title
	t.state.Lock()
	info.Status, info.Loaded, info.Failed = t.state.status, t.state.loaded == t.state.committed, t.state.failed
	t.state.Unlock()
	return info, nil
}

// LoadError says that a page could not be reached.
type LoadError struct {
	URL    string
	Reason string // Chromium's, such as net::ERR_CONNECTION_REFUSED
}

func (e *LoadError) Error() string { return fmt.Sprintf("load %s: %s", e.URL, e.Reason) }

// loadPatience is how long Navigate and Reload wait for the load event.
const loadPatience = 20 * time.Second

// Navigate goes to url and waits until it has loaded, or for a while.
func (t *Tab) Navigate(ctx context.Context, url string) error {
	r, err := cdp.Call(ctx, wire{t}, page.Navigate, page.NavigateParams{URL: url})
	switch {
	case err != nil:
		return fmt.Errorf("load %s: %w", url, err)
	case r.IsDownload:
		return &LoadError{url, "it is a download, and downloads are denied"}
	case r.ErrorText != "":
		return &LoadError{url, r.ErrorText}
	case r.LoaderID == "":
		return nil // within the document
	}
	return t.arrive(ctx, r.LoaderID, loadPatience)
}

// Reload loads the page again.
func (t *Tab) Reload(ctx context.Context) error {
	before := t.mark()
	if _, err := cdp.Call(ctx, wire{t}, page.Reload, page.ReloadParams{}); err != nil {
		return fmt.Errorf("reload %s: %w", t.id, err)
	}
	loader, err := t.departed(ctx, before, loadPatience)
	if err != nil || loader == "" {
		return err
	}
	return t.arrive(ctx, loader, loadPatience)
}

// ScriptError is what code in the page threw.
type ScriptError = finder.ScriptError

// Eval runs code in the page, as the page's own, and returns the value of its
// last expression, awaited when it is a promise. A value that JSON cannot
// carry is null.
func (t *Tab) Eval(ctx context.Context, code string) (json.RawMessage, error) {
	r, err := cdp.Call(ctx, wire{t}, runtime.Evaluate, runtime.EvaluateParams{
		Expression: code, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true),
	})
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	if r.ExceptionDetails != nil {
		return nil, finder.Thrown(r.ExceptionDetails)
	}
	if len(r.Result.Value) == 0 {
		return json.RawMessage("null"), nil
	}
	return json.RawMessage(r.Result.Value), nil
}

// Aside calls a function of JavaScript beside the page's own scripts, which can
// neither see nor change it, with arguments that are JSON. It returns the value,
// awaited when it is a promise.
func (t *Tab) Aside(ctx context.Context, function string, args ...json.RawMessage) (json.RawMessage, error) {
	list := make([]*runtime.CallArgument, len(args))
	for i, arg := range args {
		list[i] = &runtime.CallArgument{Value: jsonv2.Value(arg)}
	}
	world, err := cdp.Call(ctx, wire{t}, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: cdp.FrameID(t.target), WorldName: "oriel"})
	if err != nil {
		return nil, fmt.Errorf("enter the page: %w", err)
	}
	r, err := cdp.Call(ctx, wire{t}, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: function, Arguments: list, ExecutionContextID: world.ExecutionContextID,
		ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true),
	})
	if err != nil {
		return nil, fmt.Errorf("ask the page: %w", err)
	}
	if r.ExceptionDetails != nil {
		return nil, finder.Thrown(r.ExceptionDetails)
	}
	return json.RawMessage(r.Result.Value), nil
}

// Shot says what to take a picture of. The zero value is the viewport as PNG.
type Shot = shot.Shot

// Image is a picture.
type Image = shot.Image

// Screenshot takes a picture, true to the pixel but for the scaling.
func (t *Tab) Screenshot(ctx context.Context, s Shot) (Image, error) {
	give, err := t.take(ctx)
	if err != nil {
		return Image{}, fmt.Errorf("screenshot: %w", err)
	}
	defer give()
	img, err := shot.Take(ctx, wire{t}, t.Look().Scale, s)
	if err != nil {
		return Image{}, fmt.Errorf("screenshot: %w", err)
	}
	return img, nil
}

// take waits for the tab's turn; the result gives it back.
func (t *Tab) take(ctx context.Context) (func(), error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	select {
	case t.turn <- struct{}{}:
		t.used.Store(time.Now().UnixNano())
		return func() { <-t.turn }, nil
	case <-t.life.Done():
		return nil, context.Cause(t.life)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
