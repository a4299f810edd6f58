package daemon

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

func userID() string { return os.Getenv("USERNAME") }

func isOurs(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// sameSocket: a socket here is a kind of link, whose identity cannot be asked for.
func sameSocket(os.FileInfo, os.FileInfo) bool { return true }

// checkPrivate has nothing to do: a folder below the user's own temporary
// directory inherits an access list that names that user alone.
func checkPrivate(string) error { return nil }

// takeLock holds path until release is called or the process dies; ok is false
// when another process holds it.
func takeLock(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("open the daemon's lock: %w", err)
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	if err == windows.ERROR_LOCK_VIOLATION {
		f.Close()
		return nil, false, nil
	}
	if err != nil {
		f.Close()
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, true, nil
}

// detached starts the daemon without the editor's console.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}
