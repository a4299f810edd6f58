// Package ring keeps the newest output of a child process, bounded by bytes.
//
// Raw bytes of two streams go in through Write; clean lines come out through
// Query, Read and Wait. Writing never waits for a reader beyond the copying of
// memory under one lock, and allocates nothing per line: texts lie in one
// circular buffer, so a child that prints without end costs a fixed amount of
// memory. What had to go is counted.
package ring

import (
	"context"
	"strconv"
	"sync"
	"time"
)

// Stream says where a line came from.
type Stream string

// The streams. Note is for remarks of the supervisor itself, such as a restart
// mark; a child cannot write to it.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	Note   Stream = "note"
)

// Line is one line of output, cleaned: valid UTF-8, no control characters but
// tab, no escape sequences, only the last state of a carriage-return progress
// line.
type Line struct {
	Seq    uint64    `json:"seq"` // position in the output, from 1; never reused. A partial line has the number it may get
	Time   time.Time `json:"time"`
	Stream Stream    `json:"stream"`
	Text   string    `json:"text"` // a cut line ends with how many bytes are missing
	Cut    int64     `json:"cut,omitempty"`
	// Partial: the child has not ended this line yet.
	Partial bool `json:"partial,omitempty"`
}

// Limits of a ring.
const (
	DefaultBytes = 2 << 20  // what a ring holds unless told otherwise
	MaxLine      = 64 << 10 // longer lines are cut to this
	// lineCost is charged to every line beside its text, so that a flood of
	// empty lines is bounded too.
	lineCost = 32
	minBytes = 4 << 10
)

type streamIndex uint8

const (
	iStdout streamIndex = iota
	iStderr
	iNote
)

var streamNames = [...]Stream{iStdout: Stdout, iStderr: Stderr, iNote: Note}

func indexOf(s Stream) streamIndex {
	switch s {
	case Stderr:
		return iStderr
	case Note:
		return iNote
	default:
		return iStdout
	}
}

// meta is one line without its text.
type meta struct {
	at     int64  // unix nanoseconds
	off    uint64 // of the text, counted from the first byte ever kept
	n      uint32
	stream streamIndex
	cut    int64
}

// Ring holds the newest lines. The zero value is not usable; see New.
type Ring struct {
	mu    sync.Mutex
	max   int    // bound on text plus lineCost per line
	buf   []byte // circular: the byte at offset o lies at o % len(buf)
	end   uint64 // offset after the newest text
	lines []meta // circular: line seq lies at seq % len(lines)
	first uint64 // seq of the oldest line held
	next  uint64 // seq of the next line
	cost  int    // what the held lines are charged

	droppedLines uint64
	droppedBytes uint64

	open [2]cleaner    // the unfinished lines of stdout and stderr
	wake chan struct{} // closed at the next change; nil when nobody waits
}

// New returns a ring that holds at most size bytes (DefaultBytes when size <= 0).
func New(size int) *Ring {
	if size <= 0 {
		size = DefaultBytes
	}
	return &Ring{max: max(size, minBytes), first: 1, next: 1}
}

// Write takes the next bytes of a stream, cut anywhere.
func (r *Ring) Write(s Stream, p []byte, now time.Time) {
	if len(p) == 0 {
		return
	}
	i := indexOf(s)
	if i > iStderr {
		return
	}
	at := now.UnixNano()
	r.mu.Lock()
	c := &r.open[i]
	for len(p) > 0 {
		n, ended := c.feed(p)
		p = p[n:]
		if ended {
			r.commit(i, c, at)
		}
	}
	c.at = at
	r.changed()
	r.mu.Unlock()
}

// Note appends a remark of the supervisor. Unfinished lines are ended first, so
// that a mark never lands inside a line.
func (r *Ring) Note(text string, now time.Time) {
	var c cleaner
	c.feed([]byte(text))
	at := now.UnixNano()
	r.mu.Lock()
	r.flush(at)
	r.commit(iNote, &c, at)
	r.changed()
	r.mu.Unlock()
}

// Flush ends the unfinished lines of both streams, as when a child has gone.
func (r *Ring) Flush(now time.Time) {
	r.mu.Lock()
	r.flush(now.UnixNano())
	r.changed()
	r.mu.Unlock()
}

func (r *Ring) flush(at int64) {
	for i := range r.open {
		c := &r.open[i]
		if c.pending() {
			r.commit(streamIndex(i), c, at)
		}
		c.reset()
	}
}

