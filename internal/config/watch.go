package config

import (
	"context"
	"os"
	"time"
)

const (
	// pollInterval is how often the file is looked at. Polling needs no
	// dependency, and sees files that an editor replaces, deletes and recreates
	// or reaches through a link, on every kind of file system.
	pollInterval = 500 * time.Millisecond
	// settleTime is how long the file must stay as it is before it is read, and
	// settleLimit for how long at most that is waited for.
	settleTime  = 100 * time.Millisecond
	settleLimit = 2 * time.Second
	// youngAge is the age below which a file's time of change does not prove
	// that it is unchanged: clocks of file systems tick in coarse steps.
	youngAge = 2 * time.Second
)

// Watch reads the file at path and passes what it says to onChange, at once and
// then again whenever the content has changed; a file that appears or goes away
// has changed too. It blocks until ctx ends: run it in a goroutine and wait for
// that one. onChange is called in that goroutine, never twice at a time, and
// never after Watch has returned.
func Watch(ctx context.Context, path string, onChange func(Config, []Problem)) {
	seen := look(path)
	last := read(path)
	onChange(last.parse(path))
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := look(path)
		if now.same(seen) && (!now.young() || read(path) == last) {
			continue
		}
		if now = settle(ctx, path, now); ctx.Err() != nil {
			return
		}
		content := read(path)
		if !look(path).same(now) {
			continue // written to just then: what was read may be half a file
		}
		seen = now
		if content != last {
			last = content
			onChange(content.parse(path))
		}
	}
}

// settle waits until the file stays as it is, so that an editor's half-written
// or just deleted file is not taken for the new one.
func settle(ctx context.Context, path string, now sighting) sighting {
	for waited := time.Duration(0); waited < settleLimit; waited += settleTime {
		select {
		case <-ctx.Done():
			return now
		case <-time.After(settleTime):
		}
		next := look(path)
		if next.same(now) {
			return next
		}
		now = next
	}
	return now
}

// sighting is what can be seen of a file without reading it; nil info is none.
type sighting struct {
	info os.FileInfo
}

func look(path string) sighting {
	info, err := os.Stat(path)
	if err != nil {
		return sighting{}
	}
	return sighting{info}
}

func (s sighting) same(other sighting) bool {
	if s.info == nil || other.info == nil {
		return s.info == nil && other.info == nil
	}
	return os.SameFile(s.info, other.info) && s.info.Size() == other.info.Size() &&
		s.info.ModTime().Equal(other.info.ModTime()) && s.info.Mode() == other.info.Mode()
}

func (s sighting) young() bool {
	return s.info != nil && time.Since(s.info.ModTime()) < youngAge
}
