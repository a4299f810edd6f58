package page

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"oriel/internal/journal"
	"oriel/internal/page/wire"
)

// vitalsCode asks the page for its Web Vitals, which are measured from what the
// browser has kept only when somebody wants to know.
const vitalsCode = `__devtool.vitals()`

// maxVitals bounds what one answer may bring: there are five of them.
const maxVitals = 16

// Vitals asks the page for its Web Vitals as they are now (TTFB, FCP, LCP, CLS,
// INP; those that have a value), puts them into the journal as performance
// entries, and returns them. The first time it takes up to half a second; a
// zero timeout means ExecTimeout.
func (p *Page) Vitals(ctx context.Context, timeout time.Duration) ([]journal.Performance, error) {
	v, err := p.Exec(ctx, vitalsCode, ExecOptions{Timeout: timeout, Limit: 1 << 14})
	if err != nil {
		return nil, fmt.Errorf("ask for Web Vitals: %w", err)
	}
	var told []wire.Event
	if err := json.Unmarshal(v.JSON, &told); err != nil {
		return nil, fmt.Errorf("ask for Web Vitals: the page's answer cannot be read: %w", err)
	}
	now := time.Now()
	var list []journal.Performance
	for _, e := range told[:min(len(told), maxVitals)] {
		e.Kind = string(journal.KindPerformance)
		entry, ok := e.Entry(p.hub.cleanURL)
		if !ok {
			continue
		}
		entry.Time, entry.Proxy, entry.Page = now, p.hub.options.Proxy, p.id
		p.hub.options.Journal.Append(entry)
		list = append(list, *entry.Performance)
	}
	return list, nil
}
