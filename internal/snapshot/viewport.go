package snapshot

import (
	"fmt"
	"strconv"
	"strings"

	"oriel/internal/browser"
)

// DefaultViewport is used when none is asked for.
const DefaultViewport = "1280x800"

// mostViewports of one call.
const mostViewports = 8

// Viewport is how a page is looked at, as people write it: a size or the name
// of a device, then if wanted the pixels per CSS pixel and the colour scheme:
// "1280x720", "390x844@2", "iphone dark".
type Viewport struct {
	Text string // canonical: equal looks have equal texts
	Look browser.Look
}

// ParseViewports reads a list, separated by commas.
func ParseViewports(text string) ([]Viewport, error) {
	var list []Viewport
	known := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		v, err := parseViewport(part)
		if err != nil {
			return nil, fmt.Errorf("viewports: %w", err)
		}
		if !known[v.Text] {
			known[v.Text] = true
			list = append(list, v)
		}
	}
	if len(list) > mostViewports {
		return nil, fmt.Errorf("viewports: at most %d at once, got %d", mostViewports, len(list))
	}
	return list, nil
}

func parseViewport(text string) (Viewport, error) {
	fields := strings.Fields(strings.ToLower(strings.ReplaceAll(text, "@", " @")))
	if len(fields) == 0 {
		return Viewport{}, fmt.Errorf("expected a size such as %q, got nothing", DefaultViewport)
	}
	var v Viewport
	v.Text = fields[0]
	if err := size(&v.Look, fields[0]); err != nil {
		return v, err
	}
	for _, word := range fields[1:] {
		factor, scaled := strings.CutPrefix(word, "@")
		switch {
		case scaled:
			n, err := strconv.ParseFloat(strings.TrimSuffix(factor, "x"), 64)
			if err != nil || n < 0.5 || n > 4 {
				return v, fmt.Errorf("expected pixels per CSS pixel from 0.5 to 4, such as 390x844@2, got %.20q", word)
			}
			v.Look.Scale = n
		case word == "dark" || word == "light":
			v.Look.ColorScheme = word
		default:
			return v, fmt.Errorf("unknown %.40q (after a size: @2 for the pixels per CSS pixel, dark, light)", word)
		}
	}
	usual := browser.Look{Device: v.Look.Device}
	if err := usual.Complete(); err != nil {
		return v, err
	}
	if v.Look.Scale != 0 && v.Look.Scale != usual.Scale {
		v.Text += "@" + strconv.FormatFloat(v.Look.Scale, 'g', 4, 64)
	}
	if v.Look.ColorScheme == "dark" {
		v.Text += " dark"
	}
	return v, v.Look.Complete()
}

// size reads 1280x720 or the name of a device.
func size(l *browser.Look, word string) error {
	if word[0] < '0' || word[0] > '9' {
		l.Device = word
		probe := *l
		if err := probe.Complete(); err != nil {
			return fmt.Errorf("expected a size such as %q or a device (%s), got %.40q", DefaultViewport, strings.Join(browser.Devices(), ", "), word)
		}
		return nil
	}
	width, height, ok := strings.Cut(word, "x")
	var wrong, also error
	l.Width, wrong = strconv.Atoi(width)
	l.Height, also = strconv.Atoi(height)
	if !ok || wrong != nil || also != nil {
		return fmt.Errorf("expected a size such as %q, got %.40q", DefaultViewport, word)
	}
	return nil
}
