package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// span writes a duration as a person would say it.
func span(d time.Duration) string {
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

// size writes a number of bytes.
func size(n int64) string {
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

// plural counts things: 1 line, 2 lines.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	if strings.HasSuffix(one, "ss") {
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// arg is one argument of a suggested call.
type arg struct{ name, value string }

// callFor writes the call that an assistant would make next, ready to copy.
func callFor(name string, args ...arg) string {
	parts := make([]string, len(args))
	for i, a := range args {
		value, err := json.Marshal(a.value)
		if err != nil {
			continue
		}
		parts[i] = fmt.Sprintf("%q:%s", a.name, value)
	}
	return name + " {" + strings.Join(parts, ",") + "}"
}

// clip keeps one line short; what is cut is marked.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

// textBudget is the most a default answer may take.
const textBudget = 4 << 10
