package chart

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// breakWidth is what an idle time without calls is drawn as.
const breakWidth = 28

// span is a stretch of time in which something went on, and where it is drawn.
type span struct {
	from, to float64 // ms
	x, w     float64
}

// axis leads from times to places. It is linear wherever calls are; long idle
// times between them are drawn as breaks, all of one width.
type axis struct {
	spans []span
	x, w  float64
}

// newAxis covers the calls, and the beginning of the page when that is near
// them.
func newAxis(calls []Call, loadWindow, x, w float64) axis {
	latest := 0.0
	for _, c := range calls {
		latest = max(latest, c.Start)
		if c.End != nil {
			latest = max(latest, *c.End)
		}
	}
	var busy []span
	if len(calls) == 0 || calls[0].Start < loadWindow {
		busy = append(busy, span{from: 0, to: min(latest, 1)})
	}
	for _, c := range calls {
		end := latest
		if c.End != nil {
			end = *c.End
		}
		busy = append(busy, span{from: c.Start, to: end})
	}
	slices.SortFunc(busy, func(a, b span) int { return int(math.Copysign(1, a.from-b.from)) })
	a := axis{spans: merge(busy), x: x, w: w}
	a.place()
	return a
}

// merge joins what is near, so that only idle times long against the rest
// remain between the spans.
func merge(busy []span) []span {
	joined := join(busy, 400)
	active := 0.0
	for _, s := range joined {
		active += s.to - s.from
	}
	gap := max(1000, active*0.35)
	for {
		if out := join(joined, gap); len(out) <= 6 {
			return out
		}
		gap *= 2
	}
}

func join(busy []span, gap float64) []span {
	var out []span
	for _, s := range busy {
		if n := len(out); n > 0 && s.from-out[n-1].to <= gap {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

func (a *axis) place() {
	total := 0.0
	for i := range a.spans {
		s := &a.spans[i]
		if s.to-s.from < 20 {
			s.to = s.from + 20
		}
		s.to += (s.to - s.from) * 0.03
		total += s.to - s.from
	}
	room := a.w - breakWidth*float64(len(a.spans)-1)
	x := a.x
	for i := range a.spans {
		s := &a.spans[i]
		s.x, s.w = x, room*(s.to-s.from)/total
		x += s.w + breakWidth
	}
}

// at is where a time is drawn; a time in a break is drawn at its middle.
func (a axis) at(t float64) float64 {
	for i, s := range a.spans {
		switch {
		case t < s.from && i == 0:
			return s.x
		case t < s.from:
			return s.x - breakWidth/2
		case t <= s.to:
			return s.x + s.w*(t-s.from)/(s.to-s.from)
		}
	}
	return a.x + a.w
}

// end is the last time that is drawn.
func (a axis) end() float64 { return a.spans[len(a.spans)-1].to }

type tick struct {
	x     float64
	label string
}

// ticks are round times, some 90 px apart.
func (a axis) ticks() []tick {
	var out []tick
	for _, s := range a.spans {
		perPixel := (s.to - s.from) / s.w
		step := round(perPixel * 90)
		for t := math.Ceil(s.from/step) * step; t <= s.to; t += step {
			x := a.at(t)
			if len(out) > 0 && x-out[len(out)-1].x < 56 {
				continue
			}
			out = append(out, tick{x, tickLabel(t, step)})
		}
	}
	return out
}

// round is the next of 1, 2 and 5 times a power of ten.
func round(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if v <= m*power {
			return m * power
		}
	}
	return 10 * power
}

func tickLabel(t, step float64) string {
	switch {
	case t == 0:
		return "0"
	case t < 1000 && step < 1000:
		return strconv.FormatFloat(t, 'f', -1, 64) + " ms"
	}
	digits := 0
	for s := step / 1000; digits < 3 && s != math.Trunc(s); digits++ {
		s *= 10
	}
	s := strconv.FormatFloat(t/1000, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = trimZeros(s)
	}
	return s + " s"
}
