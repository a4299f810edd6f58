package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"oriel/internal/config"
	"oriel/internal/process"
)

// readyPatience is how long a script waits for one that it depends on.
const readyPatience = 2 * time.Minute

// autostart is what was started unasked. It begins with the first client and
// never does the same thing twice, however many clients come.
type autostart struct {
	env     []string // of the client that came first; nil: none has come
	done    map[string]bool
	failed  []string
	running bool          // a pass is under way
	again   bool          // the file changed during the pass
	step    chan struct{} // closed, and made anew, with each step of a pass
}

// Attach says that a client is there, until ctx ends. The first one sets the
// autostart going; begun is called when it is.
func (w *Workspace) Attach(ctx context.Context, env []string, begun func()) {
	w.mu.Lock()
	w.clients++
	if w.auto.done == nil {
		w.auto.done = map[string]bool{}
		w.auto.env = env
	}
	w.beginPass()
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

// reload takes the project's file as it is now; new autostart entries start.
func (w *Workspace) reload(cfg config.Config, problems []config.Problem) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cfg, w.problems = cfg, problems
	w.beginPass()
}

// beginPass starts what is not started yet, one pass at a time. The caller
// holds w.mu.
func (w *Workspace) beginPass() {
	if w.auto.done == nil || w.ctx.Err() != nil {
		return
	}
	if w.auto.running {
		w.auto.again = true
		return
	}
	w.auto.running = true
	w.auto.step = make(chan struct{})
	w.tasks.Go(func() {
		for more := true; more; {
			w.pass()
			w.mu.Lock()
			more = w.auto.again && w.ctx.Err() == nil
			w.auto.again = false
			w.auto.running = more
			w.stepped()
			w.mu.Unlock()
		}
	})
}

// stepped wakes those who wait for a process that is to be started by itself.
// The caller holds w.mu.
func (w *Workspace) stepped() {
	close(w.auto.step)
	w.auto.step = make(chan struct{})
}

// AwaitProcess finds a process by id like Process, and waits for one that the
// autostart under way is going to start.
func (w *Workspace) AwaitProcess(ctx context.Context, id string) (*process.Process, error) {
	for {
		w.mu.Lock()
		_, planned := w.cfg.Script(id)
		step, running := w.auto.step, w.auto.running
		w.mu.Unlock()
		p, err := w.Process(id)
		if err == nil || !planned || !running {
			return p, err
		}
		select {
		case <-step:
		case <-ctx.Done():
			return nil, fmt.Errorf("%s is not started yet: autostart waits for what it depends on", id)
		}
	}
}

// pass walks the scripts in dependency order, then the proxies.
func (w *Workspace) pass() {
	cfg, _ := w.Config()
	for _, name := range cfg.Order() {
		s, ok := cfg.Script(name)
		if !ok || !w.claim("script "+name) {
			continue
		}
		w.settle("script", s.Name, w.autostartScript(s))
	}
	for _, p := range cfg.Proxies {
		if p.Autostart && w.claim("proxy "+p.ID) {
			w.settle("proxy", p.ID, w.autostartProxy(p))
		}
	}
}

// settle notes how a step of the autostart went.
func (w *Workspace) settle(what, name string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil && w.ctx.Err() == nil {
		w.auto.failed = append(w.auto.failed, fmt.Sprintf("autostart of %s %q: %v", what, name, err))
	}
	w.stepped()
}

// claim is true once per name.
func (w *Workspace) claim(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil || w.auto.done[name] {
		return false
	}
	w.auto.done[name] = true
	return true
}

func (w *Workspace) autostartScript(s config.Script) error {
	for _, dep := range s.DependsOn {
		p, err := w.Process(dep)
		if err != nil {
			return fmt.Errorf("it depends on %q, which did not start", dep)
		}
		ctx, cancel := context.WithTimeout(w.ctx, readyPatience)
		_, err = p.Wait(ctx, process.Until{Ready: true})
		cancel()
		if err != nil {
			return fmt.Errorf("it depends on %q: %w", dep, err)
		}
	}
	spec, err := w.ScriptSpec(s, w.auto.env)
	if err != nil {
		return err
	}
	_, err = w.Start(spec)
	if _, running := errors.AsType[RunningError](err); running {
		return nil // somebody started it by hand
	}
	return err
}

// ScriptSpec is a script of the project's file, ready to run with a client's
// environment.
func (w *Workspace) ScriptSpec(s config.Script, env []string) (process.Spec, error) {
	spec := process.Spec{
		ID: s.Name, Name: s.Name, Shell: s.Run,
		Dir:     filepath.Join(w.Root, filepath.FromSlash(s.Cwd)),
		Env:     append([]string(nil), env...),
		Restart: process.Policy(s.Restart), HoldStdin: true,
	}
	if filepath.IsAbs(s.Cwd) {
		spec.Dir = s.Cwd
	}
	for _, v := range s.Env {
		spec.Env = append(spec.Env, v.Name+"="+v.Value)
	}
	spec.Ready = process.Ready{Port: s.ReadyPort, URL: s.ReadyURL}
	if s.ReadyPattern != "" {
		re, err := regexp.Compile(s.ReadyPattern)
		if err != nil {
			return spec, fmt.Errorf("ready-pattern: %w", err)
		}
		spec.Ready.Pattern = re
	}
	return spec, nil
}

// Problems is what is wrong with the project's file and with what it asks to
// start by itself.
func (w *Workspace) Problems() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, p := range w.problems {
		all = append(all, p.String())
	}
	return append(all, w.auto.failed...)
}
