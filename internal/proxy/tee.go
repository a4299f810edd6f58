package proxy

import (
	"io"
	"sync"

	"oriel/internal/proxy/inject"
)

// tee keeps the beginning of a body that is read through it. The reader and
// whoever asks for the state may be different goroutines: the transport can
// still be sending an upload when its answer is there.
type tee struct {
	src  io.Reader
	free io.Closer // closed at the end of the exchange

	mu   sync.Mutex
	room int64 // bytes still to keep
	hint int64 // how long the body says it is
	size int64
	kept []byte
	done bool // the state was taken
}

func (t *tee) Read(p []byte) (int, error) {
	if t.room > 0 && t.hint > 2*int64(len(p)) && 2*t.room < int64(len(p)) {
		p = p[:t.room] // what follows in a long body can then go from socket to socket
	}
	n, err := t.src.Read(p)
	t.keep(p[:n])
	return n, err
}

// Next hands out what is at hand without a copy, where the source can.
func (t *tee) Next() (p []byte, end bool) {
	if src, ok := t.src.(inject.Nexter); ok {
		p, end = src.Next()
		t.keep(p)
	}
	return p, end
}

func (t *tee) keep(p []byte) {
	if len(p) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size += int64(len(p))
	if t.room <= 0 || t.done {
		return
	}
	k := min(int64(len(p)), t.room)
	if whole := min(t.hint, t.room); t.kept == nil && k < whole {
		t.kept = make([]byte, 0, whole)
	}
	t.kept = append(t.kept, p[:k]...) // what comes at once is not cleared first
	t.room -= k
}

// Close is for the transport; the server owns the body.
func (t *tee) Close() error { return nil }

// Verbatim implements forward.Verbatim: once nothing more is kept, the bytes
// need not come this way.
func (t *tee) Verbatim() (io.Reader, bool) { return t.src, t.room == 0 }

// Took implements forward.Counter.
func (t *tee) Took(n int64) { t.size += n }

// Buffered is how many bytes can be read without waiting.
func (t *tee) Buffered() int {
	if b, ok := t.src.(interface{ Buffered() int }); ok {
		return b.Buffered()
	}
	return 0
}

// state returns the size and what was kept, and ends the keeping.
func (t *tee) state() (int64, []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done = true
	return t.size, t.kept
}

// counter counts what is read through it.
type counter struct {
	src io.Reader
	n   int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.src.Read(p)
	c.n += int64(n)
	return n, err
}
