// Package words is how tools speak: durations, sizes, counts, the next call.
package words

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"oriel/internal/tool"
)

// Span writes a duration as a person would say it.
func Span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", math.Floor(d.Seconds()*10)/10)
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	default:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
}

// Size writes a number of bytes.
func Size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	default:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
}

// Plural counts things: 1 line, 2 lines.
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "ss") {
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Arg is one argument of a suggested call.
type Arg struct{ Name, Value string }

// Call writes the call that an assistant would make next, ready to copy.
func Call(name string, args ...Arg) string {
	parts := make([]string, len(args))
	for i, a := range args {
		value, err := json.Marshal(a.Value)
		if err != nil {
			continue
		}
		parts[i] = fmt.Sprintf("%q:%s", a.Name, value)
	}
	return name + " {" + strings.Join(parts, ",") + "}"
}

// Clip keeps one line short; what is cut is marked.
func Clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// TextBudget is the most a default answer may take.
const TextBudget = tool.DefaultRoom

// Some shows at most n of a list of lines, each with a prefix, and says how
// many there are more.
func Some(b *strings.Builder, prefix string, list []string, n int) {
	for i, line := range list {
		if i == n {
			fmt.Fprintf(b, "%s… and %d more (raw: true)\n", prefix, len(list)-n)
			return
		}
		fmt.Fprintf(b, "%s%s\n", prefix, Clip(OneLine(line), 300))
	}
}

// Instant reads a moment: how long ago, or an RFC 3339 time.
func Instant(text string, now time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d.Abs()), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Time{}, fmt.Errorf("expected a duration such as \"30s\" or a time such as %q, got %q", "2026-01-31T12:00:00Z", Clip(text, 60))
}

// OneLine folds all white space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// OrDefault is a duration argument, or what holds without it.
func OrDefault(d tool.Duration, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return time.Duration(d)
}
