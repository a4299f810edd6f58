package engine

import (
	"context"
	"slices"
	"strings"

	"oriel/internal/config"
	"oriel/internal/process"
)

// unit is one thing a workspace started and has to end; one of the three is
// set.
type unit struct {
	id    string
	proc  *process.Process
	proxy *Proxy
	// script is what a process was started as, when the project\'s file defines it.
	script  *config.Script
	browser *seat
}

func (u unit) alive() bool {
	return u.proc == nil || !u.proc.Status().State.Final()
}

func (u unit) end(ctx context.Context) error {
	switch {
	case u.proxy != nil:
		return u.proxy.close(ctx)
	case u.browser != nil:
		return u.browser.close(ctx)
	}
	return u.proc.Stop(ctx, false)
}

// findProcess and findProxy are positions in w.units, -1 for none. The caller
// holds w.mu.
func (w *Workspace) findProcess(id string) int {
	return slices.IndexFunc(w.units, func(u unit) bool { return u.proc != nil && u.id == id })
}

func (w *Workspace) findProxy(id string) int {
	return slices.IndexFunc(w.units, func(u unit) bool { return u.proxy != nil && u.id == id })
}

// ids lists the units that fit, in the order in which they were started. The
// caller holds w.mu.
func (w *Workspace) ids(fits func(unit) bool) []string {
	var ids []string
	for _, u := range w.units {
		if fits(u) {
			ids = append(ids, u.id)
		}
	}
	return ids
}

func list(ids []string) string { return strings.Join(ids, ", ") }
