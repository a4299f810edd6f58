package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/finder/aim"
)

// Want is what to wait for; all that is given must hold.
type Want struct {
	Selector string        // a visible element
	Gone     bool          // rather that there is none
	URL      string        // a part of the address; with * a pattern for all of it
	Load     bool          // the load event is over
	Idle     bool          // no request for half a second
	For      time.Duration // so much time
	Patience time.Duration // how long to wait at most; 0: DefaultPatience
}

// quietFor is how long a network must be quiet to be idle.
const quietFor = 500 * time.Millisecond

// Wait waits.
func (t *Tab) Wait(ctx context.Context, w Want) (Outcome, error) {
	if w.Selector == "" && w.URL == "" && !w.Load && !w.Idle && w.For <= 0 {
		return Outcome{}, errors.New("wait: nothing to wait for")
	}
	if w.Gone && w.Selector == "" {
		return Outcome{}, errors.New("wait: gone needs a selector")
	}
	if w.Patience <= 0 {
		w.Patience = DefaultPatience
	}
	element, err := t.waitAll(ctx, w)
	if err != nil {
		return t.Notes(), fmt.Errorf("wait: %w", err)
	}
	o := t.Notes()
	o.Element = element
	return o, nil
}

// late words why await, or the like, came back without success.
func (t *Tab) late(ctx context.Context, w Want, why string) error {
	switch {
	case t.Err() != nil:
		return t.Err()
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return &ActError{Why: fmt.Sprintf("%s after %s", why, w.Patience)}
}

func (t *Tab) waitAll(ctx context.Context, w Want) (element string, err error) {
	if w.For > 0 {
		if err := t.pause(ctx, w.For); err != nil {
			return "", err
		}
	}
	limited, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	if w.URL != "" {
		if last, err := t.waitURL(limited, w.URL); err != nil {
			return "", t.late(ctx, w, fmt.Sprintf("the address is %q, not %q", last, w.URL))
		}
	}
	if w.Load {
		if err := t.await(limited, func(s *state) (bool, time.Duration) { return s.loaded == s.committed, 0 }); err != nil {
			return "", t.late(ctx, w, "the page is still loading")
		}
	}
	if w.Selector != "" {
		if element, err = t.waitElement(ctx, w); err != nil {
			return "", err
		}
	}
	if w.Idle {
		flying := 0
		if err := t.await(limited, func(s *state) (bool, time.Duration) {
			flying = len(s.flying)
			if flying > 0 || s.quiet.IsZero() {
				return false, 0
			}
			left := quietFor - time.Since(s.quiet)
			return left <= 0, left
		}); err != nil {
			return "", t.late(ctx, w, fmt.Sprintf("the network is not idle: %d requests under way", flying))
		}
	}
	return element, nil
}

const between = 50 * time.Millisecond // between two looks at a page

// waitURL returns the address it saw last.
func (t *Tab) waitURL(ctx context.Context, pattern string) (string, error) {
	fits := func(url string) bool { return strings.Contains(url, pattern) }
	if strings.Contains(pattern, "*") {
		// A pattern without a host is about the path, wherever it is.
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
		if !strings.Contains(pattern, "://") {
			quoted = ".*" + quoted
		}
		whole, err := regexp.Compile("^" + quoted + "$")
		if err != nil {
			return "", fmt.Errorf("url pattern %q: %w", pattern, err)
		}
		fits = whole.MatchString
	}
	last := ""
	for {
		info, err := t.Info(ctx)
		if err == nil {
			last = info.URL
		}
		if err == nil && fits(last) {
			return last, nil
		}
		if err := t.pause(ctx, between); err != nil {
			return last, err
		}
	}
}

// pause lets time go by, unless the page or ctx ends.
func (t *Tab) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-t.life.Done():
		return context.Cause(t.life)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *Tab) waitElement(ctx context.Context, w Want) (string, error) {
	a, err := aim.Parse(w.Selector)
	if err != nil {
		return "", err
	}
	f := finder.Finder{Page: wire{t}}
	defer f.Release(context.WithoutCancel(ctx))
	if !w.Gone {
		e, err := f.Wait(ctx, a, w.Patience)
		if err != nil {
			return "", err
		}
		return e.Verdict.Element.String(), nil
	}
	err = f.Until(ctx, a, w.Patience, func(ctx context.Context) (bool, string, error) {
		e, _, err := f.Find(ctx, a)
		if err != nil || e == nil {
			return err == nil, "", err
		}
		return false, e.Verdict.Element.String() + " is still visible", nil
	})
	if late, ok := errors.AsType[*ActError](err); ok {
		late.Near = ""
	}
	return "", err
}
