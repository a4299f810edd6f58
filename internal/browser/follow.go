package browser

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
)

// Dialog is an alert, confirm, prompt or beforeunload that a page put up. It
// was answered at once, since a page stands still until it is: with OK and a
// prompt's default, unless the act that led to it says otherwise.
type Dialog struct {
	Type    string
	Message string // the page's words
	Refused bool   // answered with Cancel
	Typed   string // what was typed into a prompt
}

// Reply is how the dialogs that an act leads to are answered.
type Reply struct {
	Refuse bool    // with Cancel
	Type   *string // into prompts; nil: their default
}

// Outcome is what came of an act.
type Outcome struct {
	Element   string   // what was acted on, in words
	Matches   int      // how many visible elements fitted; the first was taken
	Value     string   // what a field holds afterwards, in the page's words
	Navigated bool     // another document was loaded
	Closed    bool     // the tab closed itself
	Dialogs   []Dialog // since the last outcome, as the rest
	Opened    []string // ids of tabs
	Downloads []string // names of files, all denied
}

// mostNotes bounds each list of an Outcome: a page can produce them for ever.
const mostNotes = 20

// state is what the events of a page add up to. Events of different kinds may
// arrive in another order than they were sent in.
type state struct {
	sync.Mutex
	changed chan struct{} // closed and replaced on every change

	departures          int
	departing, previous cdp.LoaderID // the latest navigations
	committed, loaded   cdp.LoaderID
	stopped             time.Time // when the page last stopped loading
	status              int
	failed              bool // the page could not be reached

	flying   map[network.RequestID]cdp.LoaderID
	landed   map[network.RequestID]bool // whose departure is not known yet
	quiet    time.Time                  // since when nothing flies; zero while something does
	adopting int                        // windows it opened that are not tabs yet

	reply   Reply // to dialogs
	outcome Outcome
}

func (s *state) change(do func(*state)) {
	s.Lock()
	defer s.Unlock()
	do(s)
	close(s.changed)
	s.changed = make(chan struct{})
}

// note adds to the next outcome.
func (t *Tab) note(do func(*Outcome)) {
	t.state.change(func(s *state) {
		do(&s.outcome)
		o := &s.outcome
		o.Dialogs = o.Dialogs[max(0, len(o.Dialogs)-mostNotes):]
		o.Opened = o.Opened[max(0, len(o.Opened)-mostNotes):]
		o.Downloads = o.Downloads[max(0, len(o.Downloads)-mostNotes):]
	})
}

// Notes takes what happened unasked since the last outcome.
func (t *Tab) Notes() Outcome {
	t.state.Lock()
	defer t.state.Unlock()
	o := t.state.outcome
	t.state.outcome = Outcome{}
	return o
}

// follow keeps the state.
func (t *Tab) follow() {
	t.state.flying, t.state.landed = map[network.RequestID]cdp.LoaderID{}, map[network.RequestID]bool{}
	t.state.quiet = time.Now()
	work, main := &t.browser.work, cdp.FrameID(t.target)
	listen(work, t.ctx, t.session, page.FrameStartedNavigating, func(e page.EventFrameStartedNavigating) {
		if e.FrameID == main && e.NavigationType != "sameDocument" && e.NavigationType != "historySameDocument" {
			t.state.change(func(s *state) {
				s.departures++
				s.previous, s.departing = s.departing, e.LoaderID
			})
		}
	})
	listen(work, t.ctx, t.session, page.LifecycleEvent, func(e page.EventLifecycleEvent) {
		if e.FrameID == main {
			t.state.change(func(s *state) { s.lifecycle(e) })
		}
	})
	listen(work, t.ctx, t.session, page.FrameNavigated, func(e page.EventFrameNavigated) {
		if e.Frame != nil && e.Frame.ID == main {
			t.state.change(func(s *state) {
				if s.failed = e.Frame.UnreachableURL != ""; s.failed {
					s.status = 0
				}
			})
		}
	})
	listen(work, t.ctx, t.session, page.FrameStoppedLoading, func(e page.EventFrameStoppedLoading) {
		if e.FrameID == main {
			t.state.change(func(s *state) { s.stopped = time.Now() })
		}
	})
	listen(work, t.ctx, t.session, page.JavascriptDialogOpening, t.answer)
	t.followNetwork()
}

