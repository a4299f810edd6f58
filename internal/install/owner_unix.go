//go:build unix

package install

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives the file the owner another one has. Where that is not
// allowed the two are the same already, or nothing can be done.
func keepOwner(f *os.File, info fs.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(stat.Uid), int(stat.Gid))
	}
}
