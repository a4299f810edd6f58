package process

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"oriel/internal/process/child"
	"oriel/internal/process/ledger"
	"oriel/internal/process/ring"
	"oriel/internal/process/tree"
)

// Process is a child under care. Its id and its output live on through restarts.
// Its owner calls Stop in the end, also when it has exited by itself: that ends
// what it left behind and waits for every goroutine.
type Process struct {
	spec   Spec
	events Events
	ledger *ledger.Ledger
	out    *ring.Ring

	restarting chan struct{} // holds one token: restarts do not overlap

	mu      sync.Mutex
	status  Status
	child   *child.Child // the last one started
	run     *run
	stops   int           // how often Stop was called; a restart in progress gives way
	changed chan struct{} // closed at the next change of status; nil when nobody waits
	pending []Status      // not yet reported
	urls    []found       // by the current child

	reporting sync.Mutex // held while Events are called: one at a time
	cursor    uint64     // the next line to report; guarded by reporting
}

// run is the life from a start by hand to a final state, over any number of
// automatic restarts. Its supervisor goroutine owns all others.
type run struct {
	stop, kill         chan struct{}
	stopOnce, killOnce sync.Once
	quit               chan struct{} // tells the watcher that nothing more will come
	watched            chan struct{} // closed when the watcher has reported everything
	done               chan struct{} // closed when all goroutines of the run are gone
}

func newRun() *run {
	return &run{
		stop: make(chan struct{}), kill: make(chan struct{}), quit: make(chan struct{}),
		watched: make(chan struct{}), done: make(chan struct{}),
	}
}

// request asks the supervisor to end the tree.
func (r *run) request(force bool) {
	if force {
		r.killOnce.Do(func() { close(r.kill) })
	}
	r.stopOnce.Do(func() { close(r.stop) })
}

// Start runs a child. It fails when the child cannot be started at all; what
// happens afterwards is in the status. The ledger may be nil.
func Start(spec Spec, events Events, led *Ledger) (*Process, error) {
	spec = spec.withDefaults()
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("start %q: %w", spec.Name, err)
	}
	p := &Process{
		spec: spec, events: events, ledger: led,
		out:        ring.New(spec.OutputBytes),
		restarting: make(chan struct{}, 1),
		status:     Status{ID: spec.ID, Name: spec.Name, Command: spec.Command(), Dir: spec.Dir},
		cursor:     1,
	}
	if err := p.launch(); err != nil {
		return nil, err
	}
	return p, nil
}

// launch starts the first child of a new run.
func (p *Process) launch() error {
	probe := newProbe(p.spec.Ready)
	c, err := child.Start(p.spec.command(), p.out, p.ledger)
	if err != nil {
		return err
	}
	r := newRun()
	p.mu.Lock()
	p.run = r
	p.mu.Unlock()
	p.began(c)
	go p.watch(r)
	go p.supervise(r, c, probe)
	return nil
}

// Stop ends the whole tree: politely, and by force after the grace time, or at
// once when force is set, also while a polite stop is under way. It returns when
// everything is gone and reported. When the context ends first, the stopping
// goes on without the caller. To stop what has ended is no error; what it left
// behind is ended then.
func (p *Process) Stop(ctx context.Context, force bool) error {
	p.mu.Lock()
	p.stops++
	r := p.run
	p.mu.Unlock()
	for {
		r.request(force)
		select {
		case <-r.done:
		case <-ctx.Done():
			return fmt.Errorf("stop %q: %w", p.spec.Name, context.Cause(ctx))
		}
		p.mu.Lock()
		same := p.run == r
		r = p.run
		p.mu.Unlock()
		if same {
			return p.endLeftovers(force)
		}
	}
}

// endLeftovers ends what is left of the last child's tree after its run.
func (p *Process) endLeftovers(force bool) error {
	p.mu.Lock()
	c, left := p.child, p.status.Leftover
	p.mu.Unlock()
	if left == 0 {
		return nil
	}
	grace := p.spec.Grace
	if force {
		grace = 0
	}
	if err := c.End(grace, nil); err != nil {
		return fmt.Errorf("stop %q: %w", p.spec.Name, err)
	}
	p.gone(c)
	p.update(func(s *Status) { s.Leftover = 0 })
	p.report()
	return nil
}

