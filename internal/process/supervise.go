package process

import (
	"context"
	"fmt"
	"time"
)

// began records a freshly started child.
func (p *Process) began(c *child) {
	p.mu.Lock()
	p.child = c
	p.urls = nil
	p.mu.Unlock()
	p.update(func(s *Status) {
		s.State, s.PID, s.StartedAt = StateStarting, c.cmd.Process.Pid, c.started
		s.ExitCode, s.Signal, s.LastError, s.Leftover = 0, "", "", 0
		s.ExitedAt, s.ReadyAt = time.Time{}, time.Time{}
		s.URL, s.URLs = "", nil
	})
}

// supervise cares for one run until its final state.
func (p *Process) supervise(r *run, c *child, probe probe) {
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
func (p *Process) attend(r *run, c *child, probe probe) (stopped bool) {
	ctx, cancel := context.WithCancel(context.Background())
	probed := make(chan struct{})
	go func() {
		defer close(probed)
		probe.watch(ctx, p, c)
	}()
	select {
	case <-c.exited:
	case <-r.stop:
		stopped = true
	}
	cancel()
	<-probed
	return stopped
}

// shutDown ends the tree on request.
func (p *Process) shutDown(r *run, c *child) {
	grace := p.spec.Grace
	select {
	case <-r.kill:
		grace = 0
	default:
	}
	if err := c.end(grace, r.kill); err != nil {
		p.update(func(s *Status) { s.State, s.LastError, s.Leftover = StateFailed, err.Error(), 1 })
		return
	}
	p.gone(c)
	p.out.Flush(time.Now())
	p.update(func(s *Status) {
		c.recordExit(s)
		s.State, s.Leftover = StateStopped, 0
	})
}

// recordExit writes how the child ended.
func (c *child) recordExit(s *Status) {
	s.ExitCode, s.Signal, s.ExitedAt = c.code, c.signal, c.exitedAt
}

// ending words how the child ended.
func (c *child) ending() string {
	if c.signal != "" {
		return "killed by " + c.signal
	}
	return fmt.Sprintf("exited with code %d", c.code)
}

// failed reports whether the child ended otherwise than well.
func (c *child) failed() bool { return c.signal != "" || c.code != 0 }

// gone strikes a child whose tree is known to be empty.
func (p *Process) gone(c *child) {
	c.tree.Close()
	if p.ledger == nil {
		return
	}
	if err := p.ledger.Leave(c.tree.Marker()); err != nil {
		p.out.Note("ledger: "+err.Error(), time.Now())
	}
}

// afterExit acts on an exit that nobody asked for. It returns the next child, or
// nil when the run is over.
func (p *Process) afterExit(r *run, c *child, failures *int) (*child, probe) {
	drained := c.drain(drainTime)
	p.out.Flush(time.Now())
	again := p.spec.Restart == RestartAlways || p.spec.Restart == RestartOnFailure && c.failed()
	if !again {
		p.finish(r, c, drained)
		return nil, probe{}
	}
	// What the child left behind would be in the way of the next one.
	if err := c.end(p.spec.Grace, r.kill); err != nil {
		p.update(func(s *Status) {
			c.recordExit(s)
			s.State, s.LastError, s.Leftover = StateFailed, err.Error(), 1
		})
		return nil, probe{}
	}
	p.gone(c)
	p.out.Flush(time.Now())
	if c.exitedAt.Sub(c.started) >= p.spec.Backoff.Stable {
		*failures = 0
	}
	return p.respawn(r, c, failures)
}

// finish settles the final state of a run that ended by itself, and stays while
// something it left behind still writes output.
func (p *Process) finish(r *run, c *child, drained bool) {
	left := p.leftover(c, drained)
	p.update(func(s *Status) {
		c.recordExit(s)
		s.State, s.Leftover = StateExited, left
		if c.failed() {
			s.State, s.LastError = StateFailed, c.ending()
		}
	})
	select {
	case <-c.pumped:
		p.out.Flush(time.Now())
		c.closePipes()
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
func (p *Process) leftover(c *child, drained bool) int {
	left := c.leftover
	if left > 0 || !drained {
		if members, err := c.tree.Members(); err == nil {
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
func (p *Process) stopLeftovers(r *run, c *child) {
	grace := p.spec.Grace
	select {
	case <-r.kill:
		grace = 0
	default:
	}
	if err := c.end(grace, r.kill); err != nil {
		p.update(func(s *Status) { s.LastError = err.Error() })
		return
	}
	p.gone(c)
	p.out.Flush(time.Now())
	p.update(func(s *Status) { s.Leftover = 0 })
}

// respawn pauses and starts the next child, again and again while that fails. It
// returns nil when the run is to be stopped.
func (p *Process) respawn(r *run, c *child, failures *int) (*child, probe) {
	reason := c.ending()
	for {
		*failures++
		pause := p.spec.Backoff.pause(*failures)
		p.update(func(s *Status) {
			c.recordExit(s)
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
		next, err := spawn(p.spec, p.out, p.ledger)
		if err == nil {
			p.began(next)
			return next, probe
		}
		reason = err.Error()
	}
}
