package relay

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// until waits for a condition that must come true.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

// A group without pairs holds nothing, and one with pairs holds one descriptor
// per connection, two for itself and one goroutine besides its callers.
func TestHoldsNoMoreThanItNeeds(t *testing.T) {
	g := new(Group)
	start(t, g, bare).Close() // what the runtime opens once is open then
	until(t, "the loop goes on without pairs", func() bool { return g.idle() })
	files, routines := openFiles(t), runtime.NumGoroutine()
	var rigs []*rig
	for range 20 {
		r := start(t, g, bare)
		exchange(t, r.client, r.target, "up")
		exchange(t, r.target, r.client, "down")
		rigs = append(rigs, r)
	}
	calm(t, g)
	// Each rig holds four ends of its connections and runs in one goroutine.
	until(t, "too many descriptors", func() bool { return openFiles(t) == files+4*20+2 })
	if n := runtime.NumGoroutine(); n > routines+20+1 {
		t.Errorf("%d goroutines for 20 pairs", n-routines)
	}
	for _, r := range rigs {
		r.Close()
		r.wait(t)
		r.client.Close()
		r.target.Close()
	}
	if !g.idle() {
		t.Error("the loop goes on without pairs")
	}
	if n := openFiles(t); n != files {
		t.Errorf("%d descriptors are left", n-files)
	}
}

func (g *Group) idle() bool {
	g.engine.mu.Lock()
	defer g.engine.mu.Unlock()
	return g.engine.loop == nil
}

// What epoll cannot watch is given back, and the loop is not kept for it.
func TestRefusedByTheLoop(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	near, far := pipe(t)
	var e engine
	before := openFiles(t)
	fd, ok := duplicate(near)
	if !ok {
		t.Fatal("no descriptor")
	}
	j := link(fd, int(file.Fd()), End{}, End{}, lastWords)
	if _, err := e.hand(order{what: join, joint: j}); err != nil {
		t.Fatal(err)
	}
	if err := <-j.joined; err == nil {
		t.Fatal("a file was taken")
	}
	<-j.done
	if e.loop != nil {
		t.Error("the loop is kept")
	}
	if n := openFiles(t); n != before+1 {
		t.Errorf("%d descriptors more, want the duplicate", n-before)
	}
	exchange(t, near, far, "still open")
}

// A connection that cannot be taken over is served by goroutines.
func TestMixedPair(t *testing.T) {
	g := new(Group)
	first := true
	r := start(t, g, func(c *net.TCPConn) net.Conn {
		if first = !first; first {
			return wrapped{c}
		}
		return c
	})
	exchange(t, r.client, r.target, "up")
	exchange(t, r.target, r.client, "down")
	if !g.idle() {
		t.Error("the loop serves it")
	}
	r.client.Close()
	io.ReadAll(r.target)
}
