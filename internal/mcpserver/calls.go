package mcpserver

import (
	"context"
	"sync"
)

// calls are the calls that run, by session, so that the end of a session can
// end them: the SDK waits for them instead.
type calls struct {
	mu      sync.Mutex
	next    int
	running map[int]running
}

type running struct {
	session string
	cancel  context.CancelFunc
}

// start gives a call a context that ends with the call's own, with life, and
// with its session; done must be called when the call is over.
func (c *calls) start(ctx, life context.Context, session string) (_ context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(life, cancel)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = make(map[int]running)
	}
	c.next++
	id := c.next
	c.running[id] = running{session, cancel}
	return ctx, func() {
		unhook()
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, id)
	}
}

// cancel ends the calls of one session.
func (c *calls) cancel(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.running {
		if r.session == session {
			r.cancel()
		}
	}
}

// gate counts those inside and, once closed, lets nobody in.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.inside.Add(1)
	}
	return !g.closed
}

func (g *gate) leave() { g.inside.Done() }

// close waits until everyone has left.
func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
