package process

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oriel/internal/process/ledger"
	"oriel/internal/process/tree"
)

// OpenLedger makes a ledger for the calling process in dir, a folder of its own
// with mode 0700. First it ends the children that dead owners left there, by
// identity and marker, never by number alone, and returns those it found alive.
func OpenLedger(dir string) (*Ledger, []Orphan, error) { return ledger.Open(dir) }

// PortHolders returns who listens on a TCP port of this machine; nobody is no
// error. A Holder with a Marker belongs to a tree started by this program, see
// Process.Owns.
func PortHolders(port int) ([]Holder, error) {
	if port < 1 || port > 65535 {
		return nil, fmt.Errorf("look up port %d: not between 1 and 65535", port)
	}
	holders, err := tree.Holders(port)
	if err != nil {
		return nil, fmt.Errorf("look up port %d: %w", port, err)
	}
	return holders, nil
}

// EndHolder ends the very process that a Holder names: politely, and by force
// after the grace time. It ends that process alone, not its tree.
func EndHolder(ctx context.Context, h Holder, grace time.Duration) error {
	if h.Hidden {
		return errors.New("end port holder: it belongs to another user and cannot be seen")
	}
	if grace > 0 {
		if err := h.Terminate(); err != nil && !errors.Is(err, tree.ErrGone) {
			return fmt.Errorf("end %s (pid %d): %w", h.Name, h.PID, err)
		}
		wait, cancel := context.WithTimeout(ctx, grace)
		defer cancel()
		if poll(wait, func() bool { return !h.Alive() }) {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("end %s (pid %d): %w", h.Name, h.PID, context.Cause(ctx))
		}
	}
	if err := h.Kill(); err != nil && !errors.Is(err, tree.ErrGone) {
		return fmt.Errorf("end %s (pid %d): %w", h.Name, h.PID, err)
	}
	if !poll(ctx, func() bool { return !h.Alive() }) {
		return fmt.Errorf("end %s (pid %d): %w", h.Name, h.PID, context.Cause(ctx))
	}
	return nil
}
