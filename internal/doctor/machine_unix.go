//go:build unix

package doctor

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func writable(dir string) bool { return unix.Access(dir, unix.W_OK|unix.X_OK) == nil }

// notOurs says why the daemon would refuse a folder; "" when it would not.
func notOurs(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return "is no folder"
	case !ok || int(stat.Uid) != os.Getuid():
		return "belongs to somebody else"
	}
	return ""
}

func othersEnter(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }
