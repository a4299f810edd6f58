// Package engine owns what is alive: one Workspace per project root, and in it
// that project's processes and proxies. It ends what it started, in reverse
// order, and does not know who asks.
package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"oriel/internal/engine/keep"
	"oriel/internal/process"
	"oriel/internal/project"
)

// Options say how an engine keeps house.
type Options struct {
	State  string        // folder for what must survive a crash
	Linger time.Duration // how long an unused project is kept, unless its file says
	Log    func(string)  // told what happened unasked
}

// Engine holds the workspaces of all projects.
type Engine struct {
	opts    Options
	ledger  *process.Ledger
	history *history
	secret  []byte // from which the keys of pages are made; kept, so that pages survive a restart

	mu     sync.Mutex
	open   map[string]*Workspace // by root
	closed bool
	ending sync.WaitGroup // workspaces being retired
}

// errClosed answers who comes too late.
var errClosed = errors.New("oriel is shutting down")

// New ends what a crashed predecessor left running, then is ready.
func New(o Options) (*Engine, error) {
	if o.Log == nil {
		o.Log = func(string) {}
	}
	ledger, orphans, err := process.OpenLedger(o.State)
	if err != nil {
		return nil, fmt.Errorf("open the process ledger: %w", err)
	}
	for _, orphan := range orphans {
		o.Log(fmt.Sprintf("ended %s (%d processes), left by a daemon that died", orphan.ID, len(orphan.Ended)))
		if orphan.Err != nil {
			o.Log(fmt.Sprintf("end %s, left by a daemon that died: %v", orphan.ID, orphan.Err))
		}
	}
	secret, err := keep.Secret(filepath.Join(o.State, "secret"))
	if err != nil {
		return nil, err
	}
	e := &Engine{opts: o, ledger: ledger, secret: secret, history: openHistory(o.State), open: map[string]*Workspace{}}
	e.sweepBrowsers(context.Background())
	return e, nil
}

// Enter finds the project that dir belongs to and holds it until ctx ends.
func (e *Engine) Enter(ctx context.Context, dir string) (*Workspace, error) {
	if dir == "" {
		return nil, errors.New("the call names no directory")
	}
	root := project.Root(dir)
	for {
		e.mu.Lock()
		if e.closed {
			e.mu.Unlock()
			return nil, errClosed
		}
		w := e.open[root]
		if w == nil {
			w = newWorkspace(e, root)
			e.open[root] = w
		}
		if w.hold() {
			e.mu.Unlock()
			context.AfterFunc(ctx, w.release)
			w.refresh(false)
			return w, nil
		}
		e.mu.Unlock()
		select { // it is being retired: wait for the end, then begin anew
		case <-w.gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// retire closes a workspace that nobody used for its linger time.
func (e *Engine) retire(w *Workspace) {
	e.mu.Lock()
	if e.closed || !w.seal() {
		e.mu.Unlock()
		return
	}
	e.ending.Add(1)
	e.mu.Unlock()
	defer e.ending.Done()
	e.opts.Log(fmt.Sprintf("closing %s: unused for %s", w.Root, w.linger()))
	w.close(context.Background())
	e.mu.Lock()
	delete(e.open, w.Root)
	e.mu.Unlock()
	close(w.gone)
}

// Load counts what is alive.
type Load struct{ Projects, Clients, Processes, Proxies int }

// Load counts what is alive now.
func (e *Engine) Load() Load {
	e.mu.Lock()
	defer e.mu.Unlock()
	var l Load
	for _, w := range e.open {
		w.count(&l)
	}
	return l
}

// Close ends everything, projects side by side, each in reverse order.
func (e *Engine) Close(ctx context.Context) {
	e.mu.Lock()
	e.closed = true
	var all []*Workspace
	for _, w := range e.open {
		if w.seal() {
			all = append(all, w)
		}
	}
	e.mu.Unlock()
	var wg sync.WaitGroup
	for _, w := range all {
		wg.Go(func() { w.close(ctx) })
	}
	wg.Wait()
	e.ending.Wait()
}
