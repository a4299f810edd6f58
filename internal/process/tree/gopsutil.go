//go:build !linux

package tree

import (
	"context"
	"slices"
	"time"

	psnet "github.com/shirou/gopsutil/v4/net"
	psproc "github.com/shirou/gopsutil/v4/process"
)

// fillUsage asks the system for what the scan did not bring.
func fillUsage(procs []proc) {
	for i := range procs {
		p := &psproc.Process{Pid: int32(procs[i].pid)}
		if m, err := p.MemoryInfo(); err == nil {
			procs[i].rss = m.RSS
		}
		if t, err := p.Times(); err == nil && procs[i].cpu == 0 {
			procs[i].cpu = time.Duration((t.User + t.System) * float64(time.Second))
		}
	}
}

// listening returns where the processes listen.
func listening(pids []int) ([]Port, error) {
	conns, err := psnet.ConnectionsWithContext(context.Background(), "tcp")
	if err != nil {
		return nil, err
	}
	var out []Port
	for _, c := range conns {
		if c.Status == "LISTEN" && slices.Contains(pids, int(c.Pid)) {
			out = append(out, Port{Port: int(c.Laddr.Port), Address: address(c.Laddr.IP), PID: int(c.Pid)})
		}
	}
	return out, nil
}

// address writes "any address" as the systems' own tools mean it.
func address(ip string) string {
	if ip == "*" || ip == "" {
		return "::"
	}
	return ip
}

// Holders returns who listens on a TCP port of this machine.
func Holders(port int) ([]Holder, error) {
	conns, err := psnet.ConnectionsWithContext(context.Background(), "tcp")
	if err != nil {
		return nil, err
	}
	byPID := map[int][]string{}
	for _, c := range conns {
		if c.Status == "LISTEN" && int(c.Laddr.Port) == port {
			byPID[int(c.Pid)] = append(byPID[int(c.Pid)], address(c.Laddr.IP))
		}
	}
	var out []Holder
	for pid, addresses := range byPID {
		h := Holder{Addresses: addresses}
		p, err := lookup(pid)
		if pid == 0 || err != nil {
			h.Hidden = true
		} else {
			h.Identity = Identity{PID: pid, Start: p.start, Boot: bootID()}
			h.Name, h.Command, h.Marker = describe(pid, p), command(pid), markerOf(pid)
		}
		out = append(out, h)
	}
	return out, nil
}

// describe returns a process's name where the look-up did not bring it.
func describe(pid int, p proc) string {
	if p.name != "" {
		return p.name
	}
	name, err := (&psproc.Process{Pid: int32(pid)}).Name()
	if err != nil {
		return ""
	}
	return name
}
