package process

import (
	"context"
	"fmt"
	"time"

	"oriel/internal/process/child"
)

// began records a freshly started child.
func (p *Process) began(c *child.Child) {
	p.mu.Lock()
	p.child = c
	p.urls = nil
	p.mu.Unlock()
	p.update(func(s *Status) {
		s.State, s.PID, s.StartedAt = StateStarting, c.PID(), c.Started
		s.ExitCode, s.Signal, s.LastError, s.Leftover = 0, "", "", 0
		s.ExitedAt, s.ReadyAt = time.Time{}, time.Time{}
		s.URL, s.URLs = "", nil
	})
}

// supervise cares for one run until its final state.
func (p *Process) supervise(r *run, c *child.Child, probe probe) {
	defer close(r.done)
	defer func() { close(r.quit); <-r.watched }()
	failures := 0
	for c != nil {
		if stopped := p.attend(r, c, probe); stopped {
			p.shutDown(r, c)
			return
		}
		c, probe = p.afterExit(r, c, &failures)
	}
}

// attend waits until the child has exited or is to be stopped, and has its
// readiness looked after meanwhile.
func (p *Process) attend(r *run, c *child.Child, probe probe) (stopped bool) {
	ctx, cancel := context.WithCancel(context.Background())
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		probe.watch(ctx, p, c)
	}()
	select {
	case <-c.Exited:
	case <-r.stop:
		stopped = true
	}
	cancel()
	<-probed
	return stopped
}

// shutDown ends the tree on request.
func (p *Process) shutDown(r *run, c *child.Child) {
	grace := p.spec.Grace
	select {
	case <-r.kill:
		grace = 0
	default:
	}
	if err := c.End(grace, r.kill); err != nil {
		p.update(func(s *Status) { s.State, s.LastError, s.Leftover = StateFailed, err.Error(), 1 })
		return
	}
	p.gone(c)
	p.out.Flush(time.Now())
	p.update(func(s *Status) {
		recordExit(s, c.Exit())
		s.State, s.Leftover = StateStopped, 0
	})
}

// recordExit writes how the child ended.
func recordExit(s *Status, e child.Exit) {
	s.ExitCode, s.Signal, s.ExitedAt = e.Code, e.Signal, e.At
}

// gone strikes a child whose tree is known to be empty.
func (p *Process) gone(c *child.Child) {
	c.Tree.Close()
	if p.ledger == nil {
		return
	}
	if err := p.ledger.Leave(c.Tree.Marker()); err != nil {
		p.out.Note("ledger: "+err.Error(), time.Now())
	}
}

// afterExit acts on an exit that nobody asked for. It returns the next child, or
// nil when the run is over.
func (p *Process) afterExit(r *run, c *child.Child, failures *int) (*child.Child, probe) {
	drained := c.Drain(child.DrainTime)
	p.out.Flush(time.Now())
	again := p.spec.Restart == RestartAlways || p.spec.Restart == RestartOnFailure && c.Exit().Failed()
	if !again {
		p.finish(r, c, drained)
		return nil, probe{}
	}
	// What the child left behind would be in the way of the next one.
	if err := c.End(p.spec.Grace, r.kill); err != nil {
		p.update(func(s *Status) {
			recordExit(s, c.Exit())
			s.State, s.LastError, s.Leftover = StateFailed, err.Error(), 1
		})
		return nil, probe{}
	}
	p.gone(c)
	p.out.Flush(time.Now())
	if c.Exit().At.Sub(c.Started) >= p.spec.Backoff.Stable {
		*failures = 0
	}
	return p.respawn(r, c, failures)
}

// finish settles the final state of a run that ended by itself, and stays while
// something it left behind still writes output.
func (p *Process) finish(r *run, c *child.Child, drained bool) {
	left := p.leftover(c, drained)
	p.update(func(s *Status) {
		recordExit(s, c.Exit())
		s.State, s.Leftover = StateExited, left
		if c.Exit().Failed() {
			s.State, s.LastError = StateFailed, c.Exit().String()
		}
	})
	select {
	case <-c.Pumped:
		p.out.Flush(time.Now())
		c.ClosePipes()
	case <-r.stop:
		p.stopLeftovers(r, c)
		return
	}
	if left > 0 && p.leftover(c, true) == 0 {
		p.update(func(s *Status) { s.Leftover = 0 })
	}
}

// leftover counts what is left of an exited child's tree now; most that was there
// at its exit was about to end too. An output that stays open has somebody who
// holds it, even if nobody can be found.
func (p *Process) leftover(c *child.Child, drained bool) int {
	left := c.Exit().Leftover
	if left > 0 || !drained {
		if members, err := c.Tree.Members(); err == nil {
			left = len(members)
		}
	}
	switch {
	case !drained:
		left = max(left, 1)
	case left == 0:
		p.gone(c)
	}
	return left
}

// stopLeftovers ends what the child left behind while its output is still open.
func (p *Process) stopLeftovers(r *run, c *child.Child) {
	grace := p.spec.Grace
	select {
	case <-r.kill:
		grace = 0
	default:
	}
	if err := c.End(grace, r.kill); err != nil {
		p.update(func(s *Status) { s.LastError = err.Error() })
		return
	}
	p.gone(c)
	p.out.Flush(time.Now())
	p.update(func(s *Status) { s.Leftover = 0 })
}

// respawn pauses and starts the next child, again and again while that fails. It
// returns nil when the run is to be stopped.
func (p *Process) respawn(r *run, c *child.Child, failures *int) (*child.Child, probe) {
	reason := c.Exit().String()
	for {
		*failures++
		pause := p.spec.Backoff.pause(*failures)
		p.update(func(s *Status) {
			recordExit(s, c.Exit())
			s.State, s.LastError = StateBackoff, reason
			s.Restarts++
		})
		p.mu.Lock()
		n := p.status.Restarts
		p.mu.Unlock()
		p.out.Note(fmt.Sprintf("--- %s; restart %d in %s ---", reason, n, pause), time.Now())
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-r.stop:
			timer.Stop()
			p.update(func(s *Status) { s.State = StateStopped })
			return nil, probe{}
		}
		probe := newProbe(p.spec.Ready)
		next, err := child.Start(p.spec.command(), p.out, p.ledger)
		if err == nil {
			p.began(next)
			return next, probe
		}
		reason = err.Error()
	}
}
