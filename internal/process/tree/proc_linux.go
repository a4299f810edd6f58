package tree

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ticks per second of the kernel's process clock: 100 on every Linux that Go
// runs on.
const clockTicks = 100

var pageSize = uint64(os.Getpagesize())

// native: the scan of /proc is all there is.
type native struct{}

func (native) members() []int { return nil }

// bootID names this boot and PID namespace. A container that shares a ledger's
// folder with its host has other numbers for its processes.
var bootID = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		boot = []byte("unknown")
	}
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + "/" + ns
})

func snapshot() ([]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	dir.Close()
	if err != nil {
		return nil, err
	}
	procs := make([]proc, 0, len(names))
	buf := make([]byte, 4096)
	for _, name := range names {
		if name[0] < '0' || name[0] > '9' {
			continue
		}
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, err := readStat(pid, buf); err == nil { // else it ended meanwhile
			procs = append(procs, p)
		}
	}
	return procs, nil
}

func lookup(pid int) (proc, error) {
	return readStat(pid, make([]byte, 1024))
}

var errStat = errors.New("unreadable process status")

// readStat reads /proc/<pid>/stat. The name in parentheses may hold anything,
// so fields count from the last parenthesis.
func readStat(pid int, buf []byte) (proc, error) {
	n, err := readInto("/proc/"+strconv.Itoa(pid)+"/stat", buf)
	if err != nil {
		return proc{}, err
	}
	b := buf[:n]
	open, shut := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || shut < open {
		return proc{}, errStat
	}
	f := bytes.Fields(b[shut+1:])
	if len(f) < 22 {
		return proc{}, errStat
	}
	threads := number(f[17])
	return proc{
		pid:     pid,
		parent:  int(number(f[1])),
		session: int(number(f[3])),
		start:   number(f[19]),
		name:    string(b[open+1 : shut]),
		// A main thread that has ended before the others looks like a zombie.
		zombie:  f[0][0] == 'X' || f[0][0] == 'Z' && threads <= 1,
		stopped: f[0][0] == 'T',
		cpu:     time.Duration(number(f[11])+number(f[12])) * (time.Second / clockTicks),
		rss:     number(f[21]) * pageSize,
	}, nil
}

func number(b []byte) uint64 {
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + uint64(c-'0')
	}
	return n
}

// readInto reads a small file of /proc without the cost of os.File.
func readInto(path string, buf []byte) (int, error) {
	fd, err := open(path)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Read(fd, buf)
		if err == unix.EINTR {
			continue
		}
		return max(n, 0), err
	}
}

func open(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		switch err {
		case unix.EINTR:
			continue
		case unix.ENOENT:
			return -1, ErrGone
		}
		return fd, err
	}
}

// environment returns the environment a process was started with, or nothing
// when it is gone or another user's.
func environment(pid int) []byte {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil
	}
	return b
}

// hasMarker looks for the marker in a process's environment. The answer no is
// final only when there was an environment to read: in the middle of an exec
// there is none.
func hasMarker(pid int, marker string) (yes, final bool) {
	env := environment(pid)
	return markerIn(env) == marker, len(env) > 0
}

// markerOf returns the marker in a process's environment, "" when it has none.
func markerOf(pid int) string { return markerIn(environment(pid)) }

func markerIn(env []byte) string {
	const prefix = MarkerEnv + "="
	for len(env) > 0 {
		entry, rest, _ := bytes.Cut(env, []byte{0})
		if bytes.HasPrefix(entry, []byte(prefix)) {
			return string(entry[len(prefix):])
		}
		env = rest
	}
	return ""
}

// signal sends through a pidfd: opened first, checked second, so that the
// process checked is the process signalled.
func signal(id Identity, sig unix.Signal) error {
	if id.PID <= 1 || id.Boot != bootID() {
		return ErrGone
	}
	fd, err := unix.PidfdOpen(id.PID, 0)
	if err == unix.ESRCH {
		return ErrGone
	}
	if err == nil {
		defer unix.Close(fd)
	}
	p, statErr := lookup(id.PID)
	if statErr != nil || p.start != id.Start {
		return ErrGone
	}
	if err == nil {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	if err == unix.ENOSYS || err == unix.EINVAL { // kernel before 5.3, or a sandbox without pidfd
		err = unix.Kill(id.PID, sig)
	}
	if err == unix.ESRCH {
		return ErrGone
	}
	return err
}

// AwaitExit blocks until a child of the calling process has exited, and leaves
// it a zombie: its number cannot be reused before the caller reaps it, and its
// session still tells who belonged to it.
func AwaitExit(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// command returns the command line of a process.
func command(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil || errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(string(b), "\x00", " "))
}
