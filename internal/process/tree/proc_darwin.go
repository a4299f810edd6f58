package tree

import (
	"bytes"
	"encoding/binary"
	"sync"

	"golang.org/x/sys/unix"
)

// native: descent, session and marker are all there is.
type native struct{}

func (native) members() []int { return nil }

var bootID = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return "unknown"
	}
	return id
})

// The states of a process in the kernel's table.
const (
	stateStopped = 4 // SSTOP
	stateZombie  = 5 // SZOMB
)

func snapshot() ([]proc, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	procs := make([]proc, 0, len(table))
	for i := range table {
		procs = append(procs, fromKinfo(&table[i]))
	}
	return procs, nil
}

func lookup(pid int) (proc, error) {
	table, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err != nil {
		return proc{}, err
	}
	if len(table) == 0 {
		return proc{}, ErrGone
	}
	return fromKinfo(&table[0]), nil
}

func fromKinfo(k *unix.KinfoProc) proc {
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	pid := int(k.Proc.P_pid)
	session, err := unix.Getsid(pid)
	if err != nil {
		session = 0
	}
	return proc{
		pid:     pid,
		parent:  int(k.Eproc.Ppid),
		session: session,
		start:   uint64(k.Proc.P_starttime.Sec)*1_000_000 + uint64(k.Proc.P_starttime.Usec),
		name:    string(name),
		zombie:  k.Proc.P_stat == stateZombie,
		stopped: k.Proc.P_stat == stateStopped,
	}
}

// arguments returns the arguments and the environment of a process, each ended
// by a zero byte. The kernel gives: the number of arguments, the path of the
// program, padding, the arguments, the environment.
func arguments(pid int) (argv, env [][]byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return nil, nil
	}
	argc := int(binary.LittleEndian.Uint32(raw))
	_, rest, ok := bytes.Cut(raw[4:], []byte{0})
	if !ok {
		return nil, nil
	}
	words := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	if argc < 0 || argc > len(words) {
		return nil, nil
	}
	return words[:argc], words[argc:]
}

func hasMarker(pid int, marker string) (yes, final bool) {
	_, env := arguments(pid)
	return markerIn(env) == marker, len(env) > 0
}

func markerOf(pid int) string {
	_, env := arguments(pid)
	return markerIn(env)
}

func markerIn(env [][]byte) string {
	for _, e := range env {
		if v, ok := bytes.CutPrefix(e, []byte(MarkerEnv+"=")); ok {
			return string(v)
		}
	}
	return ""
}

func command(pid int) string {
	argv, _ := arguments(pid)
	return string(bytes.Join(argv, []byte(" ")))
}

// signal checks first and sends second; this system has no handle that would
// make the two one.
func signal(id Identity, sig unix.Signal) error {
	if id.PID <= 1 || id.Boot != bootID() {
		return ErrGone
	}
	p, err := lookup(id.PID)
	if err != nil || p.start != id.Start {
		return ErrGone
	}
	if err := unix.Kill(id.PID, sig); err != unix.ESRCH {
		return err
	}
	return ErrGone
}

// AwaitExit does nothing here: there is no waiting without reaping, so who
// belonged to an exited child is known by descent and marker only.
func AwaitExit(int) {}
