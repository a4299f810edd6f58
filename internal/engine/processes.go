package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oriel/internal/config"
	"oriel/internal/process"
)

// maxEnded is how many ended processes of a project stay to be asked about.
const maxEnded = 20

// RunningError says that an id is taken by a living process.
type RunningError struct {
	ID  string
	PID int
}

func (e RunningError) Error() string {
	return fmt.Sprintf("process %s is already running (pid %d): restart it with proc {\"action\":\"restart\",\"id\":%q}, or give another id", e.ID, e.PID, e.ID)
}

// Start runs a process under its id. An ended one of the same id is replaced.
func (w *Workspace) Start(spec process.Spec) (*process.Process, error) { return w.start(spec, nil) }

// StartFree is Start under the spec's id or, when a living process has it, the
// id with a number.
func (w *Workspace) StartFree(spec process.Spec) (*process.Process, error) {
	base := spec.ID
	for n := 2; ; n++ {
		p, err := w.start(spec, nil)
		if _, taken := errors.AsType[RunningError](err); !taken {
			return p, err
		}
		spec.ID = fmt.Sprintf("%s-%d", base, n)
	}
}

func (w *Workspace) start(spec process.Spec, script *config.Script) (*process.Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		return nil, errClosed
	}
	old := w.findProcess(spec.ID)
	if old >= 0 {
		if st := w.units[old].proc.Status(); !st.State.Final() {
			return nil, RunningError{spec.ID, st.PID}
		}
	}
	spec.Env = unbuffered(spec.Env)
	events := process.Events{State: func(st process.Status) { w.follow(st) }}
	p, err := process.Start(spec, events, w.engine.ledger)
	if err != nil {
		return nil, err
	}
	if old >= 0 {
		w.forget(old)
	}
	w.units = append(w.units, unit{id: spec.ID, proc: p, script: script})
	w.prune()
	return p, nil
}

// forget lets go of an ended process; Stop ends what it may have left behind.
// The caller holds w.mu.
func (w *Workspace) forget(i int) {
	p := w.units[i].proc
	w.units = slices.Delete(w.units, i, i+1)
	w.tasks.Go(func() {
		if err := p.Stop(context.WithoutCancel(w.ctx), false); err != nil {
			w.engine.opts.Log(fmt.Sprintf("end what %s left behind: %v", p.Status().ID, err))
		}
	})
}

// prune forgets the oldest ended processes.
func (w *Workspace) prune() {
	ended := 0
	for i := len(w.units) - 1; i >= 0; i-- {
		if !w.units[i].alive() {
			if ended++; ended > maxEnded {
				w.forget(i)
			}
		}
	}
}

// Processes are the project's, in the order in which they were started.
func (w *Workspace) Processes() []*process.Process {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*process.Process
	for _, u := range w.units {
		if u.proc != nil {
			all = append(all, u.proc)
		}
	}
	return all
}

// Process finds one by id; an empty id means the only one there is.
func (w *Workspace) Process(id string) (*process.Process, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.findProcess(id); i >= 0 {
		return w.units[i].proc, nil
	}
	all := w.ids(func(u unit) bool { return u.proc != nil })
	// What has ended is not meant, as long as something lives.
	if living := w.ids(func(u unit) bool { return u.proc != nil && u.alive() }); id == "" && len(living) > 0 {
		all = living
	}
	switch {
	case id == "" && len(all) == 1:
		return w.units[w.findProcess(all[0])].proc, nil
	case len(all) == 0 && id == "":
		return nil, fmt.Errorf("no process was started in %s: start one with run {\"script_name\": …}", w.Root)
	case id == "":
		return nil, fmt.Errorf("process_id required, since there are several processes: %s", list(all))
	case len(all) == 0:
		return nil, fmt.Errorf("process not found: %s (none was started in this project)", id)
	default:
		return nil, fmt.Errorf("process not found: %s (known: %s)", id, list(all))
	}
}

// Owner is the id of the process of this project whose tree holds a port.
func (w *Workspace) Owner(h process.Holder) (id string, ok bool) {
	for _, p := range w.Processes() {
		if p.Owns(h) {
			return p.Status().ID, true
		}
	}
	return "", false
}

// unbuffered makes Python print its banner at once though nobody watches: into
// a pipe it would be held back, and with it the URL.
func unbuffered(env []string) []string {
	const name = "PYTHONUNBUFFERED="
	if slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name) }) {
		return env
	}
	return append(slices.Clip(env), name+"1")
}
