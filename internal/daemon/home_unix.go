//go:build unix

package daemon

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

func userID() string { return strconv.Itoa(os.Getuid()) }

// isOurs says that dir is a folder of this user.
func isOurs(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

func sameSocket(a, b os.FileInfo) bool { return os.SameFile(a, b) }

func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the daemon's folder: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%s is not a folder of yours: set ORIEL_HOME to one that is", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if !ours(dir) {
			return fmt.Errorf("%s can be entered by others and holds other things: set ORIEL_HOME to a folder of its own", dir)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("%s can be entered by others: %w", dir, err)
		}
	}
	return nil
}

// takeLock holds path until release is called or the process dies; ok is false
// when another process holds it.
func takeLock(path string) (release func(), ok bool, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("open the daemon's lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		f.Close()
		return nil, false, nil
	}
	if err != nil {
		f.Close()
		return nil, false, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, true, nil
}

// detached starts the daemon in a session of its own, so that a signal to the
// editor's process group does not reach it.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
