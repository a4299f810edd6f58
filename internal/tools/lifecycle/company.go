package lifecycle

import (
	"context"
	"sync"
	"time"

	"oriel/internal/process"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

// companyEvery is how often long work says that it goes on: many clients give
// up on a call that is silent for long, and wait again with each report.
const companyEvery = 2 * time.Second

// keepCompany reports progress, with the last line that the process, if there
// is one already, printed, until the returned function is called.
func keepCompany(ctx context.Context, what string, p *process.Process) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	began := time.Now()
	wg.Go(func() {
		tick := time.NewTicker(companyEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			message := what
			if p != nil {
				if lines := p.Output(process.Query{Tail: 1}).Lines; len(lines) > 0 {
					message += ": " + words.Clip(lines[0].Text, 120)
				}
			}
			tool.Report(ctx, tool.Progress{Done: time.Since(began).Seconds(), Message: message})
		}
	})
	return func() {
		close(done)
		wg.Wait()
	}
}
