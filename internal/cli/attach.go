package cli

import (
	"context"
	"sync"

	"oriel/internal/tool"
	"oriel/internal/tools"
)

// attachment tells whoever answers that an editor is there, by a call that
// stays open as long as the editor does. When the daemon dies the call ends;
// it is made anew with the editor's next call, not at once: a daemon that a
// person has stopped must stay stopped until it is needed.
type attachment struct {
	tool.Caller
	from tool.Origin

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu     sync.Mutex
	wanted bool
	held   bool
}

func newAttachment(ctx context.Context, c tool.Caller, from tool.Origin) *attachment {
	a := &attachment{Caller: c, from: from}
	a.ctx, a.cancel = context.WithCancel(ctx)
	return a
}

// hold attaches, and returns when the daemon lets go or the session ends.
func (a *attachment) hold(ctx context.Context) {
	a.mu.Lock()
	if a.held || a.ctx.Err() != nil {
		a.mu.Unlock()
		return
	}
	a.wanted, a.held = true, true
	a.mu.Unlock()
	a.Caller.Call(ctx, tool.Call{Tool: tools.Attach, From: a.from})
	a.mu.Lock()
	a.held = false
	a.mu.Unlock()
}

// Call passes on, and attaches again first where an attachment was lost.
func (a *attachment) Call(ctx context.Context, c tool.Call) tool.Result {
	a.mu.Lock()
	again := a.wanted && !a.held && a.ctx.Err() == nil
	if again {
		a.wg.Add(1)
	}
	a.mu.Unlock()
	if again {
		go func() {
			defer a.wg.Done()
			a.hold(a.ctx)
		}()
	}
	return a.Caller.Call(ctx, c)
}

func (a *attachment) end() {
	a.cancel()
	a.wg.Wait()
}
