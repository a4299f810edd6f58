package tree

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// fillUsage: the scan has it all.
func fillUsage([]proc) {}

// socket is a listening TCP socket of one network namespace.
type socket struct {
	inode uint64
	addr  netip.AddrPort
}

// listeners reads the listening sockets that the process can see.
func listeners(pid string) []socket {
	var out []socket
	for _, file := range []string{"/net/tcp", "/net/tcp6"} {
		b, err := os.ReadFile("/proc/" + pid + file)
		if err != nil {
			continue
		}
		for line := range bytes.Lines(b) {
			f := bytes.Fields(line)
			if len(f) < 10 || string(f[3]) != "0A" { // 0A: LISTEN
				continue
			}
			if addr, ok := parseAddr(string(f[1])); ok {
				out = append(out, socket{number(f[9]), addr})
			}
		}
	}
	return out
}

// parseAddr reads the kernel's hexadecimal address: 32-bit words in the order of
// a little-endian machine, then the port.
func parseAddr(s string) (netip.AddrPort, bool) {
	host, port, ok := strings.Cut(s, ":")
	raw, err := hex.DecodeString(host)
	n, perr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || perr != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	addr, ok := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)), ok
}

// sockets returns the inodes of the sockets a process has open.
func sockets(pid int) []uint64 {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	var out []uint64
	for _, name := range names {
		link, err := os.Readlink(dir + "/" + name)
		if err != nil {
			continue
		}
		if s, ok := strings.CutPrefix(link, "socket:["); ok {
			out = append(out, number([]byte(strings.TrimSuffix(s, "]"))))
		}
	}
	return out
}

// listening returns where the processes listen, each seen in its own network
// namespace.
func listening(pids []int) ([]Port, error) {
	spaces := map[string]map[uint64]netip.AddrPort{}
	var out []Port
	for _, pid := range pids {
		name := strconv.Itoa(pid)
		ns, _ := os.Readlink("/proc/" + name + "/ns/net")
		byInode, ok := spaces[ns]
		if !ok {
			byInode = map[uint64]netip.AddrPort{}
			for _, s := range listeners(name) {
				byInode[s.inode] = s.addr
			}
			spaces[ns] = byInode
		}
		if len(byInode) == 0 {
			continue
		}
		for _, inode := range sockets(pid) {
			if a, ok := byInode[inode]; ok {
				out = append(out, Port{Port: int(a.Port()), Address: a.Addr().String(), PID: pid})
			}
		}
	}
	return out, nil
}

// Holders returns who listens on a TCP port of this machine.
func Holders(port int) ([]Holder, error) {
	wanted := map[uint64]string{}
	for _, s := range listeners("self") {
		if int(s.addr.Port()) == port {
			wanted[s.inode] = s.addr.Addr().String()
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	procs, err := snapshot()
	if err != nil {
		return nil, err
	}
	var out []Holder
	seen := map[uint64]bool{}
	for _, p := range procs {
		var addresses []string
		for _, inode := range sockets(p.pid) {
			if a, ok := wanted[inode]; ok {
				addresses = append(addresses, a)
				seen[inode] = true
			}
		}
		if len(addresses) > 0 {
			out = append(out, Holder{
				Identity: Identity{PID: p.pid, Start: p.start, Boot: bootID()},
				Name:     p.name, Command: command(p.pid), Addresses: addresses, Marker: markerOf(p.pid),
			})
		}
	}
	hidden := Holder{Hidden: true}
	for inode, a := range wanted {
		if !seen[inode] {
			hidden.Addresses = append(hidden.Addresses, a)
		}
	}
	if len(hidden.Addresses) > 0 {
		out = append(out, hidden)
	}
	return out, nil
}
