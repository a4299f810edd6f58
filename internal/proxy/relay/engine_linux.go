package relay

import (
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// engine serves pairs with one loop, which lives from the first pair to the
// last.
type engine struct {
	mu   sync.Mutex
	loop *loop // nil while there is no pair
}

// run serves a pair; false when these connections are not for it. Then nothing
// has happened to them.
func (e *engine) run(p *Pair) (Sums, error, bool) {
	j, ok := newJoint(p)
	if !ok {
		return Sums{}, nil, false
	}
	l, err := e.hand(order{what: join, joint: j})
	if err == nil {
		err = <-j.joined
	}
	if err != nil {
		unix.Close(j.a.fd)
		unix.Close(j.b.fd)
		return Sums{}, nil, false
	}
	// From here the connections are the loop's: Go's own poller is not to be
	// woken by them as well.
	if !p.served(func() { l.post(order{what: cut, joint: j}) }) {
		l.post(order{what: cut, joint: j})
	}
	p.a.Conn.Close()
	p.b.Conn.Close()
	<-j.done
	return Sums{AToB: j.a.out.n, BToA: j.b.out.n}, j.err, true
}

// hand gives an order to the loop, and starts one when there is none.
func (e *engine) hand(o order) (*loop, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loop == nil {
		l, err := newLoop(e)
		if err != nil {
			return nil, err
		}
		e.loop = l
		go l.run()
	}
	e.loop.pairs++
	e.loop.post(o)
	return e.loop, nil
}

// newJoint takes descriptors of both connections that are ours alone.
func newJoint(p *Pair) (*joint, bool) {
	a, ok := duplicate(p.a.Conn)
	if !ok {
		return nil, false
	}
	b, ok := duplicate(p.b.Conn)
	if !ok {
		unix.Close(a)
		return nil, false
	}
	return link(a, b, p.a, p.b, p.group.patience()), true
}

// link makes the two directions between two descriptors.
func link(a, b int, from, to End, patience time.Duration) *joint {
	j := &joint{joined: make(chan error, 1), done: make(chan struct{}), patience: patience}
	j.a = side{fd: a, joint: j}
	j.b = side{fd: b, joint: j}
	j.a.out = flow{src: &j.a, dst: &j.b, held: from.Head}
	j.b.out = flow{src: &j.b, dst: &j.a, held: to.Head}
	j.a.in, j.b.in = &j.b.out, &j.a.out
	return j
}

func duplicate(c net.Conn) (fd int, ok bool) {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return 0, false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	var dup error
	err = raw.Control(func(orig uintptr) { fd, dup = unix.FcntlInt(orig, unix.F_DUPFD_CLOEXEC, 0) })
	return fd, err == nil && dup == nil
}