// Restart stops the tree if it runs and starts it anew, under the same id and
// with the output kept; a mark in the output tells the two apart.
func (p *Process) Restart(ctx context.Context) error {
	select {
	case p.restarting <- struct{}{}:
		defer func() { <-p.restarting }()
	case <-ctx.Done():
		return fmt.Errorf("restart %q: %w", p.spec.Name, context.Cause(ctx))
	}
	p.mu.Lock()
	stops, r := p.stops, p.run
	p.mu.Unlock()
	r.request(false)
	select {
	case <-r.done:
	case <-ctx.Done():
		return fmt.Errorf("restart %q: it is being stopped and was not started again: %w", p.spec.Name, context.Cause(ctx))
	}
	if err := p.endLeftovers(false); err != nil {
		return fmt.Errorf("restart %q: %w", p.spec.Name, err)
	}
	if p.stopsSince(stops) {
		return fmt.Errorf("restart %q: stopped meanwhile", p.spec.Name)
	}
	p.mu.Lock()
	p.status.Restarts++
	n := p.status.Restarts
	p.mu.Unlock()
	p.out.Note(fmt.Sprintf("--- restarted by request (restart %d) ---", n), time.Now())
	if err := p.launch(); err != nil {
		p.update(func(s *Status) { s.State, s.LastError = StateFailed, err.Error() })
		p.report()
		return fmt.Errorf("re%w", err)
	}
	if p.stopsSince(stops) {
		return p.giveWay()
	}
	return nil
}

func (p *Process) stopsSince(stops int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stops != stops
}

// giveWay ends a restart that a Stop overtook.
func (p *Process) giveWay() error {
	p.mu.Lock()
	r := p.run
	p.mu.Unlock()
	r.request(false)
	<-r.done
	return fmt.Errorf("restart %q: stopped meanwhile", p.spec.Name)
}

// Status returns what is known now.
func (p *Process) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snapshot()
}

// snapshot copies the status. Called with the lock held.
func (p *Process) snapshot() Status {
	s := p.status
	s.URLs = slices.Clone(s.URLs)
	switch {
	case s.StartedAt.IsZero():
	case s.ExitedAt.IsZero():
		s.Runtime = time.Since(s.StartedAt)
	default:
		s.Runtime = s.ExitedAt.Sub(s.StartedAt)
	}
	return s
}

// update changes the status and tells everybody.
func (p *Process) update(change func(*Status)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.status)
	if p.events.State != nil {
		p.pending = append(p.pending, p.snapshot())
	}
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// onChange returns a channel that is closed at the next change of status.
func (p *Process) onChange() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// Awaited reports whether the Spec says when the process is ready.
func (p *Process) Awaited() bool { return p.spec.Ready.explicit() }

// Output returns the kept output that fits the query, oldest first.
func (p *Process) Output(q Query) Output { return p.out.Query(q) }

// Stats is what the whole tree uses at the moment.
type Stats struct {
	tree.Usage
	Ports []Port `json:"ports"`
}

// Stats measures the tree. The processor share is over the time since the last
// call, or since the start for the first.
func (p *Process) Stats() (Stats, error) {
	p.mu.Lock()
	c := p.child
	p.mu.Unlock()
	usage, err := c.Tree.Usage(c.Started)
	if err != nil {
		return Stats{}, fmt.Errorf("measure %q: %w", p.spec.Name, err)
	}
	ports, err := c.Tree.Ports()
	if err != nil {
		return Stats{}, fmt.Errorf("measure %q: %w", p.spec.Name, err)
	}
	return Stats{Usage: usage, Ports: ports}, nil
}

// Owns reports whether the holder of a port belongs to this process's tree.
func (p *Process) Owns(h Holder) bool {
	p.mu.Lock()
	c := p.child
	p.mu.Unlock()
	return owns(c, h)
}

func owns(c *child.Child, h Holder) bool {
	if h.Marker != "" && h.Marker == c.Tree.Marker() {
		return true
	}
	members, err := c.Tree.Members()
	return err == nil && slices.ContainsFunc(members, func(m Member) bool { return m.Identity == h.Identity })
}
