package relay

import (
	"encoding/binary"
	"errors"
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

	sides  []*side // by the number epoll knows them by; [0] is the bell
	free   []int32
	ended  []*joint // in this turn
	events [128]unix.EpollEvent
	buf    [bufSize]byte
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

// side is one connection.
type side struct {
	fd    int
	slot  int32
	watch uint32 // what epoll looks for here; 0: not in it
	out   flow   // what is read here
	in    *flow  // what is written here
	joint *joint
}

// flow is one direction.
type flow struct {
	src, dst *side
	held     []byte // read and not yet written; src is not read meanwhile
	buf      *[bufSize]byte
	n        int64 // bytes written
	eof      bool  // src has ended
	shut     bool  // and dst was told
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
		n, err := unix.EpollWait(l.epoll, l.events[:], -1)
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

// serve does what epoll says can be done. A connection that is broken is told
// whatever was asked for; the read or write then says how.
func (l *loop) serve(s *side, events uint32) {
	const broken = unix.EPOLLHUP | unix.EPOLLERR
	if s.watch&unix.EPOLLOUT != 0 && events&(unix.EPOLLOUT|broken) != 0 {
		l.push(s.in)
	}
	if !s.joint.over && s.watch&unix.EPOLLIN != 0 && events&(unix.EPOLLIN|broken) != 0 {
		l.pull(&s.out)
	}
}

// pull reads once and passes it on. One read a turn: no pair waits for long
// behind another that floods.
func (l *loop) pull(f *flow) {
	n, err := unix.Read(f.src.fd, l.buf[:])
	switch {
	case again(err):
	case err != nil:
		l.finish(f.src.joint, fmt.Errorf("read: %w", err))
	case n == 0:
		f.eof = true
		l.settle(f)
	default:
		w, err := l.write(f, l.buf[:n])
		if err == nil && w < n {
			f.buf = buffers.Get().(*[bufSize]byte)
			f.held = f.buf[:copy(f.buf[:], l.buf[w:n])]
			l.settle(f)
		}
	}
}

// push writes what is held.
func (l *loop) push(f *flow) {
	if len(f.held) > 0 {
		n, err := l.write(f, f.held)
		if err != nil {
			return
		}
		if f.held = f.held[n:]; len(f.held) > 0 {
			return
		}
		f.release()
	}
	l.settle(f)
}

// write sends as much as the connection takes. An error has ended the pair.
func (l *loop) write(f *flow, p []byte) (int, error) {
	n, err := unix.Write(f.dst.fd, p)
	if again(err) {
		return 0, nil
	}
	if err != nil {
		l.finish(f.src.joint, fmt.Errorf("write: %w", err))
		return 0, err
	}
	f.n += int64(n)
	return n, nil
}

func again(err error) bool { return err == unix.EAGAIN || err == unix.EINTR }

// settle passes an end on when everything before it was, and has epoll look
// for what the pair waits for now.
func (l *loop) settle(f *flow) {
	j := f.src.joint
	if f.eof && len(f.held) == 0 && !f.shut {
		f.shut = true
		unix.Shutdown(f.dst.fd, unix.SHUT_WR) // fails on a broken one: reading will tell
		if j.a.out.shut && j.b.out.shut {
			l.finish(j, nil)
			return
		}
		l.await(j)
	}
	if err := errors.Join(l.update(f.src), l.update(f.dst)); err != nil {
		l.finish(j, err)
	}
}

// update tells epoll what to look for at a side. One that waits for nothing is
// taken out: a broken connection would be told over and over.
func (l *loop) update(s *side) error {
	var watch uint32
	if !s.out.eof && len(s.out.held) == 0 {
		watch |= unix.EPOLLIN
	}
	if len(s.in.held) > 0 {
		watch |= unix.EPOLLOUT
	}
	if watch == s.watch {
		return nil
	}
	op := unix.EPOLL_CTL_MOD
	switch {
	case watch == 0:
		op = unix.EPOLL_CTL_DEL
	case s.watch == 0:
		op = unix.EPOLL_CTL_ADD
	}
	if err := unix.EpollCtl(l.epoll, op, s.fd, &unix.EpollEvent{Events: watch, Fd: s.slot}); err != nil {
		return fmt.Errorf("watch a connection: %w", err)
	}
	s.watch = watch
	return nil
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

func (f *flow) release() {
	f.held = nil
	if f.buf != nil {
		buffers.Put(f.buf)
		f.buf = nil
	}
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
