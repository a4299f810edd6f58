package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"time"
)

// loopback tries to listen as a proxy does, and whether localhost means this
// machine.
func (p Patient) loopback(ctx context.Context) []Check {
	const what = "loopback"
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return one(Check{Fail, what, fmt.Sprintf("cannot listen on 127.0.0.1: %v", err), "allow local servers in the firewall or sandbox"})
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
	l.Close()
	if err != nil {
		return one(Check{Fail, what, fmt.Sprintf("cannot connect to 127.0.0.1: %v", err), "allow local connections in the firewall or sandbox"})
	}
	conn.Close()
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, "localhost")
	away := slices.ContainsFunc(addrs, func(a net.IPAddr) bool { return !a.IP.IsLoopback() })
	if err != nil || away || len(addrs) == 0 {
		return one(Check{Warn, what, "127.0.0.1 works, but localhost does not lead to this machine", "add a line `127.0.0.1 localhost` to the hosts file"})
	}
	return one(Check{OK, what, "a port of 127.0.0.1 can be had and reached", ""})
}

// temporary writes a file and takes it away again.
func temporary() Check {
	const what = "temporary folder"
	fix := "set TMPDIR (Windows: TEMP) to a folder you can write to"
	f, err := os.CreateTemp("", "oriel-doctor-*")
	if err != nil {
		return Check{Fail, what, fmt.Sprintf("%s is not writable: %v", os.TempDir(), err), fix}
	}
	_, writeErr := f.Write(make([]byte, 4096))
	if err := errors.Join(writeErr, f.Close(), os.Remove(f.Name())); err != nil {
		return Check{Fail, what, fmt.Sprintf("%s is not writable: %v", os.TempDir(), err), fix}
	}
	return Check{OK, what, os.TempDir() + ", writable", ""}
}

// fewFiles is what a bundler that watches a middling project already needs.
const fewFiles = 1024

// limits looks at what the processes Oriel starts may open. This process's own
// limit says nothing: the Go runtime raises it, and lowers it for children.
func (p Patient) limits(ctx context.Context) []Check {
	const what = "open files"
	if p.Machine.OS == "windows" {
		return nil
	}
	text, err := ask(ctx, "/bin/sh", "-c", "ulimit -n")
	if err != nil {
		return one(Check{Warn, what, "the limit is unknown: " + err.Error(), ""})
	}
	return one(judgeLimit(what, text))
}

func judgeLimit(what, text string) Check {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case text == "unlimited":
		return Check{OK, what, "unlimited", ""}
	case err != nil:
		return Check{Warn, what, fmt.Sprintf("the limit is unknown: %q", text), ""}
	case n < fewFiles:
		return Check{Warn, what, fmt.Sprintf("a process may open %d; dev servers that watch files need more", n), "ulimit -n 4096, in the shell or its profile"}
	}
	return Check{OK, what, fmt.Sprintf("a process may open %d", n), ""}
}
