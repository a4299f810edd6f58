package process

import (
	"context"
	"fmt"
)

// Result is how a foreground command ended.
type Result struct {
	Status Status
	Output Output
	// Cut: the context ended before the command did, and it was stopped.
	Cut bool
}

// Run runs a command to its end and returns its whole kept output. When the
// context ends first, the whole tree is stopped; the Result then says so and has
// the output so far, and there is no error: only a command that could not be
// started, or not be ended, is one. Whatever the command leaves behind is ended.
func Run(ctx context.Context, spec Spec, events Events, led *Ledger) (Result, error) {
	spec.Restart, spec.HoldStdin = RestartNo, false
	p, err := Start(spec, events, led)
	if err != nil {
		return Result{}, err
	}
	_, err = p.Wait(ctx, Until{Exit: true})
	cut := err != nil
	// The stop itself must not be cut short by the context that asked for it.
	err = p.Stop(context.WithoutCancel(ctx), false)
	res := Result{Status: p.Status(), Output: p.Output(Query{}), Cut: cut && p.Status().State == StateStopped}
	if err != nil {
		return res, fmt.Errorf("run %q: %w", p.spec.Name, err)
	}
	return res, nil
}
