package hand

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"

	"oriel/internal/browser/finder"
	"oriel/internal/browser/finder/aim"
	"oriel/internal/browser/hand/keys"
)

// Click clicks an element, count times in a row.
func (h Hand) Click(ctx context.Context, a aim.Aim, count int) (Done, error) {
	s, err := h.ready(ctx, a, need{point: true})
	if err != nil {
		return Done{}, err
	}
	return done(s), h.press(ctx, s, max(1, count))
}

func done(s *spot) Done { return Done{Element: s.Verdict.Element.String(), Matches: s.Matches} }

// press touches a spot.
func (h Hand) press(ctx context.Context, s *spot, count int) error {
	if h.Touch {
		for range count {
			point := []*input.TouchPoint{{X: s.x, Y: s.y}}
			for _, p := range []input.DispatchTouchEventParams{
				{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: point}, {Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}},
			} {
				if _, err := cdp.Call(ctx, h.Page, input.DispatchTouchEvent, p); err != nil {
					return err
				}
			}
		}
		return nil
	}
	events := []input.DispatchMouseEventParams{{Type: input.DispatchMouseEventTypeMouseMoved, X: s.x, Y: s.y}}
	for n := range int64(count) {
		down := input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMousePressed, X: s.x, Y: s.y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: n + 1,
		}
		released := down
		released.Type, released.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		events = append(events, down, released)
	}
	for _, e := range events {
		if _, err := cdp.Call(ctx, h.Page, input.DispatchMouseEvent, e); err != nil {
			return err
		}
	}
	return nil
}

// Fill gives a field its value: it types into what can be typed into, chooses
// options (one per line), ticks boxes ("true", "false"), and gives file inputs
// their files (one path per line).
func (h Hand) Fill(ctx context.Context, a aim.Aim, value string) (Done, error) {
	s, err := h.ready(ctx, a, need{field: true})
	if err != nil {
		return Done{}, err
	}
	d := done(s)
	switch s.Kind {
	case "text", "rich":
		d.Value, err = h.typeInto(ctx, s.Element, value)
	case "select":
		var chosen []string
		chosen, err = s.Choose(ctx, lines(value))
		d.Value = strings.Join(chosen, ", ")
	case "checkbox", "radio":
		d.Value, err = h.tick(ctx, a, s.Element, value)
	case "file":
		d.Value, err = give(ctx, s.Element, lines(value))
	case "":
		err = &Error{Why: fmt.Sprintf("%s is no field: fill takes inputs, text areas, selects and editable elements", d.Element)}
	case "button", "submit", "reset", "image":
		err = &Error{Why: fmt.Sprintf("%s is a button: click it", d.Element)}
	default: // date, time, color, range and their like have a picker each
		d.Value, err = s.Assign(ctx, value)
		if err == nil && d.Value == "" && value != "" {
			err = &Error{Why: fmt.Sprintf("%s does not take %q: an input of type %s wants its own form, such as %s", d.Element, value, s.Kind, forms[s.Kind])}
		}
	}
	return d, err
}

// forms are what inputs with a picker take.
var forms = map[string]string{
	"date": "2026-01-31", "time": "13:45", "datetime-local": "2026-01-31T13:45", "month": "2026-01", "week": "2026-W05", "color": "#ff8800", "range": "50",
}

func lines(value string) []string {
	if value == "" {
		return []string{}
	}
	return strings.Split(strings.TrimRight(value, "\n"), "\n")
}

func (h Hand) typeInto(ctx context.Context, e *finder.Element, value string) (string, error) {
	if err := e.Scroll(ctx); err != nil {
		return "", err
	}
	if err := e.Select(ctx); err != nil {
		return "", err
	}
	var err error
	if value == "" {
		err = h.strike(ctx, keys.Stroke{Key: keys.Key{Key: "Delete", Code: "Delete", VK: 46}})
	} else {
		_, err = cdp.Call(ctx, h.Page, input.InsertText, input.InsertTextParams{Text: value})
	}
	if err != nil {
		return "", err
	}
	// A page that goes away because of the text has taken it.
	if err := e.Judge(ctx); err != nil {
		if finder.Passing(err) {
			return value, nil
		}
		return "", err
	}
	return e.Value, nil
}

