package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/coder/websocket"

	"oriel/internal/page/pass"
	"oriel/internal/page/wire"
	"oriel/internal/quote"
)

// Close codes of the channel.
const (
	closeGoingAway = websocket.StatusGoingAway
	closePolicy    = websocket.StatusPolicyViolation
	closeTicket    = websocket.StatusCode(4001) // web/agent/channel.ts: come back as a new page
	closeReplaced  = websocket.StatusCode(4002)
)

// Bounds of a socket.
const (
	readLimit    = 8 << 20 // bytes of one message
	keepBuffer   = 1 << 18 // bytes of a socket's buffer that are kept between messages
	queueLength  = 64      // messages to the page that wait
	helloWithin  = 10 * time.Second
	writeWithin  = 10 * time.Second
	closeWithin  = 500 * time.Millisecond
	pingEvery    = 20 * time.Second
	pingWithin   = 15 * time.Second
	maxRefusals  = 1000 // malformed messages before the socket is closed
	eventBurst   = 5000
	eventRate    = 1000 // a second
	messageBurst = 2000
	messageRate  = 400
)

// closing is why a socket ends, as the page is told.
type closing struct {
	code   websocket.StatusCode
	reason string
}

func (c closing) Error() string { return c.reason }

// socket is one connection of one page: a reader (the handler's goroutine), one
// writer and one pinger.
type socket struct {
	conn      *websocket.Conn
	raw       net.Conn // below conn
	origin    string
	userAgent string
	out       chan []byte
	end       context.CancelCauseFunc

	// The reader's own.
	messages bucket
	in       bytes.Buffer

	// Guarded by the hub's lock.
	asked   map[uint64]chan wire.Message // running execs; nil when the socket is over
	lastAsk uint64
}

var errQueueFull = errors.New("too many messages wait for the page, which does not read them")

func (s *socket) enqueue(frame []byte) error {
	select {
	case s.out <- frame:
		return nil
	default:
		return errQueueFull
	}
}

// abandon ends every exec that waits for this socket. The hub's lock is held.
func (s *socket) abandon() {
	for _, answer := range s.asked {
		close(answer)
	}
	s.asked = nil
}

// write is the socket's only writer. It says goodbye when ctx ends.
func (s *socket) write(ctx context.Context) {
	// A write that its context ends takes the connection with it, and the
	// goodbye could not be said: what is being written is finished, soon.
	whole := context.WithoutCancel(ctx)
	stop := context.AfterFunc(ctx, func() {
		_ = s.raw.SetWriteDeadline(time.Now().Add(closeWithin)) // fails only when it is closed already
	})
	defer stop()
	for {
		select {
		case frame := <-s.out:
			within, cancel := context.WithTimeout(whole, writeWithin)
			err := s.conn.Write(within, websocket.MessageText, frame)
			cancel()
			if err != nil {
				s.end(err)
			}
		case <-ctx.Done():
			var c closing
			if errors.As(context.Cause(ctx), &c) {
				// A page that is frozen does not answer; it is not waited for.
				_ = s.raw.SetDeadline(time.Now().Add(closeWithin)) // fails only when it is closed already
				s.conn.Close(c.code, c.reason)                     // also ends the reader
			} else {
				s.conn.CloseNow()
			}
			return
		}
	}
}

