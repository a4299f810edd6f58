//go:build !windows

package forward

import "syscall"

// canProbe says whether a kept connection can be asked whether it is open.
const canProbe = true

// alive says whether a kept connection is still open and silent: there is
// nothing to read from it yet.
func (l *link) alive() bool {
	tcp, ok := l.nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	silent := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, err := syscall.Read(int(fd), b[:])
		for err == syscall.EINTR {
			_, err = syscall.Read(int(fd), b[:])
		}
		silent = err == syscall.EAGAIN
		return true
	})
	return err == nil && silent
}
