package forward

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxIdle       = 128              // kept connections
	idleFor       = 60 * time.Second // how long one is kept unused
	maxHead       = 10 << 20         // bytes of an answer's header
	maxInterim    = 20               // 1xx answers before the final one
	readBuffer    = 18 << 10         // what is kept of a body and its header; the rest of a long one goes from socket to socket
	requestBuffer = 4 << 10
)

// pool keeps connections to an http target. The last one used is the first
// one taken again: it is the one most likely still open.
type pool struct {
	dial func(context.Context) (net.Conn, error)

	mu     sync.Mutex
	idle   []*link
	sweep  *time.Timer
	closed bool
}

func newPool(dial func(context.Context) (net.Conn, error)) *pool { return &pool{dial: dial} }

// link is one connection to the target, used by one request at a time.
type link struct {
	pool  *pool
	nc    net.Conn
	in    budget
	br    *bufio.Reader
	bw    *bufio.Writer
	since time.Time // idle since
}

// budget bounds what is read while a header is awaited.
type budget struct {
	r    io.Reader
	left int64
}

var errHeadTooLarge = fmt.Errorf("the target's response header is larger than %d MB", maxHead>>20)

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errHeadTooLarge
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}

// take returns a kept connection, or a new one.
func (p *pool) take(ctx context.Context) (l *link, kept bool, err error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		l = p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
	}
	p.mu.Unlock()
	if l != nil {
		return l, true, nil
	}
	nc, err := p.dial(ctx)
	if err != nil {
		return nil, false, err
	}
	l = &link{pool: p, nc: nc, bw: bufio.NewWriterSize(nc, requestBuffer)}
	l.in.r = nc
	l.br = bufio.NewReaderSize(&l.in, readBuffer)
	return l, false, nil
}

// keep takes a connection back whose last answer was read to its end.
func (p *pool) keep(l *link) {
	if l.br.Buffered() > 0 { // bytes nobody asked for: not in step any more
		l.nc.Close()
		return
	}
	l.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= maxIdle {
		l.nc.Close()
		return
	}
	p.idle = append(p.idle, l)
	if p.sweep == nil {
		p.sweep = time.AfterFunc(idleFor, p.drop)
	}
}

// drop closes what was not used for a while.
func (p *pool) drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := time.Now().Add(-idleFor)
	n := 0
	for n < len(p.idle) && p.idle[n].since.Before(old) {
		p.idle[n].nc.Close()
		n++
	}
	p.idle = append(p.idle[:0], p.idle[n:]...)
	p.sweep = nil
	if len(p.idle) > 0 && !p.closed {
		p.sweep = time.AfterFunc(idleFor, p.drop)
	}
}

// flush closes every idle connection: one of them was found dead, so the
// others most likely are too.
func (p *pool) flush() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, l := range idle {
		l.nc.Close()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	if p.sweep != nil {
		p.sweep.Stop()
	}
	p.mu.Unlock()
	p.flush()
}

// do sends a request. When it may be repeated, a kept connection that dies
// before the first byte of an answer costs one more try on a new one; else it
// is asked before whether it is open.
func (p *pool) do(r *Request, host string, body []byte, again bool) (*http.Response, error) {
	ctx := r.In.Context()
	for {
		l, kept, err := p.take(ctx)
		if err != nil {
			return nil, err
		}
		if kept && !again && !l.alive() {
			l.nc.Close()
			continue
		}
		l.in.left = maxHead
		stop := context.AfterFunc(ctx, func() { l.nc.Close() })
		resp, err := l.roundTrip(r, host, body, stop)
		if err == nil && kept && resp.StatusCode == http.StatusRequestTimeout && resp.Close {
			// Said to the idle connection before our request reached it.
			resp.Body.Close()
			p.flush()
			continue
		}
		if err == nil {
			return resp, nil
		}
		stop()
		l.nc.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		silent := l.in.left == maxHead
		if !kept || !silent || !again {
			return nil, err
		}
		p.flush()
	}
}

