package tree

import (
	"errors"
	"fmt"
	"time"
)

// How long End looks for survivors of SIGKILL before it gives up: only a
// process stuck in the kernel, or one that belongs to another user, is left.
const killPatience = 10 * time.Second

// End ends every member of the tree: first politely, and after grace, or as soon
// as force is closed, by killing; with no grace it kills at once. It returns when
// all are gone, with those it found. A tree that is gone already is no error.
func (t *Tree) End(grace time.Duration, force <-chan struct{}) ([]Member, error) {
	members, err := t.Members()
	if err != nil || len(members) == 0 {
		return nil, err
	}
	found := map[Identity]bool{}
	var ended []Member
	note := func(ms []Member) {
		for _, m := range ms {
			if !found[m.Identity] {
				found[m.Identity] = true
				ended = append(ended, m)
			}
		}
	}
	note(members)
	if grace > 0 {
		if polite := t.terminate(members); polite {
			members, err = t.awaitGone(members, grace, force)
			if err != nil {
				return ended, err
			}
			note(members)
		}
	}
	deadline := time.Now().Add(killPatience)
	var killErr error
	for len(members) > 0 {
		if killErr = t.kill(members); time.Now().After(deadline) || errors.Is(killErr, errNotAllowed) {
			return ended, fmt.Errorf("end process tree of %d: %d still there (%s, pid %d): %w",
				t.root.PID, len(members), members[0].Name, members[0].PID, orStuck(killErr))
		}
		if members, err = t.awaitGone(members, 100*time.Millisecond, nil); err != nil {
			return ended, err
		}
		note(members)
	}
	return ended, nil
}

var (
	errStuck      = errors.New("not gone after SIGKILL")
	errNotAllowed = errors.New("not allowed to signal it")
)

func orStuck(err error) error {
	if err != nil {
		return err
	}
	return errStuck
}

// awaitGone waits until the tree is empty, at most for limit. It watches the
// processes it was given, which is cheap, and scans for others only when those
// are gone. It returns who is left.
func (t *Tree) awaitGone(members []Member, limit time.Duration, force <-chan struct{}) ([]Member, error) {
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	for pause := time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		for len(members) > 0 && !members[len(members)-1].Alive() {
			members = members[:len(members)-1]
		}
		if len(members) == 0 {
			left, err := t.Members()
			if err != nil || len(left) == 0 {
				return nil, err
			}
			members = left
		}
		tick := time.NewTimer(pause)
		select {
		case <-tick.C:
		case <-force:
			tick.Stop()
			return t.Members()
		case <-deadline.C:
			tick.Stop()
			return t.Members()
		}
	}
}
