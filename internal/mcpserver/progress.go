package mcpserver

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel/internal/tool"
)

// progressEvery is the shortest time between two reports to a client.
const progressEvery = 100 * time.Millisecond

// withProgress sends what a call reports to the client, if the client asked
// for it. The returned flush sends the last report that is still held back;
// after it nothing more is sent, so that no report follows the result.
func withProgress(ctx context.Context, req *mcp.CallToolRequest) (context.Context, func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64: // what the protocol allows
	default:
		return ctx, func() {}
	}
	r := &reporter{send: func(p tool.Progress) {
		if ctx.Err() != nil {
			return
		}
		// An error means that nobody listens; the call's own end will tell.
		_ = req.Session.NotifyProgress(context.WithoutCancel(ctx), &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message,
		})
	}}
	return tool.WithProgress(ctx, r.report), r.flush
}

// reporter thins out one call's reports: rising, and not more than one per
// progressEvery, of which the newest is never lost.
type reporter struct {
	send func(tool.Progress) // called with mu held: in order, and never after flush

	mu     sync.Mutex
	last   tool.Progress // as sent
	sentAt time.Time     // zero: nothing sent yet
	held   *tool.Progress
	timer  *time.Timer
	closed bool
}

func (r *reporter) report(p tool.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || math.IsNaN(p.Done) || math.IsInf(p.Done, 0) || math.IsNaN(p.Total) || math.IsInf(p.Total, 0) {
		return
	}
	r.held = &p
	if wait := progressEvery - time.Since(r.sentAt); wait <= 0 {
		r.sendHeld()
	} else if r.timer == nil {
		r.timer = time.AfterFunc(wait, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.timer = nil
			if !r.closed {
				r.sendHeld()
			}
		})
	}
}

// sendHeld sends the report that waits. The protocol wants every value above
// the one before it; a report that only has something new to say is given the
// least step, one that has not is dropped.
func (r *reporter) sendHeld() {
	if r.held == nil {
		return
	}
	p := *r.held
	r.held = nil
	if !r.sentAt.IsZero() && p.Done <= r.last.Done {
		if p.Message == "" || p.Message == r.last.Message {
			return
		}
		p.Done = r.last.Done + math.Max(1, math.Abs(r.last.Done))*1e-6
	}
	r.last, r.sentAt = p, time.Now()
	r.send(p)
}

func (r *reporter) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
	r.sendHeld()
}