func (l *link) roundTrip(r *Request, host string, body []byte, stop func() bool) (*http.Response, error) {
	writeHead(l.bw, r, host, false)
	l.bw.Write(body)
	if err := l.bw.Flush(); err != nil {
		l.bw.Reset(l.nc)
		return nil, fmt.Errorf("send the request: %w", err)
	}
	resp, err := readHead(l.br, r)
	if err != nil {
		return nil, err
	}
	l.in.left = math.MaxInt64
	b := &directBody{rc: resp.Body, link: l, stop: stop, left: resp.ContentLength, reuse: !resp.Close}
	if resp.Body == http.NoBody {
		b.finish(true)
		return resp, nil
	}
	resp.Body = b
	return resp, nil
}

// readHead reads answers until the final one.
func readHead(br *bufio.Reader, r *Request) (*http.Response, error) {
	for range maxInterim {
		resp, err := http.ReadResponse(br, r.In)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("the target closed the connection without an answer: %w", err)
		case err != nil:
			return nil, fmt.Errorf("read the answer: %w", err)
		case resp.StatusCode == http.StatusSwitchingProtocols:
			if IsUpgrade(r.In.Header) {
				return resp, nil
			}
			return nil, errors.New("the target switched protocols without being asked")
		case resp.StatusCode >= 200:
			return resp, nil
		case resp.StatusCode < 100:
			return nil, fmt.Errorf("the target answered with the status %q", resp.Status)
		}
		if r.Info != nil && resp.StatusCode != http.StatusContinue {
			r.Info(resp.StatusCode, resp.Header)
		}
	}
	return nil, fmt.Errorf("the target sent %d interim answers and no final one", maxInterim)
}

// directBody is the body of an answer on a link. Its end gives the connection
// back; closing it early ends the connection.
type directBody struct {
	rc    io.ReadCloser
	link  *link // nil once given back
	stop  func() bool
	left  int64 // bytes to come, read from the link itself; -1: not known, read from rc
	reuse bool
}

func (b *directBody) Read(p []byte) (int, error) {
	if b.link == nil {
		return 0, io.EOF
	}
	if b.left < 0 {
		n, err := b.rc.Read(p)
		if err == io.EOF {
			b.finish(true)
		}
		return n, err
	}
	n, err := b.link.br.Read(p[:min(int64(len(p)), b.left)])
	if err == io.EOF && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	b.took(int64(n))
	if b.link == nil {
		err = io.EOF
	}
	return n, err
}

// Next returns what was read ahead of a body of known length, without a copy;
// it is good until the next use of the body. end: this was all of it.
func (b *directBody) Next() (p []byte, end bool) {
	if b.link == nil || b.left <= 0 {
		return nil, false
	}
	n := int(min(int64(b.link.br.Buffered()), b.left))
	p, _ = b.link.br.Peek(n)
	b.link.br.Discard(n)
	b.left -= int64(n) // not took: the connection is not to be used by another yet
	return p, b.left == 0
}

func (b *directBody) Close() error {
	b.finish(b.left == 0)
	return nil
}

// Buffered is how many bytes can be read without waiting.
func (b *directBody) Buffered() int {
	if b.link == nil {
		return 0
	}
	return b.link.br.Buffered()
}

// plain returns the bare connection when all that is left of the body is a
// known number of bytes on it, none of them read ahead.
func (b *directBody) plain() (src io.Reader, left int64, ok bool) {
	if b.link == nil || b.left <= 0 || b.link.br.Buffered() > 0 {
		return nil, 0, false
	}
	return b.link.nc, b.left, true
}

// took says that n bytes of the plain connection were read by someone else.
func (b *directBody) took(n int64) {
	b.left -= n
	if b.left == 0 {
		b.finish(true)
	}
}

func (b *directBody) finish(whole bool) {
	l := b.link
	if l == nil {
		return
	}
	b.link = nil
	if b.stop() && whole && b.reuse {
		l.pool.keep(l)
		return
	}
	l.nc.Close()
}
