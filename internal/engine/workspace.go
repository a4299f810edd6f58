package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"oriel/internal/config"
	"oriel/internal/gallery"
	"oriel/internal/incident/look"
	"oriel/internal/journal"
)

// Workspace is one project: its file, its processes, its proxies.
type Workspace struct {
	Root    string
	Journal *journal.Journal // what happened in this project
	Shots   *gallery.Gallery // pictures of its pages
	Looks   look.Memory      // how much of it who has seen

	engine *Engine
	gone   chan struct{} // closed when a retired workspace has ended

	holds struct {
		sync.Mutex
		n      int // calls and clients
		timer  *time.Timer
		sealed bool
	}

	proxyMu sync.Mutex // one start or replacement of a proxy at a time
	fileMu  sync.Mutex // one refresh at a time: who comes second sees what the first one read
	stamp   string     // of the file as it was last read; guarded by fileMu

	mu       sync.Mutex
	clients  int
	units    []unit // in the order in which they were started
	cfg      config.Config
	seen     config.Config           // the last one with something in it and no problems
	defined  map[string]config.Proxy // proxies by id, as they were last described
	problems []config.Problem
	auto     autostart

	ctx    context.Context // ends with the workspace; owns the goroutines in tasks
	cancel context.CancelFunc
	tasks  sync.WaitGroup
}

func newWorkspace(e *Engine, root string) *Workspace {
	w := &Workspace{Root: root, Journal: journal.New(nil), engine: e, gone: make(chan struct{}), defined: map[string]config.Proxy{}}
	w.Shots = gallery.Of(root, e.opts.State, w.Journal)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.tasks.Go(func() {
		config.Watch(w.ctx, w.file(), func(config.Config, []config.Problem) { w.refresh(true) })
	})
	return w
}

func (w *Workspace) file() string { return filepath.Join(w.Root, config.FileName) }

// refresh reads the project's file if it has changed. Watch would see it too,
// but an assistant that edits the file calls a tool within milliseconds. The
// engine's lock is not held: a slow disk holds up its own project alone. What
// is read is taken over before anybody else reads: the newest counts.
func (w *Workspace) refresh(changed bool) {
	w.fileMu.Lock()
	defer w.fileMu.Unlock()
	stamp := "none"
	if info, err := os.Stat(w.file()); err == nil {
		stamp = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	}
	if changed || stamp != w.stamp {
		w.stamp = stamp
		w.reload(config.Load(w.file()))
	}
}

// background runs a task that the workspace waits for; none once it is closing.
func (w *Workspace) background(task func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() == nil {
		w.tasks.Go(task)
	}
}

// hold keeps the workspace from being retired; false: it already is.
func (w *Workspace) hold() bool {
	w.holds.Lock()
	defer w.holds.Unlock()
	if w.holds.sealed {
		return false
	}
	w.holds.n++
	if w.holds.timer != nil {
		w.holds.timer.Stop()
		w.holds.timer = nil
	}
	return true
}

// release lets go; the last one to do so starts the linger time.
func (w *Workspace) release() {
	linger := w.linger()
	w.holds.Lock()
	defer w.holds.Unlock()
	if w.holds.n--; w.holds.n == 0 && !w.holds.sealed {
		w.holds.timer = time.AfterFunc(linger, func() { w.engine.retire(w) })
	}
}

// seal ends all holding; false when somebody holds it after all.
func (w *Workspace) seal() bool {
	w.holds.Lock()
	defer w.holds.Unlock()
	if w.holds.sealed || (w.holds.n > 0 && !w.engine.closed) {
		return false
	}
	w.holds.sealed = true
	if w.holds.timer != nil {
		w.holds.timer.Stop()
	}
	return true
}

func (w *Workspace) linger() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cfg.LingerGiven {
		return w.cfg.Linger
	}
	return w.engine.opts.Linger
}

// Config is the project's file as it is now, and what is wrong with it.
func (w *Workspace) Config() (config.Config, []config.Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cfg, w.problems
}

func (w *Workspace) count(l *Load) {
	w.mu.Lock()
	defer w.mu.Unlock()
	l.Projects++
	l.Clients += w.clients
	for _, u := range w.units {
		switch {
		case u.proxy != nil:
			l.Proxies++
		case u.browser != nil: // kept for its pages, which are kept for the proxies
		case u.alive():
			l.Processes++
		}
	}
}

// close ends the workspace's tasks and then what it started, newest first.
func (w *Workspace) close(ctx context.Context) {
	w.mu.Lock() // no task begins once this is done
	w.cancel()
	w.mu.Unlock()
	w.tasks.Wait()
	w.mu.Lock()
	units := w.units
	w.units = nil
	w.mu.Unlock()
	for i := len(units) - 1; i >= 0; i-- {
		if err := units[i].end(ctx); err != nil {
			w.engine.opts.Log("end " + units[i].id + " in " + w.Root + ": " + err.Error())
		}
	}
}
