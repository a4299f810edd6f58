package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/finder/aim"
	"oriel/internal/browser/hand"
	"oriel/internal/browser/hand/keys"
)

// DefaultPatience is how long an element may take to be there, visible,
// enabled, still and uncovered.
const DefaultPatience = finder.Patience

// ActError says why an element could not be used, and what there is instead.
type ActError = hand.Error

// Elements are pointed at by CSS ("#buy"), by role and accessible name
// (`role=button[name="Buy"]`; without quotes a part of the name will do), or by
// the words on them ("text=Add to cart"; in quotes for the whole text).
// " >> nth=1" at the end takes the second of several. Open shadow roots and
// the frames of the same site are searched too.

// Reply sets how dialogs are answered from now on.
func (t *Tab) Reply(r Reply) { t.state.change(func(s *state) { s.reply = r }) }

// Click clicks an element, or taps it when the tab has a touch screen.
func (t *Tab) Click(ctx context.Context, selector string, patience time.Duration) (Outcome, error) {
	return t.act(ctx, "click", selector, patience, func(ctx context.Context, h hand.Hand, a aim.Aim) (hand.Done, error) {
		return h.Click(ctx, a, 1)
	})
}

// DoubleClick clicks an element twice in a row.
func (t *Tab) DoubleClick(ctx context.Context, selector string, patience time.Duration) (Outcome, error) {
	return t.act(ctx, "double-click", selector, patience, func(ctx context.Context, h hand.Hand, a aim.Aim) (hand.Done, error) {
		return h.Click(ctx, a, 2)
	})
}

// Fill gives a field its value: text for what can be typed into, the value or
// label of an option, "true" or "false" for a box, the path of a file.
func (t *Tab) Fill(ctx context.Context, selector, value string, patience time.Duration) (Outcome, error) {
	return t.act(ctx, "fill", selector, patience, func(ctx context.Context, h hand.Hand, a aim.Aim) (hand.Done, error) {
		return h.Fill(ctx, a, value)
	})
}

// Press presses keys and chords, such as "Enter", "Control+A" or "Tab Tab
// Enter", in an element, or without a selector where the focus is.
func (t *Tab) Press(ctx context.Context, selector, chords string, patience time.Duration) (Outcome, error) {
	strokes, err := keys.Parse(chords)
	if err != nil {
		return Outcome{}, fmt.Errorf("press: %w", err)
	}
	return t.act(ctx, "press", selector, patience, func(ctx context.Context, h hand.Hand, a aim.Aim) (hand.Done, error) {
		if selector == "" {
			return h.Press(ctx, strokes, nil)
		}
		return h.Press(ctx, strokes, &a)
	})
}

// act does one thing and waits for what it sets off.
func (t *Tab) act(ctx context.Context, verb, selector string, patience time.Duration, do func(context.Context, hand.Hand, aim.Aim) (hand.Done, error)) (Outcome, error) {
	var a aim.Aim
	if selector != "" || verb != "press" {
		var err error
		if a, err = aim.Parse(selector); err != nil {
			return Outcome{}, fmt.Errorf("%s: %w", verb, err)
		}
	}
	if patience <= 0 {
		patience = DefaultPatience
	}
	give, err := t.take(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", verb, err)
	}
	defer give()
	defer finder.Finder{Page: wire{t}}.Release(ctx)
	before := t.mark()
	done, err := do(ctx, hand.Hand{Page: wire{t}, Touch: t.Look().Touch, Patience: patience}, a)
	// A page may close itself on a click, but not before it.
	begun := done.Element != "" || selector == ""
	if err != nil && !(begun && errors.Is(err, ErrTabClosed)) {
		return t.Notes(), fmt.Errorf("%s: %w", verb, err)
	}
	navigated, err := t.settle(ctx, before)
	o := t.Notes()
	o.Element, o.Matches, o.Value, o.Navigated = done.Element, done.Matches, done.Value, navigated
	if errors.Is(err, ErrTabClosed) {
		o.Closed, err = true, nil
	}
	return o, err
}

const (
	reaction = 80 * time.Millisecond // in which a click has its first effect
	landing  = 10 * time.Second      // for the document that it leads to
)

// settle waits until what an act set off is there: another document, a window.
func (t *Tab) settle(ctx context.Context, before int) (navigated bool, err error) {
	loader, err := t.departed(ctx, before, reaction)
	if err == nil && loader != "" {
		navigated = true
		err = t.arrive(ctx, loader, landing)
	}
	if err != nil {
		return navigated, err
	}
	limited, cancel := context.WithTimeout(ctx, landing)
	defer cancel()
	err = t.await(limited, func(s *state) (bool, time.Duration) { return s.adopting == 0, 0 })
	if limited.Err() != nil && ctx.Err() == nil {
		err = nil
	}
	return navigated, err
}
