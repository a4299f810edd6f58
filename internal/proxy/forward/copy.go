package forward

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

const (
	bufSize   = 64 << 10
	bigEnough = 64 << 10 // from here a body goes from socket to socket
)

// ErrClient marks an error of the client's side of a copy.
var ErrClient = errors.New("the client went away")

var buffers = sync.Pool{New: func() any { b := make([]byte, bufSize); return &b }}

// Verbatim is implemented by readers that may have nothing more to do: what
// they return from then on is what their source returns.
type Verbatim interface {
	Verbatim() (src io.Reader, ok bool)
}

// Counter is implemented by readers that want to know how many bytes were
// taken from their source past them.
type Counter interface{ Took(n int64) }

// Pieces is implemented by readers that can hand out what is at hand without a
// copy. It returns nothing when the next bytes must be read; what it returned
// is good until the reader is used again. end: nothing follows.
type Pieces interface {
	Pieces() (pieces [][]byte, end bool)
}

// Copy sends body to the client that sent r piece by piece as it comes, so
// that a stream keeps its cadence, and never holds more than one buffer of it.
func Copy(w http.ResponseWriter, r *http.Request, body io.Reader) (int64, error) {
	bp := buffers.Get().(*[]byte)
	defer buffers.Put(bp)
	out := output{w: w, conn: connOf(r)}
	out.flusher, _ = w.(http.Flusher)
	if waits(w.Header(), body) {
		out.flush() // the header is not to wait for the first piece
	}
	if p, ok := body.(Pieces); ok {
		pieces, end := p.Pieces()
		if err := out.write(pieces...); err != nil {
			return out.total, err
		}
		if len(pieces) > 0 && !end {
			out.flush()
		}
	}
	for {
		if n, ok, err := spliceRest(w, body); ok {
			return out.total + n, err
		}
		n, err := body.Read(*bp)
		if n > 0 {
			if err := out.write((*bp)[:n]); err != nil {
				return out.total, err
			}
		}
		if err == io.EOF {
			return out.total, nil
		}
		if err != nil {
			return out.total, err
		}
		out.flush()
	}
}

// output is the client's side of a copy.
type output struct {
	w       http.ResponseWriter
	conn    *Conn
	flusher http.Flusher
	total   int64
}

func (o *output) write(pieces ...[]byte) error {
	o.conn.hold()
	var err error
	for _, p := range pieces {
		var n int
		n, err = o.w.Write(p)
		o.total += int64(n)
		if err != nil {
			break
		}
	}
	if e := o.conn.release(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrClient, err)
	}
	return nil
}

func (o *output) flush() {
	if o.flusher != nil {
		o.flusher.Flush()
	}
}

// waits says whether the first piece of body may take its time. Where nothing
// can be known, a short body of known length is taken to follow its header.
func waits(h http.Header, body io.Reader) bool {
	if b, ok := body.(interface{ Buffered() int }); ok {
		return b.Buffered() == 0
	}
	length := h["Content-Length"]
	return len(length) == 0 || len(length[0]) > 5
}

// spliceRest hands the rest of a large body of known length from socket to
// socket, where body allows it.
func spliceRest(w http.ResponseWriter, body io.Reader) (n int64, ok bool, err error) {
	var passed [4]Counter
	counters := passed[:0]
	for {
		v, is := body.(Verbatim)
		if !is {
			break
		}
		src, verbatim := v.Verbatim()
		if !verbatim {
			return 0, false, nil
		}
		if c, is := body.(Counter); is {
			counters = append(counters, c)
		}
		body = src
	}
	b, is := body.(*directBody)
	if !is || b.left < bigEnough {
		return 0, false, nil
	}
	src, left, ok := b.plain()
	if !ok {
		return 0, false, nil
	}
	to, is := w.(io.ReaderFrom)
	if !is {
		return 0, false, nil
	}
	n, err = to.ReadFrom(&io.LimitedReader{R: src, N: left})
	b.took(n)
	for _, c := range counters {
		c.Took(n)
	}
	switch {
	case err != nil && isBrokenPipe(err): // only writing breaks a pipe
		return n, true, fmt.Errorf("%w: %w", ErrClient, err)
	case err != nil:
		return n, true, fmt.Errorf("copy the body: %w", err)
	case n < left:
		return n, true, io.ErrUnexpectedEOF
	}
	return n, true, nil
}
