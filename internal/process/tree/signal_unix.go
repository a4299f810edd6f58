//go:build unix

package tree

import (
	"errors"

	"golang.org/x/sys/unix"
)

// terminate asks the members to end, parents before children so that no parent
// reacts to a child's death by starting another.
func (t *Tree) terminate(members []Member) bool {
	for _, m := range members {
		if signal(m.Identity, unix.SIGTERM) == nil {
			// A stopped process would see the request only when continued.
			if p, err := lookup(m.PID); err == nil && p.stopped {
				_ = signal(m.Identity, unix.SIGCONT)
			}
		}
	}
	return true
}

// kill ends the members. It fails when none of those left may be killed.
func (t *Tree) kill(members []Member) error {
	refused := 0
	for _, m := range members {
		if err := signal(m.Identity, unix.SIGKILL); errors.Is(err, unix.EPERM) {
			refused++
		}
	}
	if refused == len(members) {
		return errNotAllowed
	}
	return nil
}

// Terminate asks this very process to end; ErrGone when it is not there.
func (id Identity) Terminate() error { return signal(id, unix.SIGTERM) }

// Kill ends this very process at once; ErrGone when it is not there.
func (id Identity) Kill() error { return signal(id, unix.SIGKILL) }
