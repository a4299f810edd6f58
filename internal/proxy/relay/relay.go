// Package relay carries the bytes of two connections to each other until both
// are done.
//
// On Linux one goroutine serves all pairs of plain TCP connections of a Group
// (loop_linux.go): a message costs one read, one write and a share of one
// wait. Two goroutines per pair, which is what serves everything else, cost a
// read that finds nothing and two turns of the scheduler on top of that.
package relay

import (
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// lastWords is how long one direction may be silent after the other has ended.
const lastWords = 30 * time.Second

// Group is the pairs that are served together. The zero value is ready; it
// holds no goroutine and no descriptor while no pair runs.
type Group struct {
	engine    engine
	lastWords time.Duration // 0 is the constant's value
}

// End is one connection, and what was already read from it.
type End struct {
	Conn net.Conn
	Head []byte
}

// Pair is two connections that belong to each other.
type Pair struct {
	group *Group
	a, b  End

	mu  sync.Mutex
	cut func() // what Close does besides; nil until the pair is served
	end bool   // Close was called
}

// Sums is how many bytes were passed on.
type Sums struct{ AToB, BToA int64 }

// Pair takes two connections over.
func (g *Group) Pair(a, b End) *Pair { return &Pair{group: g, a: a, b: b} }

// Run carries bytes both ways until both ends are done or Close is called, and
// closes both. The end of one direction is passed on as such; an error ends
// both at once. Of a connection that does not take what it is sent, no more
// than one buffer is held, and the other one is not read meanwhile. The error
// is nil when the connections ended as connections do.
func (p *Pair) Run() (Sums, error) {
	defer p.a.Conn.Close()
	defer p.b.Conn.Close()
	if sums, err, ok := p.group.engine.run(p); ok {
		return sums, ended(err)
	}
	return p.copyBoth()
}

// Close ends the pair. It may be called at any time, and does not wait for Run.
func (p *Pair) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end = true
	if p.cut != nil {
		p.cut()
	}
	return errors.Join(p.a.Conn.Close(), p.b.Conn.Close())
}

// served says what ends the pair; false when Close came first.
func (p *Pair) served(cut func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
	return !p.end
}

func (g *Group) patience() time.Duration {
	if g.lastWords > 0 {
		return g.lastWords
	}
	return lastWords
}

// ended keeps the errors that tell something: a connection that one side cut
// is how most WebSockets end.
func ended(err error) error {
	var ne net.Error
	switch {
	case err == nil, errors.Is(err, net.ErrClosed), errors.Is(err, io.EOF), isReset(err):
		return nil
	case errors.As(err, &ne) && ne.Timeout():
		return nil
	}
	return err
}
