package tree

import (
	"errors"
	"os"
	"sync"
	"time"
	"unsafe"

	psproc "github.com/shirou/gopsutil/v4/process"
	"golang.org/x/sys/windows"
)

// native is the job object that holds the tree. It is the kernel's own notion of
// one: nothing leaves it, and when its last handle closes, even by the death of
// this process, everything in it ends.
type native struct{ job windows.Handle }

// bootID: a process number and its creation time, which is an absolute one, are
// beyond doubt over restarts of the machine too.
var bootID = sync.OnceValue(func() string { return "windows" })

func snapshot() ([]proc, error) {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(snap)
	var procs []proc
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snap, &entry); err == nil; err = windows.Process32Next(snap, &entry) {
		p := proc{pid: int(entry.ProcessID), parent: int(entry.ParentProcessID), name: windows.UTF16ToString(entry.ExeFile[:])}
		if seen, err := lookup(p.pid); err == nil {
			p.start, p.cpu, p.zombie = seen.start, seen.cpu, seen.zombie
		}
		procs = append(procs, p)
	}
	return procs, nil
}

func lookup(pid int) (proc, error) {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return proc{}, ErrGone
	}
	defer windows.CloseHandle(h)
	return fromHandle(pid, h)
}

func fromHandle(pid int, h windows.Handle) (proc, error) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return proc{}, err
	}
	ticks := func(f windows.Filetime) uint64 { return uint64(f.HighDateTime)<<32 | uint64(f.LowDateTime) }
	return proc{
		pid:    pid,
		start:  ticks(created),
		cpu:    time.Duration(ticks(kernel)+ticks(user)) * 100,
		zombie: ticks(exited) != 0, // gone, but somebody holds a handle
	}, nil
}

// An environment cannot be read here; the job object makes up for it.
func hasMarker(int, string) (yes, final bool) { return false, true }

func markerOf(int) string { return "" }

// AwaitExit waits on a handle of its own and leaves the process to the caller.
func AwaitExit(pid int) {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(h)
	_, _ = windows.WaitForSingleObject(h, windows.INFINITE)
}

// Adopt puts a process that was created suspended into a job object of its own
// and lets it run.
func (t *Tree) Adopt(p *os.Process) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = assign(job, p.Pid)
	}
	if err == nil {
		err = resume(p.Pid)
	}
	if err != nil {
		windows.CloseHandle(job)
		return err
	}
	t.mu.Lock()
	t.native.job = job
	t.mu.Unlock()
	return nil
}

func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// resume lets the only thread of a suspended process run.
func resume(pid int) error {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snap)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snap, &entry); err == nil; err = windows.Thread32Next(snap, &entry) {
		if entry.OwnerProcessID != uint32(pid) {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(h)
		windows.CloseHandle(h)
		return err
	}
	return errors.New("the suspended process has no thread")
}

// Close releases the job object; whatever is still in it ends.
func (t *Tree) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.native.job != 0 {
		windows.CloseHandle(t.native.job)
		t.native.job = 0
	}
}

// maxJob bounds the list of a job's processes.
const maxJob = 4096

func (n native) members() []int {
	if n.job == 0 {
		return nil
	}
	var list struct {
		assigned, listed uint32
		pids             [maxJob]uintptr
	}
	err := windows.QueryInformationJobObject(n.job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil
	}
	pids := make([]int, 0, list.listed)
	for _, pid := range list.pids[:min(list.listed, maxJob)] {
		pids = append(pids, int(pid))
	}
	return pids
}

// terminate sends Ctrl-Break to the root's console group. Without a console
// there is no polite way.
func (t *Tree) terminate([]Member) bool {
	if !t.root.Alive() {
		return false
	}
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(t.root.PID)) == nil
}

func (t *Tree) kill(members []Member) error {
	t.mu.Lock()
	job := t.native.job
	t.mu.Unlock()
	if job != 0 {
		if err := windows.TerminateJobObject(job, 1); err == nil {
			return nil
		}
	}
	refused := 0
	for _, m := range members {
		if err := m.Kill(); errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			refused++
		}
	}
	if refused == len(members) {
		return errNotAllowed
	}
	return nil
}

// Terminate ends this very process; there is no polite way to reach a single one.
func (id Identity) Terminate() error { return id.Kill() }

// Kill ends this very process at once; ErrGone when it is not there. The handle
// it checks is the one it ends.
func (id Identity) Kill() error {
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(id.PID))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return ErrGone
	}
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	if p, err := fromHandle(id.PID, h); err != nil || p.start != id.Start || p.zombie {
		return ErrGone
	}
	return windows.TerminateProcess(h, 1)
}

func command(pid int) string {
	line, err := (&psproc.Process{Pid: int32(pid)}).Cmdline()
	if err != nil {
		return ""
	}
	return line
}