// commit makes the cleaner's line the newest line of the ring.
func (r *Ring) commit(s streamIndex, c *cleaner, at int64) {
	text, cut := c.take()
	r.makeRoom(len(text) + lineCost)
	r.growText(len(text))
	r.growLines()
	if n := len(text); n > 0 {
		at := int(r.end % uint64(len(r.buf)))
		k := copy(r.buf[at:], text)
		copy(r.buf, text[k:])
	}
	r.lines[r.next%uint64(len(r.lines))] = meta{at: at, off: r.end, n: uint32(len(text)), stream: s, cut: cut}
	r.end += uint64(len(text))
	r.next++
	r.cost += len(text) + lineCost
	c.clear()
}

// makeRoom drops the oldest lines until need more fits.
func (r *Ring) makeRoom(need int) {
	for r.cost+need > r.max && r.first < r.next {
		m := &r.lines[r.first%uint64(len(r.lines))]
		r.cost -= int(m.n) + lineCost
		r.droppedLines++
		r.droppedBytes += uint64(m.n)
		r.first++
	}
}

// growText doubles the text buffer up to the bound: a quiet child stays small.
func (r *Ring) growText(need int) {
	start := r.end
	if r.first < r.next {
		start = r.lines[r.first%uint64(len(r.lines))].off
	}
	used := int(r.end - start)
	if used+need <= len(r.buf) {
		return
	}
	size := max(len(r.buf)*2, minBytes)
	for size < used+need {
		size *= 2
	}
	// Offsets stay what they are; each byte moves to its place modulo the new size.
	buf := make([]byte, size)
	for o := start; o < r.end; {
		from, to := int(o%uint64(len(r.buf))), int(o%uint64(size))
		k := min(min(len(r.buf)-from, size-to), int(r.end-o))
		copy(buf[to:], r.buf[from:from+k])
		o += uint64(k)
	}
	r.buf = buf
}

func (r *Ring) growLines() {
	held := int(r.next - r.first)
	if held < len(r.lines) {
		return
	}
	size := max(len(r.lines)*2, 64)
	lines := make([]meta, size)
	for q := r.first; q < r.next; q++ {
		lines[q%uint64(size)] = r.lines[q%uint64(len(r.lines))]
	}
	r.lines = lines
}

// appendText copies the text of m to dst.
func (r *Ring) appendText(dst []byte, m meta) []byte {
	if m.n == 0 {
		return dst
	}
	from := int(m.off % uint64(len(r.buf)))
	if to := from + int(m.n); to <= len(r.buf) {
		return append(dst, r.buf[from:to]...)
	}
	dst = append(dst, r.buf[from:]...)
	return append(dst, r.buf[:int(m.n)-(len(r.buf)-from)]...)
}

// changed wakes those who wait. Called with the lock held.
func (r *Ring) changed() {
	if r.wake != nil {
		close(r.wake)
		r.wake = nil
	}
}

// Wait returns a channel that is closed at the next change of the ring. Take it
// before reading, so that nothing is missed in between.
func (r *Ring) Wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wake == nil {
		r.wake = make(chan struct{})
	}
	return r.wake
}

// Next returns the number that the next finished line will have.
func (r *Ring) Next() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next
}

// Search returns the first line from seq on, finished or not, that match
// accepts, and the cursor from which to search on. It looks at what is held when
// it is called, and no further, however fast more comes.
func (r *Ring) Search(seq uint64, match func(Line) bool) (Line, uint64, bool) {
	for end := r.Next(); seq < end; {
		lines, next := r.Read(seq, readBatch)
		seq = next
		for _, l := range lines {
			if match(l) {
				return l, seq, true
			}
		}
	}
	for _, l := range r.Partial() {
		if match(l) {
			return l, seq, true
		}
	}
	return Line{}, seq, false
}

// Await returns the first line from seq on, finished or not, that match
// accepts. It fails only with the context's error.
func (r *Ring) Await(ctx context.Context, seq uint64, match func(Line) bool) (Line, error) {
	for {
		wake := r.Wait()
		l, next, ok := r.Search(seq, match)
		if ok {
			return l, nil
		}
		seq = next
		select {
		case <-wake:
		case <-ctx.Done():
			return Line{}, ctx.Err()
		}
	}
}

func cutNote(cut int64) string {
	return "… [" + strconv.FormatInt(cut, 10) + " bytes cut]"
}
