package tree

import (
	"cmp"
	"slices"
)

// Port is one TCP socket that listens.
type Port struct {
	Port    int    `json:"port"`
	Address string `json:"address"` // the address it is bound to: 127.0.0.1, ::, …
	PID     int    `json:"pid"`
}

// Holder is a process that listens on a port.
type Holder struct {
	Identity
	Name      string   `json:"name"`
	Command   string   `json:"command"`
	Addresses []string `json:"addresses"`
	// Marker is the marker of the tree the process belongs to; "" when it was not
	// started by this program, or its environment may not be read.
	Marker string `json:"-"`
	// Hidden: something listens, but the system does not let us see who.
	Hidden bool `json:"hidden,omitempty"`
}

// Ports returns where the tree listens, by port.
func (t *Tree) Ports() ([]Port, error) {
	t.mu.Lock()
	procs, err := t.scan()
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	pids := make([]int, 0, len(procs))
	for _, p := range procs {
		pids = append(pids, p.pid)
	}
	ports, err := listening(pids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(ports, func(a, b Port) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Address, b.Address), cmp.Compare(a.PID, b.PID))
	})
	return slices.Compact(ports), nil
}
