package relay

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const bufSize = 128 << 10

// buffers are for what a connection does not take at once.
var buffers = sync.Pool{New: func() any { return new([bufSize]byte) }}

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

	reads int       // small ones since the last of the other direction
	since time.Time // the first of them
	rests bool      // src is not read for the moment
	until time.Time
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
	n, err := receive(f.src.fd, l.buf[:])
	switch {
	case again(err):
	case err != nil:
		l.finish(f.src.joint, fmt.Errorf("read: %w", err))
	case n == 0:
		f.eof = true
		l.settle(f)
	default:
		w, err := l.write(f, l.buf[:n])
		if err != nil {
			return
		}
		if w < n {
			f.buf = buffers.Get().(*[bufSize]byte)
			f.held = f.buf[:copy(f.buf[:], l.buf[w:n])]
		}
		if f.torrent(n) {
			l.rest(f)
		}
		if w < n || f.rests {
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
	n, err := send(f.dst.fd, p)
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
	if !s.out.eof && len(s.out.held) == 0 && !s.out.rests {
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

func (f *flow) release() {
	f.held = nil
	if f.buf != nil {
		buffers.Put(f.buf)
		f.buf = nil
	}
}
