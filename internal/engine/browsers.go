package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"oriel/internal/browser"
)

// seat is where a browser is, or will be as soon as it has started.
type seat struct {
	headless bool
	ready    chan struct{} // closed when browser or err is set
	browser  *browser.Browser
	err      error
}

// running says that the seat has a browser, or is about to.
func (s *seat) running() bool {
	select {
	case <-s.ready:
	default:
		return true
	}
	if s.err != nil {
		return false
	}
	select {
	case <-s.browser.Done():
		return false
	default:
		return true
	}
}

func (s *seat) close(ctx context.Context) error {
	<-s.ready // the start ends with the workspace's context
	if s.err != nil {
		return nil
	}
	return s.browser.Close(ctx)
}

// profiles is where browsers keep their data.
func (e *Engine) profiles() string { return filepath.Join(e.opts.State, "browsers") }

// sweepBrowsers removes what browsers of crashed predecessors left.
func (e *Engine) sweepBrowsers(ctx context.Context) {
	n, err := browser.Sweep(ctx, e.profiles())
	if n > 0 {
		e.opts.Log(fmt.Sprintf("removed %d browser profiles, left by a daemon that died", n))
	}
	if err != nil {
		e.opts.Log("remove browser profiles left by a daemon that died: " + err.Error())
	}
}

// Browser returns the project's browser, headless or with a window, and starts
// it when it does not run. env is the caller's environment: it says which
// browser, and on which display. With ORIEL_BROWSER_URL in it, a browser is
// attached to instead. The browser ends with the workspace.
func (w *Workspace) Browser(ctx context.Context, headless bool, env []string) (*browser.Browser, error) {
	for {
		s, mine, err := w.seat(headless)
		if err != nil {
			return nil, err
		}
		if mine {
			w.launch(ctx, s, env)
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		// Whoever started it may have lost patience; we have not.
		if !mine && errors.Is(s.err, context.Canceled) && ctx.Err() == nil && w.ctx.Err() == nil {
			continue
		}
		return s.browser, s.err
	}
}

// seat finds the browser's place, or makes one that the caller has to fill.
func (w *Workspace) seat(headless bool) (s *seat, mine bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		return nil, false, errClosed
	}
	w.units = slices.DeleteFunc(w.units, func(u unit) bool { return u.browser != nil && !u.browser.running() })
	for _, u := range w.units {
		if u.browser != nil && u.browser.headless == headless {
			return u.browser, false, nil
		}
	}
	s = &seat{headless: headless, ready: make(chan struct{})}
	id := "browser"
	if !headless {
		id = "browser window"
	}
	w.units = append(w.units, unit{id: id, browser: s})
	return s, true, nil
}

func (w *Workspace) launch(ctx context.Context, s *seat, env []string) {
	defer close(s.ready)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)()
	o := browser.Options{Headless: s.headless, Dir: w.engine.profiles(), Env: env, Args: strings.Fields(lookup(env, browser.ArgsEnv)), Prefix: "tab-"}
	if !s.headless {
		o.Prefix = "window-"
	}
	if endpoint := lookup(env, browser.URLEnv); endpoint != "" {
		s.browser, s.err = browser.Attach(ctx, endpoint, o)
		return
	}
	w.engine.sweepBrowsers(ctx)
	s.browser, s.err = browser.Launch(ctx, o)
}

// lookup reads a variable; the last one of a name counts.
func lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Browsers are the project's that run, in the order in which they were started.
func (w *Workspace) Browsers() []*browser.Browser {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*browser.Browser
	for _, u := range w.units {
		if u.browser == nil || !u.browser.running() {
			continue
		}
		select {
		case <-u.browser.ready:
			all = append(all, u.browser.browser)
		default: // not yet
		}
	}
	return all
}

// CloseBrowser ends one browser.
func (w *Workspace) CloseBrowser(ctx context.Context, b *browser.Browser) error {
	w.mu.Lock()
	w.units = slices.DeleteFunc(w.units, func(u unit) bool {
		if u.browser == nil {
			return false
		}
		select {
		case <-u.browser.ready:
			return u.browser.browser == b
		default:
			return false
		}
	})
	w.mu.Unlock()
	return b.Close(ctx)
}
