package process

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

// ErrExited says that a process ended before what was waited for came.
var ErrExited = errors.New("process ended first")

// Until says what to wait for; the first that comes ends the wait. Nothing set
// means Exit.
type Until struct {
	Ready   bool           // ready, or counted as running
	Exit    bool           // a final state
	Pattern *regexp.Regexp // a line that matches; lines already kept count
	Since   uint64         // with Pattern: only lines with this Seq or later
}

// Reason says what ended a wait.
type Reason string

// The reasons.
const (
	ByReady   Reason = "ready"
	ByRunning Reason = "running" // not known to be ready, see Ready
	ByExit    Reason = "exit"
	ByPattern Reason = "pattern"
)

// Match is what ended a wait.
type Match struct {
	Reason Reason
	Line   Line // with ByPattern
	Status Status
}

// Wait waits. When the process reaches a final state and that was not waited
// for, it returns at once with ErrExited, worded with how it ended; the Match
// then says so too. When the context ends it returns the context's error and the
// status at that moment.
func (p *Process) Wait(ctx context.Context, u Until) (Match, error) {
	if !u.Ready && u.Pattern == nil {
		u.Exit = true
	}
	cursor := u.Since
	matches := func(l Line) bool { return l.Stream != Note && u.Pattern.MatchString(l.Text) }
	for {
		lines, states := p.out.Wait(), p.onChange()
		// The status first, the lines after: whatever led to the status is in the ring.
		s := p.Status()
		if u.Pattern != nil {
			var line Line
			var ok bool
			if line, cursor, ok = p.out.Search(cursor, matches); ok {
				return Match{Reason: ByPattern, Line: line, Status: s}, nil
			}
		} else {
			lines = nil
		}
		switch {
		case u.Ready && s.State == StateReady:
			return Match{Reason: ByReady, Status: s}, nil
		case u.Ready && s.State == StateRunning:
			return Match{Reason: ByRunning, Status: s}, nil
		case s.State.Final() && u.Exit:
			return Match{Reason: ByExit, Status: s}, nil
		case s.State.Final():
			return Match{Reason: ByExit, Status: s}, fmt.Errorf("wait for %s of %q: %w: %s", u.what(), p.spec.Name, ErrExited, s.ending())
		}
		select {
		case <-lines:
		case <-states:
		case <-ctx.Done():
			return Match{Status: p.Status()}, fmt.Errorf("wait for %s of %q: %w", u.what(), p.spec.Name, context.Cause(ctx))
		}
	}
}

func (u Until) what() string {
	switch {
	case u.Ready:
		return "readiness"
	case u.Pattern != nil:
		return fmt.Sprintf("pattern %q", u.Pattern)
	default:
		return "exit"
	}
}

// ending words a final state.
func (s Status) ending() string {
	switch {
	case s.State == StateStopped:
		return "stopped"
	case s.Signal != "":
		return "killed by " + s.Signal
	case s.LastError != "" && s.ExitCode == 0:
		return s.LastError
	default:
		return fmt.Sprintf("exited with code %d", s.ExitCode)
	}
}
