package process

import (
	"fmt"
	"slices"

	"oriel/internal/process/child"
	"oriel/internal/process/devurl"
)

const (
	// reportBatch is how much output is copied from the ring at a time.
	reportBatch = 256 << 10
	// urlLines is among how many lines of a start a local URL is looked for: a dev
	// server names itself early, and a flood of output is not worth the search.
	urlLines = 20_000
	maxURLs  = 16
)

// found is a local URL that the child printed.
type found = devurl.Found

// watch follows the output and the status of a run and reports both, in order,
// until everything has been reported.
func (p *Process) watch(r *run) {
	defer close(r.watched)
	for {
		lines, states := p.out.Wait(), p.onChange()
		p.report()
		select {
		case <-lines:
		case <-states:
		case <-r.quit:
			for p.report() {
			}
			return
		}
	}
}

// report delivers what has come since the last time: first the lines, then the
// states they led to. It is called by the watcher of the run or, when there is
// none, by whoever changed the status. It reports whether there is more already.
func (p *Process) report() (more bool) {
	p.reporting.Lock()
	defer p.reporting.Unlock()
	p.mu.Lock()
	states := p.pending
	p.pending = nil
	c := p.child
	p.mu.Unlock()
	for end := p.out.Next(); p.cursor < end; {
		lines, next := p.out.Read(p.cursor, reportBatch)
		if len(lines) > 0 && lines[0].Seq > p.cursor && p.events.Line != nil {
			p.events.Line(Line{Stream: Note, Time: lines[0].Time, Seq: p.cursor,
				Text: fmt.Sprintf("--- %d lines came too fast to be followed ---", lines[0].Seq-p.cursor)})
		}
		p.cursor = next
		for _, l := range lines {
			if l.Stream != Note && l.Seq >= c.First && l.Seq < c.First+urlLines {
				p.noticeURL(c, l.Text)
			}
			if p.events.Line != nil {
				p.events.Line(l)
			}
		}
		if p.events.Line == nil && p.cursor > c.First+urlLines {
			p.cursor = end // nobody wants the rest
		}
	}
	for _, s := range states {
		p.events.State(s)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.pending) > 0
}

// noticeURL keeps the local URLs in a line.
func (p *Process) noticeURL(c *child.Child, text string) {
	for _, u := range devurl.Find(text) {
		p.addURL(c, u)
	}
}

func (p *Process) addURL(c *child.Child, f found) {
	p.mu.Lock()
	known := slices.ContainsFunc(p.urls, func(o found) bool { return o.URL == f.URL && o.Rank >= f.Rank })
	if known || p.child != c || len(p.urls) >= maxURLs {
		p.mu.Unlock()
		return
	}
	p.urls = append(p.urls, f)
	best := bestURL(p.urls)
	p.mu.Unlock()
	p.update(func(s *Status) {
		if !slices.Contains(s.URLs, f.URL) {
			s.URLs = append(s.URLs, f.URL)
		}
		s.URL = best.URL
	})
}

// bestURL returns the one most likely to be opened: the first of the highest
// rank.
func bestURL(urls []found) found {
	var best found
	for _, u := range urls {
		if best.URL == "" || u.Rank > best.Rank {
			best = u
		}
	}
	return best
}
