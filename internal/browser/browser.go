// Package browser finds, launches and drives a Chromium. It knows nothing of
// the rest of Oriel and reports through functions it is given.
package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"oriel/internal/browser/look"
	"oriel/internal/browser/places"
	"oriel/internal/browser/profile"
)

// Look is how a tab presents itself to pages.
type Look = look.Look

// Devices and Throttles are the names that a Look takes.
func Devices() []string   { return look.Devices() }
func Throttles() []string { return look.Throttles() }

// PathEnv names the variable that chooses the browser.
const PathEnv = places.PathEnv

// NotFoundError says that no browser is on this machine, and where it was
// looked for.
type NotFoundError = places.NotFoundError

// Find returns the program of a Chromium, Chrome, Edge or Brave.
func Find(env func(string) string) (path string, err error) { return places.Find(env) }

// What a call finds when there is nothing left to talk to.
var (
	ErrClosed    = errors.New("the browser is closed")
	ErrGone      = errors.New("the browser ended unexpectedly")
	ErrTabClosed = errors.New("the tab is closed")
	ErrCrashed   = errors.New("the page crashed")
)

// Browser is one running browser. It is safe for concurrent use.
type Browser struct {
	options Options
	place   string // program or endpoint
	remote  bool
	context cdp.BrowserContextID // of our tabs; empty: the default one

	root    context.Context // chromedp's; ends with the connection
	kill    func()          // ends root
	stopped func()          // waits for the process
	chrome  *chromedp.Browser
	profile *profile.Profile

	closing atomic.Bool
	once    sync.Once
	done    chan struct{} // closed when nothing is left of the browser
	endErr  error         // of the cleaning up; valid after done
	work    sync.WaitGroup

	mu      sync.Mutex
	tabs    []*Tab // in the order in which they were opened
	count   int
	blanks  []target.ID // the pages a browser starts with, until they are used
	opening int         // tabs being made; popups wait to learn their opener
	ended   bool
}

func newBrowser(o Options, alloc context.Context) *Browser {
	if o.Prefix == "" {
		o.Prefix = "tab-"
	}
	quiet := func(string, ...any) {}
	root, cancel := chromedp.NewContext(alloc, chromedp.WithBrowserOption(
		chromedp.WithBrowserLogf(quiet), chromedp.WithBrowserErrorf(quiet)))
	// Called twice, chromedp's own waits for ever when nothing was started.
	return &Browser{options: o, root: root, kill: sync.OnceFunc(cancel), done: make(chan struct{})}
}

// Headless says that the browser has no window.
func (b *Browser) Headless() bool { return b.options.Headless }

// Place is the program that runs, or the endpoint that was attached to.
func (b *Browser) Place() string { return b.place }

// PID is the browser's process id, 0 when it runs elsewhere.
func (b *Browser) PID() int {
	if b.chrome == nil || b.chrome.Process() == nil {
		return 0
	}
	return b.chrome.Process().Pid
}

// Done is closed when the browser has ended, by itself or by Close, and its
// profile is gone.
func (b *Browser) Done() <-chan struct{} { return b.done }

// watch waits for the end of the connection and then clears up, whoever
// caused it.
func (b *Browser) watch() {
	<-b.root.Done()
	cause := ErrGone
	if b.closing.Load() {
		cause = ErrClosed
	}
	b.mu.Lock()
	b.ended = true
	tabs := b.tabs
	b.tabs = nil
	b.mu.Unlock()
	for _, t := range tabs {
		t.end(cause)
	}
	for _, t := range tabs {
		t.release()
	}
	b.kill()
	b.stopped()
	if b.profile != nil {
		b.endErr = b.profile.Remove(context.Background())
	}
	close(b.done)
}

// closePatience is how long a browser may take to close by itself.
const closePatience = 3 * time.Second

// Close ends the browser, its processes and its profile, and waits until they
// are gone. An attached browser stays; its tabs of ours go. When ctx ends
// early, the browser is killed at once. Close may be called often.
func (b *Browser) Close(ctx context.Context) error {
	b.once.Do(func() {
		b.closing.Store(true)
		limited, cancel := context.WithTimeout(ctx, closePatience)
		defer cancel()
		asked := make(chan struct{})
		b.work.Go(func() {
			defer close(asked)
			if !b.remote {
				// Chromium's own way ends its children in order. An
				// error means that it is already gone.
				_ = chromedp.Cancel(b.root)
			}
		})
		select {
		case <-asked:
		case <-limited.Done():
		}
		b.kill()
	})
	<-b.done
	b.work.Wait()
	return b.endErr
}

// follow keeps the list of tabs true.
func (b *Browser) follow() {
	listen(&b.work, b.root, b.chrome, target.TargetCreated, func(e target.EventTargetCreated) { b.appeared(e.TargetInfo) })
	listen(&b.work, b.root, b.chrome, target.TargetDestroyed, func(e target.EventTargetDestroyed) { b.drop(e.TargetID, ErrTabClosed) })
	listen(&b.work, b.root, b.chrome, target.TargetCrashed, func(e target.EventTargetCrashed) {
		if t := b.byTarget(e.TargetID); t != nil {
			t.end(ErrCrashed)
		}
	})
	listen(&b.work, b.root, b.chrome, cdpbrowser.DownloadWillBegin, b.denied)
}

// listen calls do for each event until ctx ends. It has subscribed when it
// returns.
func listen[E any](work *sync.WaitGroup, ctx context.Context, s cdp.Session, event cdp.Event[E], do func(E)) {
	events := cdp.Events(ctx, s, event)
	work.Go(func() {
		for e, err := range events {
			if err != nil {
				return
			}
			do(e)
		}
	})
}

