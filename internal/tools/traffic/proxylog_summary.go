package traffic

import (
	"context"
	"fmt"
	"strings"
	"time"

	"oriel/internal/journal"
	"oriel/internal/quote"
	"oriel/internal/tools/words"
)

type proxylogSummaryOut struct {
	journal.Summary
	empty string
}

func proxylogSummary(s Session, _ context.Context, in proxylogFilter) (proxylogSummaryOut, error) {
	q, err := in.query(s, time.Now())
	if err != nil {
		return proxylogSummaryOut{}, err
	}
	return proxylogSummaryOut{s.Journal.Summary(q), whyEmpty(s)}, nil
}

// Text is the traffic in a few lines.
func (o proxylogSummaryOut) Text() string {
	var b strings.Builder
	if len(o.Kinds) == 0 {
		fmt.Fprintln(&b, o.empty)
		writeDropped(&b, o.Dropped)
		return b.String()
	}
	var parts []string
	for _, k := range o.Kinds {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.Kind))
	}
	fmt.Fprintf(&b, "%s, from %s to %s\n", strings.Join(parts, ", "), o.First.Format("15:04:05"), o.Summary.Last.Format("15:04:05"))
	if len(o.Statuses) > 0 {
		parts = parts[:0]
		for _, c := range o.Statuses {
			name := fmt.Sprintf("%dxx", c.Class)
			if c.Class == 0 {
				name = "no response"
			}
			parts = append(parts, fmt.Sprintf("%s %d", name, c.Count))
		}
		fmt.Fprintf(&b, "status: %s; median %s, 95 %% within %s; received %s, sent %s\n", strings.Join(parts, ", "),
			words.Span(o.MedianTime), words.Span(o.P95Time), words.Size(o.Received), words.Size(o.Sent))
	}
	if e := o.Errors; e.Page+e.Console+e.HTTP+e.Failed > 0 {
		fmt.Fprintf(&b, "errors: %d in pages, %d on the console, %d HTTP ≥ 400, %d without response\n", e.Page, e.Console, e.HTTP, e.Failed)
	}
	for i, e := range o.Slowest {
		if i == 3 {
			break
		}
		fmt.Fprintf(&b, "slow: #%d %s\n", e.Seq, httpWords(e.HTTP))
	}
	for _, p := range o.Paths {
		if p.Count > 1 {
			fmt.Fprintf(&b, "%d× %s\n", p.Count, quote.Text(p.Name, 120))
		}
	}
	writeDropped(&b, o.Dropped)
	return b.String()
}
