// Package look remembers how far each caller has seen what happened, so that
// "new since my last call" means the same in every tool that answers it.
package look

import (
	"sync"
	"time"
	"weak"

	"oriel/internal/process"
)

// Look is what there was when a caller asked.
type Look struct {
	At      time.Time // zero: it never asked
	Journal uint64    // the last entry of the log
	Config  map[string]bool

	outputs map[string]output
}

// output is how far a process's output was read.
type output struct {
	process weak.Pointer[process.Process]
	next    uint64
}

// New is a look taken now, with nothing seen yet.
func New() Look {
	return Look{At: time.Now(), Config: map[string]bool{}, outputs: map[string]output{}}
}

// Read notes that the output of p, the process of that id, was seen up to next.
func (l Look) Read(id string, p *process.Process, next uint64) {
	l.outputs[id] = output{weak.Make(p), next}
}

// Output is the number of the first line that is new; a process that replaced
// another of the same id counts its lines anew.
func (l Look) Output(id string, p *process.Process) uint64 {
	if o, ok := l.outputs[id]; ok && o.process == weak.Make(p) {
		return o.next
	}
	return 0
}

// Scope is what a call asks about; both empty: everything.
type Scope struct{ Process, Proxy string }

// caller is who asks, about what.
type caller struct {
	dir   string
	scope Scope
}

// maxCallers bounds the memory; the oldest look is forgotten first, which makes
// its caller's next look a first one.
const maxCallers = 256

// Memory is the last look of every caller of one project. The zero value is
// ready.
type Memory struct {
	mu    sync.Mutex
	looks map[caller]Look
}

// Last is what the caller in dir saw last of what it asks about: a look at
// everything was a look at each part.
func (m *Memory) Last(dir string, sc Scope) Look {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.looks[caller{dir, sc}]
	if all := m.looks[caller{dir, Scope{}}]; all.At.After(l.At) {
		l = all
	}
	return l
}

// Remember makes l the last look of the caller in dir.
func (m *Memory) Remember(dir string, sc Scope, l Look) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.looks == nil {
		m.looks = map[caller]Look{}
	}
	if len(m.looks) >= maxCallers {
		var oldest caller
		first := true
		for c, o := range m.looks {
			if first || o.At.Before(m.looks[oldest].At) {
				oldest, first = c, false
			}
		}
		delete(m.looks, oldest)
	}
	m.looks[caller{dir, sc}] = l
}