// appeared adopts what a page of ours opened, and remembers the page that the
// browser came up with.
func (b *Browser) appeared(info *target.Info) {
	if info == nil || info.Type != "page" {
		return
	}
	b.mu.Lock()
	if info.OpenerID == "" {
		if b.count == 0 && b.opening == 0 && !b.remote {
			b.blanks = append(b.blanks, info.TargetID)
		}
		b.mu.Unlock()
		return
	}
	b.mu.Unlock()
	opener := b.byTarget(info.OpenerID)
	if opener == nil {
		return
	}
	opener.state.change(func(s *state) { s.adopting++ })
	b.work.Go(func() {
		ctx, cancel := context.WithTimeout(b.root, startPatience)
		defer cancel()
		defer opener.state.change(func(s *state) { s.adopting-- })
		t, err := b.adopt(ctx, info.TargetID, opener.Look(), opener.id)
		switch {
		case err != nil:
		case opener.private:
			_ = t.Close(ctx) // nobody would
		default:
			opener.note(func(o *Outcome) { o.Opened = append(o.Opened, t.id) })
		}
	})
}

func (b *Browser) byTarget(id target.ID) *Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.IndexFunc(b.tabs, func(t *Tab) bool { return t.target == id }); i >= 0 {
		return b.tabs[i]
	}
	return nil
}

// drop forgets a tab that is no more.
func (b *Browser) drop(id target.ID, cause error) {
	b.mu.Lock()
	i := slices.IndexFunc(b.tabs, func(t *Tab) bool { return t.target == id })
	var t *Tab
	if i >= 0 {
		t = b.tabs[i]
		b.tabs = slices.Delete(b.tabs, i, i+1)
	}
	b.blanks = slices.DeleteFunc(b.blanks, func(other target.ID) bool { return other == id })
	b.mu.Unlock()
	if t != nil {
		t.end(cause)
		b.spawn(t.release)
	}
}

// spawn does something beside, for Close to wait for. After the end, when
// nobody waits any more, it does it at once.
func (b *Browser) spawn(do func()) {
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		do()
		return
	}
	b.work.Go(do)
	b.mu.Unlock()
}

func (b *Browser) denied(e cdpbrowser.EventDownloadWillBegin) {
	for _, t := range b.Tabs() {
		if string(t.target) == string(e.FrameID) {
			t.note(func(o *Outcome) { o.Downloads = append(o.Downloads, e.SuggestedFilename) })
		}
	}
}

// Tabs are the open ones, in the order in which they were opened; private ones
// are not among them.
func (b *Browser) Tabs() []*Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.tabs), func(t *Tab) bool { return t.private })
}

// Tab finds an open tab by its id; an empty id means the one opened last.
func (b *Browser) Tab(id string) (*Tab, error) {
	tabs := b.Tabs()
	if id == "" && len(tabs) > 0 {
		return tabs[len(tabs)-1], nil
	}
	for _, t := range tabs {
		if t.id == id {
			return t, nil
		}
	}
	if id == "" {
		return nil, errors.New("no tab is open")
	}
	return nil, fmt.Errorf("tab not found: %s", id)
}

// Open opens url in a new tab that looks as asked, and waits until it has
// loaded. A page that never finishes loading is not an error: see Tab.Info.
// When the page cannot be reached, no tab is left.
func (b *Browser) Open(ctx context.Context, url string, look Look) (*Tab, error) {
	if err := look.Complete(); err != nil {
		return nil, err
	}
	id, err := b.make(ctx)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", url, err)
	}
	t, err := b.adopt(ctx, id, look, "")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", url, err)
	}
	if err := t.Navigate(ctx, url); err != nil {
		_ = t.Close(context.WithoutCancel(ctx)) // the first error says more
		return nil, err
	}
	return t, nil
}

// make finds an unused page or creates one.
func (b *Browser) make(ctx context.Context) (target.ID, error) {
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		return "", b.over()
	}
	var id target.ID
	if len(b.blanks) > 0 {
		id, b.blanks = b.blanks[0], b.blanks[1:]
	}
	b.opening++
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.opening--
		b.mu.Unlock()
	}()
	if id != "" {
		return id, nil
	}
	made, err := cdp.Call(ctx, b.chrome, target.CreateTarget, target.CreateTargetParams{
		URL: "about:blank", BrowserContextID: b.context,
		// A page behind another in one window draws no frames.
		NewWindow: new(b.options.Headless || b.remote),
	})
	return made.TargetID, b.explain(ctx, err)
}

// over says why there is no browser any more.
func (b *Browser) over() error {
	if b.closing.Load() {
		return ErrClosed
	}
	return ErrGone
}

// explain turns chromedp's way of saying that the connection is lost into ours.
func (b *Browser) explain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() == nil && errors.Is(err, context.Canceled) {
		return b.over()
	}
	return err
}

// adopt attaches to a page and makes it a tab. When it fails, the page is
// closed.
func (b *Browser) adopt(ctx context.Context, id target.ID, look Look, opener string) (*Tab, error) {
	b.mu.Lock()
	if b.ended {
		b.mu.Unlock()
		return nil, b.over()
	}
	b.count++
	t := newTab(b, b.options.Prefix+strconv.Itoa(b.count), id, look, opener)
	b.tabs = append(b.tabs, t)
	b.mu.Unlock()
	err := t.attach(ctx)
	if err == nil {
		err = look.Apply(ctx, wire{t})
	}
	if err != nil {
		b.drop(id, ErrTabClosed)
		return nil, b.explain(ctx, err)
	}
	return t, nil
}
