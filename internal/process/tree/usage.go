package tree

import (
	"time"
)

// Usage is what a whole tree uses.
type Usage struct {
	// CPU is in percent of one processor, over Window: the time since the previous
	// measurement of this tree, or since the root's start for the first.
	CPU    float64       `json:"cpu"`
	Window time.Duration `json:"windowNs"`
	// RSS is the sum of the members' resident memory; pages they share count for
	// each of them.
	RSS     uint64   `json:"rss"`
	Members []Member `json:"members"`
}

// minWindow is the shortest time a processor share is computed over; asked
// sooner, the last answer stands.
const minWindow = 250 * time.Millisecond

// sample is the state between two measurements.
type sample struct {
	at   time.Time
	cpu  map[key]time.Duration
	last float64
	over time.Duration
}

// Usage measures the tree. started is when the root was started.
func (t *Tree) Usage(started time.Time) (Usage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	procs, err := t.scan()
	if err != nil {
		return Usage{}, err
	}
	fillUsage(procs)
	now, boot := time.Now(), bootID()
	var u Usage
	var used time.Duration
	cpu := make(map[key]time.Duration, len(procs))
	for _, p := range procs {
		k := key{p.pid, p.start}
		cpu[k] = p.cpu
		used += max(p.cpu-t.sample.cpu[k], 0)
		u.RSS += p.rss
		u.Members = append(u.Members, Member{Identity: Identity{PID: p.pid, Start: p.start, Boot: boot}, Parent: p.parent, Name: p.name})
	}
	from := t.sample.at
	if from.IsZero() {
		from = started
	}
	if window := now.Sub(from); window >= minWindow || t.sample.at.IsZero() {
		t.sample = sample{at: now, cpu: cpu, over: window}
		if window > 0 {
			t.sample.last = 100 * float64(used) / float64(window)
		}
	}
	u.CPU, u.Window = t.sample.last, t.sample.over
	return u, nil
}
