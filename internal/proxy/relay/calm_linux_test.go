package relay

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// calm waits until the group's loop has nothing to do and checks that it stays
// so: with a level-triggered epoll, what is not dealt with is told for ever.
func calm(t *testing.T, g *Group) {
	t.Helper()
	g.engine.mu.Lock()
	l := g.engine.loop
	g.engine.mu.Unlock()
	if l == nil {
		return // served by goroutines
	}
	deadline := time.Now().Add(20 * time.Second)
	for quiet := 0; quiet < 2000; quiet++ {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(l.epoll), Events: unix.POLLIN}}, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if ready > 0 {
			quiet = 0
		}
		if time.Now().After(deadline) {
			t.Fatal("the loop is never at rest")
		}
	}
}

// openFiles counts the process's descriptors.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