// tick clicks a box when it is not yet as wanted. Often the box itself is
// hidden and its label is drawn in its place: a click there counts.
func (h Hand) tick(ctx context.Context, a aim.Aim, e *finder.Element, value string) (string, error) {
	var want bool
	switch strings.ToLower(value) {
	case "true", "on", "yes", "1", "checked":
		want = true
	case "false", "off", "no", "0", "unchecked", "":
	default:
		return "", &Error{Why: fmt.Sprintf("%s takes true or false, got %q", e.Verdict.Element, value)}
	}
	if e.Checked != want {
		if e.Kind == "radio" && !want {
			return "", &Error{Why: fmt.Sprintf("%s cannot be switched off: choose another of its group", e.Verdict.Element)}
		}
		s, err := h.ready(ctx, a, need{point: true})
		if err != nil {
			return "", err
		}
		if err := h.press(ctx, s, 1); err != nil {
			return "", err
		}
		if err := e.Judge(ctx); err != nil && !finder.Passing(err) {
			return "", err
		}
		if e.Checked != want {
			return "", &Error{Why: fmt.Sprintf("%s was clicked and is still %t", e.Verdict.Element, e.Checked)}
		}
	}
	return fmt.Sprint(want), nil
}

func give(ctx context.Context, e *finder.Element, paths []string) (string, error) {
	var names []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !filepath.IsAbs(path) || !info.Mode().IsRegular() {
			return "", &Error{Why: fmt.Sprintf("%s takes absolute paths of files, one per line: there is no file %q", e.Verdict.Element, path)}
		}
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", "), e.Files(ctx, paths)
}

// Press presses keys one after the other, in an element when there is an aim,
// else where the focus is.
func (h Hand) Press(ctx context.Context, strokes []keys.Stroke, a *aim.Aim) (Done, error) {
	d := Done{}
	if a != nil {
		s, err := h.ready(ctx, *a, need{})
		if err != nil {
			return d, err
		}
		d = done(s)
		if err := s.Focus(ctx); err != nil {
			return d, &Error{Why: d.Element + " cannot have the focus"}
		}
	}
	for _, s := range strokes {
		if err := h.strike(ctx, s); err != nil {
			return d, err
		}
	}
	return d, nil
}

// strike holds what is to be held, presses the key, and lets go in reverse.
func (h Hand) strike(ctx context.Context, s keys.Stroke) error {
	var mods keys.Modifier
	bits := map[string]keys.Modifier{"Alt": keys.Alt, "Control": keys.Control, "Meta": keys.Meta, "Shift": keys.Shift}
	for _, k := range s.Held {
		mods |= bits[k.Key]
		if err := h.send(ctx, input.DispatchKeyEventTypeRawKeyDown, k, mods, ""); err != nil {
			return err
		}
	}
	kind := input.DispatchKeyEventTypeRawKeyDown
	if s.Text != "" {
		kind = input.DispatchKeyEventTypeKeyDown
	}
	if err := h.send(ctx, kind, s.Key, mods, s.Command); err != nil {
		return err
	}
	if err := h.send(ctx, input.DispatchKeyEventTypeKeyUp, s.Key, mods, ""); err != nil {
		return err
	}
	for i := len(s.Held) - 1; i >= 0; i-- {
		mods &^= bits[s.Held[i].Key]
		if err := h.send(ctx, input.DispatchKeyEventTypeKeyUp, s.Held[i], mods, ""); err != nil {
			return err
		}
	}
	return nil
}

func (h Hand) send(ctx context.Context, kind input.DispatchKeyEventType, k keys.Key, mods keys.Modifier, command string) error {
	p := input.DispatchKeyEventParams{
		Type: kind, Modifiers: int64(mods), Key: k.Key, Code: k.Code, WindowsVirtualKeyCode: k.VK, NativeVirtualKeyCode: k.VK,
	}
	if kind == input.DispatchKeyEventTypeKeyDown {
		p.Text, p.UnmodifiedText = k.Text, k.Text
	}
	if command != "" {
		p.Commands = []string{command}
	}
	_, err := cdp.Call(ctx, h.Page, input.DispatchKeyEvent, p)
	return err
}
