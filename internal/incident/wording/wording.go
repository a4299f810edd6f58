// Package wording puts incidents into the few words that a model reads.
package wording

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"oriel/internal/incident"
	"oriel/internal/quote"
)

// Bounds of an answer.
const (
	fewBytes   = 1500 // for up to few incidents
	few        = 4
	mostBytes  = 3700
	messageMax = 150
	echoMax    = 90
	echoShown  = 2
	codeMax    = 72
)

// Text is the incidents in words, the first shown ones with the source around
// them as long as there is room. now dates them; several says that there is
// more than one process, so that each must be named. It returns how many are
// shown.
func Text(r incident.Report, now time.Time, several bool, room int) (text string, shown int) {
	if limit := fewBytes; len(r.Incidents) <= few && room > limit {
		room = limit
	}
	room = min(room, mostBytes)
	heads := make([]string, 0, len(r.Incidents))
	used := 0
	for i := range r.Incidents {
		head := head(&r.Incidents[i], i+1, now, several)
		if used += len(head); used > room && i > 0 {
			break
		}
		heads = append(heads, head)
	}
	used = len(strings.Join(heads, ""))
	for i := range heads {
		for _, part := range []string{trail(&r.Incidents[i], several), frame(&r.Incidents[i])} {
			if used+len(part) <= room {
				heads[i] += part
				used += len(part)
			}
		}
	}
	return strings.Join(heads, ""), len(heads)
}

func tag(o incident.Origin, source string, several bool) string {
	switch o {
	case incident.Process, incident.Exit:
		return "[process " + quote.Text(source, 40) + "]"
	case incident.Build, incident.Test:
		if several {
			return "[" + string(o) + " " + quote.Text(source, 40) + "]"
		}
	}
	return "[" + string(o) + "]"
}

// say quotes what is not Oriel's own.
func say(message string, ours bool, most int) string {
	message = strings.Join(strings.Fields(firstLine(message)), " ")
	if ours {
		return quote.Text(message, most)
	}
	return quote.Quoted(message, most)
}

// firstLine is the first line that says something.
func firstLine(s string) string {
	for line := range strings.SplitSeq(s, "\n") {
		if strings.TrimSpace(line) != "" {
			return line
		}
	}
	return s
}

func head(in *incident.Incident, n int, now time.Time, several bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d. %s ", n, tag(in.Origin, in.Source, several))
	if in.Warning {
		b.WriteString("warning ")
	}
	if in.Code != "" {
		b.WriteString(quote.Text(in.Code, 40) + " ")
	}
	b.WriteString(say(in.Message, in.Ours, messageMax))
	if in.Count > 1 {
		fmt.Fprintf(&b, " ×%d", in.Count)
	}
	if in.Place != nil {
		b.WriteString(" — " + placeWords(*in.Place))
		if in.Changed {
			b.WriteString(" (file changed since)")
		}
	}
	fmt.Fprintf(&b, ", %s ago", ago(now.Sub(in.Last)))
	if n := len(in.Entries); n > 0 {
		fmt.Fprintf(&b, " #%d", in.Entries[n-1])
	}
	b.WriteByte('\n')
	return b.String()
}

func placeWords(p incident.Place) string {
	text := quote.Text(strings.Join(strings.Fields(p.File), " "), 120)
	if p.Line > 0 {
		text += ":" + strconv.Itoa(p.Line)
	}
	if p.Compiled && p.Column > 0 {
		text += ":" + strconv.Itoa(p.Column)
	}
	if p.Function != "" {
		text += " in " + quote.Text(p.Function, 60)
	}
	if p.Mentioned {
		text = "named in " + text
	}
	if p.Compiled {
		text += " (compiled)"
	}
	return text
}

func ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return "<1s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	}
	return fmt.Sprintf("%dh", int(d.Hours()))
}

func trail(in *incident.Incident, several bool) string {
	var b strings.Builder
	for i, e := range in.Trail {
		if i == echoShown && len(in.Trail) > echoShown+1 {
			fmt.Fprintf(&b, "   → … and %d more\n", len(in.Trail)-i)
			break
		}
		who := "→ " + tag(e.Origin, e.Source, several)
		if e.Cause {
			who = "caused by"
		}
		what := say(e.Message, e.Ours, echoMax)
		if e.Message == in.Message {
			what = "says the same"
		}
		fmt.Fprintf(&b, "   %s %s", who, what)
		if e.Count > 1 {
			fmt.Fprintf(&b, " ×%d", e.Count)
		}
		if e.Place != nil && e.Place.Own && (in.Place == nil || e.Place.File != in.Place.File || e.Place.Line > 0 && e.Place.Line != in.Place.Line) {
			b.WriteString(" — " + placeWords(*e.Place))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// frame is the source around the place, without the indent that all its lines
// share.
func frame(in *incident.Incident) string {
	indent := -1
	for _, c := range in.Frame {
		trimmed := strings.TrimLeft(c.Text, " \t")
		if n := len(c.Text) - len(trimmed); trimmed != "" && (indent < 0 || n < indent) {
			indent = n
		}
	}
	var b strings.Builder
	for _, c := range in.Frame {
		mark := " "
		if c.Line == in.Place.Line {
			mark = ">"
		}
		text := c.Text[min(max(indent, 0), len(c.Text)):]
		b.WriteString(strings.TrimRight(fmt.Sprintf("   %s %d| %s", mark, c.Line, quote.Text(strings.ReplaceAll(text, "\t", "  "), codeMax)), " ") + "\n")
	}
	return b.String()
}

// LeftOut says what was left out and how to see it, or nothing.
func LeftOut(r incident.Report) string {
	var parts []string
	if len(r.Noise) > 0 {
		var names []string
		total := 0
		for _, n := range r.Noise {
			names = append(names, fmt.Sprintf("%s %d", n.What, n.Count))
			total += n.Count
		}
		parts = append(parts, fmt.Sprintf("%d noise (%s)", total, strings.Join(names, ", ")))
	}
	if r.Resolved > 0 {
		parts = append(parts, fmt.Sprintf("%d resolved since", r.Resolved))
	}
	if r.Warnings > 0 {
		parts = append(parts, fmt.Sprintf("%d warnings (include_warnings: true)", r.Warnings))
	}
	if r.Earlier > 0 {
		parts = append(parts, fmt.Sprintf("%d earlier", r.Earlier))
	}
	if len(parts) == 0 {
		return ""
	}
	return "left out: " + strings.Join(parts, ", ") + "\n"
}
