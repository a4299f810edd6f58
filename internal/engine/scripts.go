package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"time"

	"oriel/internal/config"
	"oriel/internal/process"
)

// readyPatience is how long a script waits for one that it depends on.
const readyPatience = 2 * time.Minute

// ScriptSpec is a script of a project's file, ready to run with a client's
// environment.
func (w *Workspace) ScriptSpec(s config.Script, env []string) (process.Spec, error) {
	return scriptSpec(w.Root, s, env)
}

// ScriptSpecAt is ScriptSpec for a script of another project's file.
func ScriptSpecAt(root string, s config.Script, env []string) (process.Spec, error) {
	return scriptSpec(root, s, env)
}

func scriptSpec(root string, s config.Script, env []string) (process.Spec, error) {
	spec := process.Spec{
		ID: s.Name, Name: s.Name, Shell: s.Run,
		Dir:     filepath.Join(root, filepath.FromSlash(s.Cwd)),
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

// StartScript starts a script of the project's file, after what it depends on
// is started and ready.
func (w *Workspace) StartScript(ctx context.Context, s config.Script, spec process.Spec) (*process.Process, error) {
	if err := w.dependencies(ctx, s, spec.Env); err != nil {
		return nil, err
	}
	return w.start(spec, &s)
}

func (w *Workspace) dependencies(ctx context.Context, s config.Script, env []string) error {
	for _, name := range s.DependsOn {
		if err := w.dependency(ctx, name, env); err != nil {
			return fmt.Errorf("it depends on %q: %w", name, err)
		}
	}
	return nil
}

// dependency makes sure that a script runs and is ready.
func (w *Workspace) dependency(ctx context.Context, name string, env []string) error {
	if err := w.awaitAttempt(ctx, scriptKey(name)); err != nil {
		return err
	}
	p, err := w.Process(name)
	if err == nil && done(p) {
		return nil
	}
	if err != nil || p.Status().State.Final() {
		cfg, _ := w.Config()
		s, ok := cfg.Script(name)
		if !ok {
			return fmt.Errorf("the project file has no such script")
		}
		spec, err := w.ScriptSpec(s, env)
		if err != nil {
			return err
		}
		if p, err = w.StartScript(ctx, s, spec); err != nil {
			return err
		}
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	_, err = p.Wait(ctx, process.Until{Ready: true})
	switch {
	case errors.Is(err, process.ErrExited) && done(p):
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("it is not ready after %s (its state is %s): see proc {\"action\":\"output\",\"id\":%q}",
			time.Since(began).Round(100*time.Millisecond), p.Status().State, name)
	}
	return err
}

// done says that a script was a task, such as a migration, and has ended well.
func done(p *process.Process) bool {
	return p.Status().State == process.StateExited && !p.Awaited()
}

// AwaitProcess finds a process by id like Process, and waits for one that the
// autostart under way is going to start.
func (w *Workspace) AwaitProcess(ctx context.Context, id string) (*process.Process, error) {
	if p, err := w.Process(id); err == nil {
		return p, nil
	}
	if err := w.awaitAttempt(ctx, scriptKey(id)); err != nil {
		return nil, fmt.Errorf("%s is not started yet: autostart waits for what it depends on", id)
	}
	return w.Process(id)
}

// Restart restarts a process; a script whose definition in the project's file
// has changed since it was started is started as it is defined now.
func (w *Workspace) Restart(ctx context.Context, id string, env []string) (*process.Process, error) {
	p, err := w.Process(id)
	if err != nil {
		return nil, err
	}
	id = p.Status().ID
	w.mu.Lock()
	started := w.units[w.findProcess(id)].script
	now, defined := w.cfg.Script(id)
	w.mu.Unlock()
	if started == nil || !defined || sameScript(*started, now) {
		return p, p.Restart(ctx)
	}
	spec, err := w.ScriptSpec(now, env)
	if err != nil {
		return nil, err
	}
	if err := p.Stop(ctx, false); err != nil {
		return nil, err
	}
	return w.StartScript(ctx, now, spec)
}

// sameScript compares what a script does, not where it stands in the file.
func sameScript(a, b config.Script) bool {
	a.Line, a.Column, b.Line, b.Column = 0, 0, 0, 0
	return reflect.DeepEqual(a, b)
}
