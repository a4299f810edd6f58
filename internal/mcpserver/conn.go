package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drain is how long calls that were read before the input ended may still be
// answered. Without it, requests piped in from a file would be cut off.
const drain = time.Second

// conn is a client on a pair of streams: one message, or one batch, per line.
// It implements the SDK's Connection. Whatever is not a message is answered
// here, and the session goes on.
type conn struct {
	out  io.Writer
	outM sync.Mutex // one writer at a time

	lines   chan line     // from the pump; closed at the end of input
	pumped  chan struct{} // closed when the pump has returned
	stopped chan struct{} // closed to end the session without waiting for input
	ended   chan struct{} // closed when Read has told the SDK of the end
	stop    func()
	end     func()

	queue []*jsonrpc.Request // read and not yet delivered; only Read uses it

	mu       sync.Mutex
	pending  map[jsonrpc.ID]*call
	answered chan struct{} // gets a value when pending shrinks
	failed   error         // the first failure of a stream
}

// line is a line of input, or errTooLong in place of one.
type line struct {
	data []byte
	err  error
}

// call is a request that waits for its answer.
type call struct {
	batch     *batch
	cancelled bool
}

// batch collects the answers to the calls of one line.
type batch struct {
	waiting int
	answers [][]byte
}

var _ mcp.Connection = (*conn)(nil)

func newConn(in io.Reader, out io.Writer) *conn {
	c := &conn{
		out:      out,
		lines:    make(chan line),
		pumped:   make(chan struct{}),
		stopped:  make(chan struct{}),
		ended:    make(chan struct{}),
		pending:  make(map[jsonrpc.ID]*call),
		answered: make(chan struct{}, 1),
	}
	c.stop = sync.OnceFunc(func() { close(c.stopped) })
	c.end = sync.OnceFunc(func() { close(c.ended) })
	go c.pump(newLineReader(in, maxMessage))
	return c
}

// Connect makes conn its own transport: there is nothing to set up.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a pair of streams is one session.
func (c *conn) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *conn) Close() error {
	c.stop()
	return nil
}

// pump reads ahead by one line, so that the end of a session need not wait for
// a read that may never return.
func (c *conn) pump(in *lineReader) {
	defer close(c.pumped)
	defer close(c.lines)
	for {
		data, err := in.next()
		if err != nil && !errors.Is(err, errTooLong) {
			if !errors.Is(err, io.EOF) {
				c.fail(fmt.Errorf("read requests: %w", err))
			}
			return
		}
		select {
		case c.lines <- line{data, err}:
		case <-c.stopped:
			return
		}
	}
}

// Read implements mcp.Connection.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		select {
		case <-c.stopped:
			c.end()
			return nil, io.EOF
		default:
		}
		select {
		case <-c.stopped:
		case l, ok := <-c.lines:
			if !ok {
				c.drain()
				c.stop()
				continue
			}
			c.accept(l)
		}
	}
	req := c.queue[0]
	c.queue = c.queue[1:]
	return req, nil
}

// drain waits, for a while, until every call has its answer.
func (c *conn) drain() {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	for {
		c.mu.Lock()
		waiting := len(c.pending)
		c.mu.Unlock()
		if waiting == 0 {
			return
		}
		select {
		case <-c.answered:
		case <-timer.C:
			return
		case <-c.stopped:
			return
		}
	}
}

// accept queues the requests of a line and answers what is none.
func (c *conn) accept(l line) {
	if l.err != nil {
		c.write(refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: %v", l.err).encode())
		return
	}
	p := parseLine(l.data)
	var b *batch
	if p.batch {
		b = &batch{}
	}
	var refusals [][]byte
	for _, m := range p.messages {
		if m.refuse == nil {
			m.refuse = c.register(m, b)
		}
		if m.refuse != nil {
			refusals = append(refusals, m.refuse.encode())
			continue
		}
		c.queue = append(c.queue, m.req)
	}
	if b == nil {
		for _, r := range refusals {
			c.write(r)
		}
		return
	}
	b.answers = refusals // before any of its calls can be answered: they are queued, not delivered
	if b.waiting == 0 && len(b.answers) > 0 {
		c.write(b.encode())
	}
}

// register notes a call as waiting for its answer. An id in use is refused
// here, with id null, for the SDK would never answer.
func (c *conn) register(m message, b *batch) *refusal {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !m.req.IsCall() {
		c.noteCancelled(m.req)
		return nil
	}
	if c.pending[m.req.ID] != nil {
		return refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: id %s is in use", m.id)
	}
	c.pending[m.req.ID] = &call{batch: b}
	if b != nil {
		b.waiting++
	}
	return nil
}

// noteCancelled remembers a call its client has given up: the protocol wants
// no answer to it. c.mu is held.
func (c *conn) noteCancelled(req *jsonrpc.Request) {
	if req.Method != "notifications/cancelled" {
		return
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(req.Params, &params) != nil {
		return
	}
	_, id, err := parseID(map[string]json.RawMessage{"id": params["requestId"]})
	if waiting := c.pending[id]; err == nil && waiting != nil {
		waiting.cancelled = true
	}
}

// Write implements mcp.Connection.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	res, ok := msg.(*jsonrpc.Response)
	if ok {
		res = brief(res)
		msg = res
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if !ok {
		return c.write(data)
	}
	if data = c.settle(res.ID, data); data != nil {
		return c.write(data)
	}
	return nil
}

// brief shortens a refusal in which the SDK quotes the whole of a request.
func brief(res *jsonrpc.Response) *jsonrpc.Response {
	const most = 500
	if res.Error == nil || len(res.Error.Error()) <= most {
		return res
	}
	short := *res
	refusal := &jsonrpc.Error{Message: strings.ToValidUTF8(res.Error.Error()[:most], "") + "…"}
	if wire, ok := errors.AsType[*jsonrpc.Error](res.Error); ok {
		refusal.Code, refusal.Data = wire.Code, wire.Data
	}
	short.Error = refusal
	return &short
}

// settle takes a call off the list and gives what there is to write now: its
// answer, the whole batch it completes, or nothing.
func (c *conn) settle(id jsonrpc.ID, data []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.pending[id]
	delete(c.pending, id)
	select {
	case c.answered <- struct{}{}:
	default:
	}
	switch {
	case waiting == nil:
		return data
	case waiting.batch == nil && waiting.cancelled:
		return nil
	case waiting.batch == nil:
		return data
	}
	b := waiting.batch
	b.waiting--
	if !waiting.cancelled {
		b.answers = append(b.answers, data)
	}
	if b.waiting > 0 || len(b.answers) == 0 {
		return nil
	}
	return b.encode()
}

func (b *batch) encode() []byte {
	joined := bytes.Join(b.answers, []byte(","))
	return append(append([]byte{'['}, joined...), ']')
}

func (c *conn) write(data []byte) error {
	c.outM.Lock()
	defer c.outM.Unlock()
	if _, err := c.out.Write(append(data, '\n')); err != nil {
		err = fmt.Errorf("write answer: %w", err)
		c.fail(err)
		c.stop() // nobody is there to read another
		return err
	}
	return nil
}

func (c *conn) fail(err error) {
	select {
	case <-c.stopped: // streams may break once they are no longer used
		return
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil {
		c.failed = err
	}
}

func (c *conn) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}
