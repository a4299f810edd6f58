//go:build unix

package ledger

import (
	"errors"
	"os"
	"syscall"
)

// private makes sure that nobody else can write entries: an entry is an order to
// kill.
func private(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return errors.New("the folder belongs to another user")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}
