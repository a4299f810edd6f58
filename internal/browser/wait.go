package browser

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/cdproto"

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
	limited, cancel := context.WithTimeout(ctx, w.Patience+w.For)
	defer cancel()
	element, err := t.waitAll(limited, w)
	if err != nil && limited.Err() != nil && ctx.Err() == nil && t.Err() == nil {
		err = t.explainWait(ctx, w, err)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return t.Notes(), fmt.Errorf("wait: %w", err)
	}
	o := t.Notes()
	o.Element = element
	return o, nil
}

// lateError says what had not happened when the time was over.
type lateError struct{ text string }

func (e *lateError) Error() string { return e.text }

func (t *Tab) waitAll(ctx context.Context, w Want) (element string, err error) {
	if w.For > 0 {
		select {
		case <-time.After(w.For):
		case <-t.life.Done():
			return "", context.Cause(t.life)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	if w.URL != "" {
		if err := t.waitURL(ctx, w.URL); err != nil {
			return "", err
		}
	}
	if w.Load {
		if err := t.await(ctx, func(s *state) (bool, time.Duration) { return s.loaded == s.committed, 0 }); err != nil {
			return "", &lateError{"the page is still loading"}
		}
	}
	if w.Selector != "" {
		if element, err = t.waitElement(ctx, w); err != nil {
			return "", err
		}
	}
	if w.Idle {
		flying := 0
		if err := t.await(ctx, func(s *state) (bool, time.Duration) {
			flying = len(s.flying)
			if flying > 0 || s.quiet.IsZero() {
				return false, 0
			}
			left := quietFor - time.Since(s.quiet)
			return left <= 0, left
		}); err != nil {
			return "", &lateError{fmt.Sprintf("the network is not idle: %d requests under way", flying)}
		}
	}
	return element, nil
}

const between = 50 * time.Millisecond // between two looks at a page

func (t *Tab) waitURL(ctx context.Context, pattern string) error {
	fits := func(url string) bool { return strings.Contains(url, pattern) }
	if strings.Contains(pattern, "*") {
		// A pattern without a host is about the path, wherever it is.
		quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
		if !strings.Contains(pattern, "://") {
			quoted = ".*" + quoted
		}
		whole, err := regexp.Compile("^" + quoted + "$")
		if err != nil {
			return fmt.Errorf("url pattern %q: %w", pattern, err)
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
			return nil
		}
		if t.Err() != nil {
			return t.Err()
		}
		if err := rest(ctx, t); err != nil {
			return &lateError{fmt.Sprintf("the address is %q, not %q", last, pattern)}
		}
	}
}

func rest(ctx context.Context, t *Tab) error {
	select {
	case <-time.After(between):
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
	late := fmt.Sprintf("no element matches %s", a)
	for {
		e, reason, err := f.Find(ctx, a)
		switch {
		case err != nil && ctx.Err() == nil && !passing(err):
			return "", err
		case err == nil && e == nil && w.Gone:
			return "", nil
		case err == nil && e != nil && !w.Gone:
			return e.Verdict.Element.String(), nil
		case err == nil && e != nil:
			late = e.Verdict.Element.String() + " is still visible"
		case err == nil:
			late = reason
		}
		if err := rest(ctx, t); err != nil {
			if t.Err() != nil {
				return "", t.Err()
			}
			return "", &lateError{late}
		}
	}
}

// passing says that an error comes from a page in motion.
func passing(err error) bool {
	_, script := errors.AsType[*finder.ScriptError](err)
	_, protocol := errors.AsType[*cdproto.Error](err)
	return script || protocol
}

func (t *Tab) explainWait(ctx context.Context, w Want, err error) error {
	late, ok := errors.AsType[*lateError](err)
	if !ok {
		late = &lateError{err.Error()}
	}
	e := &ActError{Why: fmt.Sprintf("%s after %s", late.text, w.Patience)}
	if a, err := aim.Parse(w.Selector); err == nil && w.Selector != "" && !w.Gone {
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		e.Near = finder.Finder{Page: wire{t}}.Near(short, a)
	}
	return e
}
