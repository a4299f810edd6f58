package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"oriel/internal/config"
)

// autostart is what was started unasked. It begins with the first client and
// never does the same thing twice, however many clients come. Everything is
// started side by side; what depends on something waits for that alone.
type autostart struct {
	on       bool
	env      []string                 // of the client that came first
	attempts map[string]chan struct{} // by key; closed when the attempt is over
	failed   map[string]string        // by key: why
}

func scriptKey(name string) string { return "script " + name }
func proxyKey(id string) string    { return "proxy " + id }

// Attach says that a client is there, until ctx ends. The first one sets the
// autostart going; begun is called when it is.
func (w *Workspace) Attach(ctx context.Context, env []string, begun func()) {
	w.mu.Lock()
	w.clients++
	if !w.auto.on {
		w.auto = autostart{on: true, env: env, attempts: map[string]chan struct{}{}, failed: map[string]string{}}
	}
	w.begin()
	w.mu.Unlock()
	begun()
	select {
	case <-ctx.Done():
	case <-w.ctx.Done():
	}
	w.mu.Lock()
	w.clients--
	w.mu.Unlock()
}

// reload takes the project's file as it is now: what is new starts, and what
// failed before is tried again.
func (w *Workspace) reload(cfg config.Config, problems []config.Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.renew(cfg, len(problems))
	w.cfg, w.problems = cfg, problems
	for key := range w.auto.failed {
		delete(w.auto.attempts, key)
		delete(w.auto.failed, key)
	}
	w.begin()
}

// begin starts what was not started yet. The caller holds w.mu.
func (w *Workspace) begin() {
	if !w.auto.on || w.ctx.Err() != nil {
		return
	}
	cfg := w.cfg
	for _, name := range cfg.Order() {
		if s, ok := cfg.Script(name); ok {
			w.attempt(scriptKey(name), func() error { return w.autostartScript(s) })
		}
	}
	for _, p := range cfg.Proxies {
		if p.Autostart {
			w.attempt(proxyKey(p.ID), func() error { return w.autostartProxy(p) })
		}
	}
}

// attempt does something once per key. The caller holds w.mu.
func (w *Workspace) attempt(key string, do func() error) {
	if w.auto.attempts[key] != nil {
		return
	}
	over := make(chan struct{})
	w.auto.attempts[key] = over
	w.tasks.Go(func() {
		defer close(over)
		w.settle(key, do())
	})
}

// settle notes why something that nobody asked for failed.
func (w *Workspace) settle(key string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.ctx.Err() == nil && w.auto.on {
		w.auto.failed[key] = err.Error()
	}
}

// awaitAttempt waits until the autostart of a key, if there is one, is over.
func (w *Workspace) awaitAttempt(ctx context.Context, key string) error {
	w.mu.Lock()
	over := w.auto.attempts[key]
	w.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Workspace) autostartScript(s config.Script) error {
	spec, err := w.ScriptSpec(s, w.auto.env)
	if err != nil {
		return err
	}
	_, err = w.StartScript(w.ctx, s, spec)
	if _, running := errors.AsType[RunningError](err); running {
		return nil // somebody started it by hand
	}
	return err
}

// autostartProxy starts a proxy of the project's file, after the script that
// tells its target.
func (w *Workspace) autostartProxy(c config.Proxy) error {
	if err := w.awaitAttempt(w.ctx, scriptKey(c.Script)); err != nil {
		return err
	}
	spec, err := w.Resolve(w.ctx, specOf(c))
	if err != nil {
		return err
	}
	_, err = w.StartProxy(w.ctx, spec)
	return err
}

// Problems is what is wrong with the project's file and with what it asks to
// start by itself.
func (w *Workspace) Problems() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []string{}
	for _, p := range w.problems {
		all = append(all, p.String())
	}
	for _, key := range slices.Sorted(maps.Keys(w.auto.failed)) {
		all = append(all, fmt.Sprintf("autostart of %s: %s", key, w.auto.failed[key]))
	}
	return all
}
