package trouble

import (
	"sync"
	"time"
	"weak"

	"oriel/internal/journal"
	"oriel/internal/process"
)

// look is what there was when a caller last asked.
type look struct {
	at      time.Time
	log     weak.Pointer[journal.Journal] // positions in another project's log mean nothing
	journal uint64
	outputs map[string]output
	config  map[string]bool
}

// output is how far a process's output was read.
type output struct {
	process weak.Pointer[process.Process]
	next    uint64
}

func newLook(s Session) look {
	return look{at: time.Now(), log: weak.Make(s.Journal), outputs: map[string]output{}, config: map[string]bool{}}
}

func position(p *process.Process, next uint64) output { return output{weak.Make(p), next} }

// output is the number of the first line that is new; a process that replaced
// another of the same id counts its lines anew.
func (l look) output(id string, p *process.Process) uint64 {
	if o, ok := l.outputs[id]; ok && o.process == weak.Make(p) {
		return o.next
	}
	return 0
}

// caller is who asks, about what.
type caller struct {
	root, dir string
	scope     scope
}

// maxCallers bounds the memory of looks; the oldest is forgotten first, which
// makes its caller's next look a first one.
const maxCallers = 256

// memory is the last look of every caller, for as long as the program runs.
type memory struct {
	mu    sync.Mutex
	looks map[caller]look
}

var looks = memory{looks: map[caller]look{}}

// last is what the caller saw last of what it asks about: a look at everything
// was a look at each part.
func (m *memory) last(s Session, sc scope) look {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.looks[caller{s.Root, s.From.Dir, sc}]
	if all := m.looks[caller{s.Root, s.From.Dir, scope{}}]; all.at.After(l.at) {
		l = all
	}
	if l.log != weak.Make(s.Journal) {
		return look{}
	}
	return l
}

func (m *memory) remember(s Session, sc scope, l look) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.looks) >= maxCallers {
		var oldest caller
		first := true
		for c, o := range m.looks {
			if first || o.at.Before(m.looks[oldest].at) {
				oldest, first = c, false
			}
		}
		delete(m.looks, oldest)
	}
	m.looks[caller{s.Root, s.From.Dir, sc}] = l
}
