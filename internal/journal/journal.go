package journal

import (
	"net/http"
	"slices"
	"sync"
)

// Limit bounds one kind of entries.
type Limit struct {
	Count int // most entries
	Bytes int // most bytes, by the estimate that Append makes of what an entry keeps alive
}

// Default bounds. Together they keep at most 31 MB alive, so that a daemon
// whose heap may double between two collections stays well under its budget.
const (
	HTTPCount, HTTPBytes               = 10_000, 16 << 20
	ErrorCount, ErrorBytes             = 2_000, 3 << 20
	ConsoleCount, ConsoleBytes         = 5_000, 6 << 20
	NavigationCount, NavigationBytes   = 1_000, 1 << 20
	PerformanceCount, PerformanceBytes = 4_000, 2 << 20
	ScreenshotCount, ScreenshotBytes   = 500, 1 << 19
	WebSocketCount, WebSocketBytes     = 1_000, 1 << 20
	ActionCount, ActionBytes           = 4_000, 3 << 19
)

// Limits says how much of each kind is kept; a kind that is left out has the
// default bound.
type Limits map[Kind]Limit

// Kinds lists every kind in the order in which answers name them.
func Kinds() []Kind {
	return slices.Clone(kinds[:])
}

var kinds = [...]Kind{
	KindHTTP, KindError, KindConsole, KindNavigation,
	KindPerformance, KindScreenshot, KindWebSocket, KindAction,
}

var defaults = [len(kinds)]Limit{
	{HTTPCount, HTTPBytes}, {ErrorCount, ErrorBytes}, {ConsoleCount, ConsoleBytes},
	{NavigationCount, NavigationBytes}, {PerformanceCount, PerformanceBytes},
	{ScreenshotCount, ScreenshotBytes}, {WebSocketCount, WebSocketBytes}, {ActionCount, ActionBytes},
}

// indexOf returns k's place in kinds, or -1.
func indexOf(k Kind) int {
	for i, known := range kinds {
		if k == known {
			return i
		}
	}
	return -1
}

// Journal is safe for concurrent use. Entries are immutable once appended, so
// readers hold the lock only while they copy references; a reader that is slow
// never holds a producer up.
type Journal struct {
	mu    sync.Mutex
	seq   uint64
	rings [len(kinds)]ring
	wake  chan struct{} // closed by the next Append; nil when nobody waits
}

// New returns an empty journal. A nil limits means the defaults.
func New(limits Limits) *Journal {
	j := &Journal{}
	for i, k := range kinds {
		j.rings[i].limit = defaults[i]
		if l, ok := limits[k]; ok {
			j.rings[i].limit = l
		}
	}
	return j
}

// Append stores e as the newest entry and returns the sequence number it was
// given. The caller gives up e's parts: nothing behind e may be written to
// afterwards. An entry of an unknown kind is not stored and gives 0.
func (j *Journal) Append(e Entry) uint64 {
	i := indexOf(e.Kind)
	if i < 0 {
		return 0
	}
	// Without the monotonic reading, so that times of entries from a page and
	// from the proxy compare on one clock.
	e.Time = e.Time.Round(0)
	size := sizeOf(&e)
	kept := &e

	j.mu.Lock()
	j.seq++
	seq := j.seq
	kept.Seq = seq
	j.rings[i].add(slot{kept, size})
	if j.wake != nil {
		close(j.wake)
		j.wake = nil
	}
	j.mu.Unlock()
	return seq
}

// Last returns the sequence number of the newest entry ever appended, the
// cursor from which a new reader follows.
func (j *Journal) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seq
}

// Clear removes the entries of the given kinds (none: all) that belong to
// proxy ("": any) and returns how many there were. They do not count as
// dropped.
func (j *Journal) Clear(proxy string, of ...Kind) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	removed := 0
	for i := range j.rings {
		if len(of) == 0 || slices.Contains(of, kinds[i]) {
			removed += j.rings[i].remove(func(e *Entry) bool {
				return proxy == "" || e.Proxy == proxy
			})
		}
	}
	return removed
}

// Usage is what a journal holds of one kind.
type Usage struct {
	Kind    Kind
	Count   int
	Bytes   int
	Dropped uint64 // pushed out by newer ones since the journal began
	Limit   Limit
}

// Usage tells what is held and what was dropped, for every kind.
func (j *Journal) Usage() []Usage {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Usage, len(kinds))
	for i := range j.rings {
		r := &j.rings[i]
		out[i] = Usage{kinds[i], r.n, r.bytes, r.dropped, r.limit}
	}
	return out
}

// Rough costs of Go's representation, measured on a full journal.
const (
	entryOverhead  = 160 + 48 // the Entry and its slot
	partOverhead   = 200      // the largest typed part
	headerOverhead = 120      // one header field: its map cell, slice and string headers
)

// sizeOf estimates the bytes that e keeps alive.
func sizeOf(e *Entry) int {
	n := entryOverhead + partOverhead
	switch {
	case e.HTTP != nil:
		h := e.HTTP
		n += len(h.URL) + len(h.Error) + cap(h.RequestBody.Data) + cap(h.ResponseBody.Data)
		n += headSize(h.RequestHead) + headSize(h.ResponseHead)
	case e.Error != nil:
		n += len(e.Error.Message) + len(e.Error.Stack) + len(e.Error.URL)
	case e.Console != nil:
		n += len(e.Console.Text) + len(e.Console.Stack)
	case e.Navigation != nil:
		n += len(e.Navigation.From) + len(e.Navigation.To)
	case e.Performance != nil:
		n += len(e.Performance.Name) + len(e.Performance.Target)
	case e.Screenshot != nil:
		n += len(e.Screenshot.Name) + len(e.Screenshot.Path)
	case e.WebSocket != nil:
		n += len(e.WebSocket.URL) + len(e.WebSocket.Protocol) + len(e.WebSocket.Error)
	case e.Action != nil:
		n += len(e.Action.Target)
	}
	return n
}

func headSize(h http.Header) int {
	n := 0
	for name, values := range h {
		n += headerOverhead + len(name)
		for _, v := range values {
			n += len(v)
		}
	}
	return n
}
