package cli

import (
	"context"
	"sync"

	"oriel/internal/tool"
	"oriel/internal/tools"
)

// attachment tells whoever answers that an editor is there, by a call that
// stays open as long as the editor does. Other calls wait until it is taken,
// so that the autostart is under way before the first of them. When the daemon
// dies the call ends; it is made anew with the editor's next call, not at
// once: a daemon that a person has stopped stays stopped until it is needed.
type attachment struct {
	tool.Caller
	from tool.Origin

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	taken chan struct{} // of the open call, closed once it is taken; nil: none is open
}

func newAttachment(ctx context.Context, c tool.Caller, from tool.Origin) *attachment {
	a := &attachment{Caller: c, from: from}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// hold attaches, and returns when the daemon lets go or the session ends.
func (a *attachment) hold(ctx context.Context) {
	a.mu.Lock()
	taken := a.begin()
	a.mu.Unlock()
	if taken != nil {
		a.keep(ctx, taken)
	}
}

// begin marks an attachment as open; nil when one already is, or the session
// has ended. The caller holds a.mu.
func (a *attachment) begin() chan struct{} {
	if a.taken != nil || a.ctx.Err() != nil {
		return nil
	}
	a.taken = make(chan struct{})
	return a.taken
}

func (a *attachment) keep(ctx context.Context, taken chan struct{}) {
	var once sync.Once
	release := func() { once.Do(func() { close(taken) }) }
	ctx = tool.WithProgress(ctx, func(tool.Progress) { release() })
	a.Caller.Call(ctx, tool.Call{Tool: tools.Attach, From: a.from})
	a.mu.Lock()
	a.taken = nil
	a.mu.Unlock()
	release()
}

// Call passes on, after attaching where that was not done yet or was lost.
func (a *attachment) Call(ctx context.Context, c tool.Call) tool.Result {
	a.mu.Lock()
	if taken := a.begin(); taken != nil {
		a.wg.Go(func() { a.keep(a.ctx, taken) })
	}
	taken := a.taken
	a.mu.Unlock()
	if taken != nil {
		select {
		case <-taken:
		case <-ctx.Done():
		}
	}
	return a.Caller.Call(ctx, c)
}

func (a *attachment) end() {
	a.cancel()
	a.wg.Wait()
}