// keepAlive notices a page that is gone without a word.
func (s *socket) keepAlive(ctx context.Context) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), pingWithin)
			err := s.conn.Ping(within)
			cancel()
			if err != nil {
				s.end(fmt.Errorf("ping page: %w", err))
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// read handles what the page says until one of the two is over.
func (h *Hub) read(ctx context.Context, s *socket, k pass.Key) error {
	within, cancel := context.WithTimeout(ctx, helloWithin)
	hello, err := s.receive(within)
	cancel()
	if err != nil {
		return fmt.Errorf("read hello: %w", err)
	}
	if hello.T != "hello" || hello.Version != wire.Version {
		return closing{closePolicy, "hello expected"}
	}
	p, err := h.join(s, k, &hello)
	if err != nil {
		return err
	}
	defer h.leave(p, s)
	if err := s.enqueue(wire.Encode(wire.Welcome{T: "welcome", Page: p.id, Ticket: h.secret.Ticket(p.id, p.instance)})); err != nil {
		return err
	}
	for refused := 0; ; {
		m, err := s.receive(ctx)
		if errors.Is(err, errRefused) {
			h.refuse(p, 1)
			if refused++; refused > maxRefusals {
				return closing{closePolicy, "too many messages that are none"}
			}
			continue
		}
		if err != nil {
			return err
		}
		h.handle(p, s, &m)
	}
}

var errRefused = errors.New("message refused")

// receive reads one message. Too many messages, and those that are none of
// ours, are errRefused; answers are never too many, because each ends an exec
// or is ignored.
func (s *socket) receive(ctx context.Context) (wire.Message, error) {
	frame, err := s.frame(ctx)
	if err != nil {
		return wire.Message{}, err
	}
	m, err := wire.Decode(frame)
	if err != nil {
		return wire.Message{}, errRefused
	}
	// The frame's memory is used again.
	m.Body = append(make([]byte, 0, min(len(m.Body)*(m.Parts+1), readLimit/8)), m.Body...)
	for range m.Parts {
		if frame, err = s.frame(ctx); err != nil {
			return wire.Message{}, err
		}
		if len(m.Body)+len(frame) > readLimit {
			return wire.Message{}, closing{closePolicy, "an answer is too large"}
		}
		m.Body = append(m.Body, frame...)
	}
	if m.T == "result" && m.OK && !json.Valid(m.Body) {
		return wire.Message{}, errRefused
	}
	if m.T != "result" && s.messages.take(1, time.Now()) == 0 {
		return wire.Message{}, errRefused
	}
	return m, nil
}

// frame reads one text frame, whose bytes are good until the next call.
func (s *socket) frame(ctx context.Context) ([]byte, error) {
	kind, r, err := s.conn.Reader(ctx)
	if err != nil {
		return nil, fmt.Errorf("read page message: %w", err)
	}
	if s.in.Cap() > keepBuffer {
		s.in = bytes.Buffer{}
	}
	s.in.Reset()
	if _, err := s.in.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("read page message: %w", err)
	}
	if kind != websocket.MessageText {
		return nil, errRefused
	}
	return s.in.Bytes(), nil
}

func (h *Hub) refuse(p *Page, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p.info.Refused += n
}

func (h *Hub) handle(p *Page, s *socket, m *wire.Message) {
	switch m.T {
	case "events":
		h.record(p, m)
	case "result":
		h.answer(p, s, m)
	case "shot":
		h.keep(p, s, m)
	case "ping":
		// A full queue means that the page does not read: it will notice.
		_ = s.enqueue(wire.Encode(wire.Pong{T: "pong"}))
	case "state", "parent":
		h.mu.Lock()
		defer h.mu.Unlock()
		if m.T == "state" {
			p.apply(m.State, time.Now())
		} else {
			p.adopt(m.Page)
		}
		h.notify()
	default:
		h.refuse(p, 1)
	}
}

// record puts a batch of events into the journal. Proxy and page are ours to
// say.
func (h *Hub) record(p *Page, m *wire.Message) {
	now := time.Now()
	h.mu.Lock()
	p.info.Lost += max(0, min(m.Lost, 1<<30-p.info.Lost))
	allowed := p.events.take(len(m.Events), now)
	p.info.Refused += len(m.Events) - allowed
	clock := p.clock
	h.mu.Unlock()
	for i := range m.Events[:allowed] {
		e, ok := m.Events[i].Entry(h.cleanURL)
		if !ok {
			h.refuse(p, 1)
			continue
		}
		e.Time = clock.Time(m.Events[i].At, now)
		e.Proxy, e.Page = h.options.Proxy, p.id
		h.options.Journal.Append(e)
	}
}

// answer hands a result to the exec on this socket that waits for it. One that
// nobody asked for is refused.
func (h *Hub) answer(p *Page, s *socket, m *wire.Message) {
	h.mu.Lock()
	waiting, ok := s.asked[m.ID]
	if ok {
		delete(s.asked, m.ID)
		waiting <- *m // has room for one
	} else {
		p.info.Refused++
	}
	h.mu.Unlock()
}

// bucket lets through a burst and then a steady rate.
type bucket struct {
	level, burst, rate float64
	at                 time.Time
}

func newBucket(burst, rate float64) bucket { return bucket{level: burst, burst: burst, rate: rate} }

// take returns how many of n may pass.
func (b *bucket) take(n int, now time.Time) int {
	if !b.at.IsZero() {
		b.level = min(b.burst, b.level+now.Sub(b.at).Seconds()*b.rate)
	}
	b.at = now
	passed := min(n, int(b.level))
	b.level -= float64(passed)
	return passed
}

// userAgent bounds a header that is stored.
func userAgent(s string) string { return quote.Text(s, wire.MaxTitle) }