func (t *Tab) followNetwork() {
	work := &t.browser.work
	listen(work, t.ctx, t.session, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) {
		if !endless[e.Type] {
			t.state.change(func(s *state) { s.departed(e.RequestID, e.LoaderID) })
		}
	})
	listen(work, t.ctx, t.session, network.LoadingFinished, func(e network.EventLoadingFinished) {
		t.state.change(func(s *state) { s.land(e.RequestID) })
	})
	listen(work, t.ctx, t.session, network.LoadingFailed, func(e network.EventLoadingFailed) {
		t.state.change(func(s *state) { s.land(e.RequestID) })
	})
	listen(work, t.ctx, t.session, network.ResponseReceived, func(e network.EventResponseReceived) {
		if e.Type == network.ResourceTypeDocument && e.FrameID == cdp.FrameID(t.target) {
			t.state.change(func(s *state) { s.status = int(e.Response.Status) })
		}
	})
}

// endless are the kinds of requests that a quiet page may keep open.
var endless = map[network.ResourceType]bool{
	network.ResourceTypeEventSource: true, network.ResourceTypeWebSocket: true, network.ResourceTypeMedia: true, network.ResourceTypePing: true,
}

func (s *state) lifecycle(e page.EventLifecycleEvent) {
	switch e.Name {
	case "init":
		s.committed = e.LoaderID
		// What the former document still waited for is of no interest.
		maps.DeleteFunc(s.flying, func(_ network.RequestID, of cdp.LoaderID) bool { return of != e.LoaderID })
		s.settle()
	case "load":
		s.loaded = e.LoaderID
		if s.committed == "" {
			s.committed = e.LoaderID
		}
	}
}

func (s *state) departed(id network.RequestID, of cdp.LoaderID) {
	if s.landed[id] {
		delete(s.landed, id)
		return
	}
	s.flying[id] = of
	s.quiet = time.Time{}
}

func (s *state) land(id network.RequestID) {
	const most = 1000 // of requests whose departure is of no interest
	if _, ok := s.flying[id]; !ok {
		if len(s.landed) > most {
			clear(s.landed)
		}
		s.landed[id] = true
		return
	}
	delete(s.flying, id)
	s.settle()
}

func (s *state) settle() {
	if len(s.flying) == 0 && s.quiet.IsZero() {
		s.quiet = time.Now()
	}
}

func (t *Tab) answer(e page.EventJavascriptDialogOpening) {
	t.state.Lock()
	reply := t.state.reply
	t.state.Unlock()
	d, typed := Dialog{Type: string(e.Type), Message: e.Message}, e.DefaultPrompt
	if reply.Type != nil {
		typed = *reply.Type
	}
	// Nothing else can be done with an alert, and who navigates wants to leave.
	d.Refused = reply.Refuse && (e.Type == page.DialogTypeConfirm || e.Type == page.DialogTypePrompt)
	if e.Type == page.DialogTypePrompt && !d.Refused {
		d.Typed = typed
	}
	t.note(func(o *Outcome) { o.Dialogs = append(o.Dialogs, d) })
	// It fails when the page is gone, or its own code was faster.
	_, _ = cdp.Call(t.life, wire{t}, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: !d.Refused, PromptText: typed})
}

// await waits until ready says so. ready is asked at once, on every change of
// the state, and after the time it returns, when that is not zero.
func (t *Tab) await(ctx context.Context, ready func(*state) (bool, time.Duration)) error {
	for {
		t.state.Lock()
		changed := t.state.changed
		ok, again := ready(&t.state)
		t.state.Unlock()
		if ok {
			return nil
		}
		var timer <-chan time.Time
		if again > 0 {
			timer = time.After(again)
		}
		select {
		case <-changed:
		case <-timer:
		case <-t.life.Done():
			return context.Cause(t.life)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// mark remembers how many documents were left so far.
func (t *Tab) mark() int {
	t.state.Lock()
	defer t.state.Unlock()
	return t.state.departures
}

// departed waits for the page to set out for another document; empty when it
// does not.
func (t *Tab) departed(ctx context.Context, since int, patience time.Duration) (cdp.LoaderID, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var loader cdp.LoaderID
	err := t.await(limited, func(s *state) (bool, time.Duration) {
		if s.departures > since {
			loader = s.departing
		}
		return s.departures > since, 0
	})
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return "", nil
	}
	return loader, err
}

// arrive waits until a navigation is over: loaded, overtaken by another that
// is, or come to nothing. Too slow is not an error.
func (t *Tab) arrive(ctx context.Context, loader cdp.LoaderID, patience time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	const aborted = 200 * time.Millisecond // after which a stop was no commit
	begun := time.Now()
	err := t.await(limited, func(s *state) (bool, time.Duration) {
		if s.previous == loader && s.departing != loader {
			loader = s.departing
		}
		switch {
		case s.loaded == loader:
			return true, 0
		case s.committed != loader && s.stopped.After(begun):
			left := aborted - time.Since(s.stopped)
			return left <= 0, left
		}
		return false, 0
	})
	if err == nil || limited.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("wait for the page to load: %w", err)
}
