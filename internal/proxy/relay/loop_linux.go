package relay

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// loop serves the pairs of a group on one goroutine. It waits with an epoll of
// its own, level-triggered: what is not read now is told again, so a read that
// finds nothing is never made.
//
// Everything but the queue belongs to the goroutine.
type loop struct {
	engine *engine
	pairs  int // handed to the loop and not ended; guarded by engine.mu
	epoll  int
	bell   int // eventfd: orders are waiting

	mu     sync.Mutex
	orders []order
	deaf   bool // the loop has ended

	sides   []*side // by the number epoll knows them by; [0] is the bell
	free    []int32
	ended   []*joint // in this turn
	resting []*flow  // torrents; the first is the first to be read again
	events  [128]unix.EpollEvent
	buf     [bufSize]byte
}

type order struct {
	what  int
	joint *joint
}

const (
	join   = iota
	cut    // by Close
	silent // one direction has ended a while ago
)

// joint is a pair as the loop knows it.
type joint struct {
	a, b     side
	patience time.Duration
	joined   chan error
	done     chan struct{}
	err      error // set before done is closed

	over  bool
	timer *time.Timer // runs once one direction has ended
	heard int64       // bytes passed when the timer was set
}

func newLoop(e *engine) (*loop, error) {
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create an epoll: %w", err)
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		unix.Close(ep)
		return nil, fmt.Errorf("create an eventfd: %w", err)
	}
	l := &loop{engine: e, epoll: ep, bell: bell, sides: make([]*side, 1, 16)}
	if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, bell, &unix.EpollEvent{Events: unix.EPOLLIN}); err != nil {
		l.close()
		return nil, fmt.Errorf("watch an eventfd: %w", err)
	}
	return l, nil
}

func (l *loop) close() {
	unix.Close(l.epoll)
	unix.Close(l.bell)
}

// post leaves an order and rings. A loop that has ended obeys nothing.
func (l *loop) post(o order) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.deaf {
		return
	}
	l.orders = append(l.orders, o)
	if len(l.orders) == 1 {
		var one [8]byte
		binary.NativeEndian.PutUint64(one[:], 1)
		unix.Write(l.bell, one[:])
	}
}

// run serves until the last pair has ended.
func (l *loop) run() {
	for {
		n, err := l.wait()
		rang := false
		if err != nil && err != unix.EINTR {
			l.fail(fmt.Errorf("wait for connections: %w", err))
			rang = true // nothing else will say so
		}
		for i := range max(0, n) {
			if slot := l.events[i].Fd; slot == 0 {
				rang = true
			} else if s := l.sides[slot]; s != nil { // nil: ended in this turn
				l.serve(s, l.events[i].Events)
			}
		}
		if rang {
			l.obey()
		}
		if len(l.ended) > 0 && l.bury() {
			return
		}
	}
}

// obey does what was ordered.
func (l *loop) obey() {
	var b [8]byte
	l.mu.Lock()
	unix.Read(l.bell, b[:])
	orders := l.orders
	l.orders = nil
	l.mu.Unlock()
	for _, o := range orders {
		switch j := o.joint; {
		case o.what == join:
			j.joined <- l.join(j)
		case j.over:
		case o.what == silent && j.a.out.n+j.b.out.n != j.heard:
			l.await(j)
		default:
			l.finish(j, nil)
		}
	}
}

// join takes a pair in, and sends what was read of its ends before. An error
// means that it was not taken in; its descriptors are then the caller's.
func (l *loop) join(j *joint) error {
	for _, s := range [...]*side{&j.a, &j.b} {
		l.number(s)
		if err := l.update(s); err != nil {
			l.drop(j)
			return err
		}
	}
	l.push(&j.a.out)
	if !j.over {
		l.push(&j.b.out)
	}
	return nil
}

// number gives a side the number that epoll will tell.
func (l *loop) number(s *side) {
	if n := len(l.free); n > 0 {
		s.slot = l.free[n-1]
		l.free = l.free[:n-1]
		l.sides[s.slot] = s
		return
	}
	s.slot = int32(len(l.sides))
	l.sides = append(l.sides, s)
}

// await sets the timer that ends a pair of which one direction has ended and
// the other says nothing.
func (l *loop) await(j *joint) {
	j.heard = j.a.out.n + j.b.out.n
	j.timer = time.AfterFunc(j.patience, func() { l.post(order{what: silent, joint: j}) })
}

// finish ends a pair and closes its connections.
func (l *loop) finish(j *joint, err error) {
	j.err = err
	l.drop(j)
	unix.Close(j.a.fd)
	unix.Close(j.b.fd)
}

// drop forgets a pair. It is taken out of epoll by hand: closing does not do
// it while a process that is being started still has a copy.
func (l *loop) drop(j *joint) {
	j.over = true
	if j.timer != nil {
		j.timer.Stop()
	}
	for _, s := range [...]*side{&j.a, &j.b} {
		if s.watch != 0 {
			unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, s.fd, nil)
		}
		if s.slot != 0 {
			l.sides[s.slot] = nil
			l.free = append(l.free, s.slot)
		}
		s.out.release()
	}
	l.ended = append(l.ended, j)
}

// bury lets the pairs that ended in this turn go. With the last one the loop
// ends: true.
func (l *loop) bury() bool {
	e := l.engine
	e.mu.Lock()
	l.pairs -= len(l.ended)
	last := l.pairs == 0
	if last {
		e.loop = nil
	}
	e.mu.Unlock()
	if last {
		l.mu.Lock()
		l.deaf = true
		l.mu.Unlock()
		l.close()
	}
	for _, j := range l.ended {
		close(j.done)
	}
	l.ended = l.ended[:0]
	return last
}

// fail ends every pair.
func (l *loop) fail(err error) {
	for _, s := range l.sides {
		if s != nil {
			l.finish(s.joint, err)
		}
	}
}
