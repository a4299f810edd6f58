package relay

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// These never wait, so the scheduler is not told of them: that would be a
// tenth of the loop's time.

func receive(fd int, p []byte) (int, error) {
	return transfer(unix.SYS_RECVFROM, fd, p, unix.MSG_DONTWAIT)
}

func send(fd int, p []byte) (int, error) {
	return transfer(unix.SYS_SENDTO, fd, p, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

// transfer makes one of them; p is not empty.
func transfer(call uintptr, fd int, p []byte, flags uintptr) (int, error) {
	n, _, errno := unix.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// ready is how many of the sockets have something to do now; it does not wait.
func ready(epoll int, events []unix.EpollEvent) int {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
