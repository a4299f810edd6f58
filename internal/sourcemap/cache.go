package sourcemap

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// Bounds of what a Resolver keeps.
const (
	maxCacheBytes   = 96 << 20
	maxCacheScripts = 2000
)

// cache keeps scripts by address, those not used longest out first. What it
// holds is asked for again when its time is over; until then the answer, a
// missing one too, stands.
type cache struct {
	now func() time.Time

	mu      sync.Mutex
	entries map[string]*list.Element
	order   *list.List // of *entry, most recently used first
	bytes   int
	flights map[string]*flight
}

type entry struct {
	address string
	script  *script // nil: there is none
	bytes   int
	until   time.Time
}

// flight is a script being fetched; those who come later wait for it.
type flight struct {
	done   chan struct{}
	script *script
	// lost: whoever fetched gave up, and the next has to.
	lost bool
}

// builder makes a script, or finds that old still holds, and says for how long.
type builder func(ctx context.Context, address string, old *script) (*script, time.Duration, error)

func newCache(now func() time.Time) cache {
	return cache{now: now, entries: map[string]*list.Element{}, order: list.New(), flights: map[string]*flight{}}
}

// get returns the script at address; an empty one when there is none or ctx
// ends first.
func (c *cache) get(ctx context.Context, address string, build builder) *script {
	for ctx.Err() == nil {
		s, f, mine := c.look(address)
		if s != nil {
			return s
		}
		if mine {
			c.fly(ctx, address, f, build)
		}
		select {
		case <-f.done:
			if !f.lost {
				return f.script
			}
			if mine {
				return new(script)
			}
		case <-ctx.Done():
		}
	}
	return new(script)
}

// look returns what is kept, or the flight to wait for and whether the caller
// has to fly it.
func (c *cache) look(address string) (*script, *flight, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[address]; ok {
		c.order.MoveToFront(el)
		if e := el.Value.(*entry); c.now().Before(e.until) {
			if e.script == nil {
				return new(script), nil, false
			}
			return e.script, nil, false
		}
	}
	if f, ok := c.flights[address]; ok {
		return nil, f, false
	}
	f := &flight{done: make(chan struct{})}
	c.flights[address] = f
	return nil, f, true
}

// fly builds the script on the caller's time. A failure leaves what was known:
// a server that is restarting still has the same sources.
func (c *cache) fly(ctx context.Context, address string, f *flight, build builder) {
	f.script, f.lost = new(script), true
	defer func() {
		c.mu.Lock()
		delete(c.flights, address)
		c.mu.Unlock()
		close(f.done)
	}()
	var old *script
	c.mu.Lock()
	if el, ok := c.entries[address]; ok {
		old = el.Value.(*entry).script
	}
	c.mu.Unlock()
	s, keep, err := build(ctx, address, old)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s = old
	}
	c.put(address, s, keep)
	if f.lost = false; s != nil {
		f.script = s
	}
}

func (c *cache) put(address string, s *script, keep time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &entry{address: address, script: s, until: c.now().Add(keep), bytes: 256 + len(address)}
	if s != nil {
		e.bytes += s.size()
	}
	if el, ok := c.entries[address]; ok {
		c.bytes -= el.Value.(*entry).bytes
		c.order.Remove(el)
	}
	c.entries[address] = c.order.PushFront(e)
	c.bytes += e.bytes
	// The last one in stays even when it alone is too big: it is being used.
	for c.order.Len() > 1 && (c.bytes > maxCacheBytes || c.order.Len() > maxCacheScripts) {
		el := c.order.Back()
		gone := el.Value.(*entry)
		c.order.Remove(el)
		delete(c.entries, gone.address)
		c.bytes -= gone.bytes
	}
}
