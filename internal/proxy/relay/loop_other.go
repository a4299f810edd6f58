//go:build !linux

package relay

// engine serves pairs without goroutines of their own, where the system has a
// way.
type engine struct{}

func (*engine) run(*Pair) (Sums, error, bool) { return Sums{}, nil, false }
