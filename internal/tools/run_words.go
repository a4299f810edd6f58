package tools

import (
	"fmt"
	"strings"

	"oriel/internal/process"
)

// Text says what was started, how it stands, and what to do next.
func (o runOut) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s — %s\n", o.ID, o.headline(), clip(o.Command, 200))
	if o.URL != "" && o.ExitCode == nil {
		fmt.Fprintf(&b, "url: %s\n", o.URL)
		fmt.Fprintf(&b, "next: %s\n", callFor("proxy", arg{"action", "start"}, arg{"id", o.ID}, arg{"target_url", o.URL}))
	} else if o.ExitCode == nil {
		fmt.Fprintf(&b, "next: %s\n", callFor("proc", arg{"action", "output"}, arg{"id", o.ID}))
	}
	lines, over := fitLines(o.Output.Lines)
	if n := o.Output.Omitted + over; n > 0 {
		fmt.Fprintf(&b, "(last %s; %d before: %s)\n", plural(len(lines), "line"), n, callFor("proc", arg{"action", "output"}, arg{"id", o.ID}))
	}
	for _, l := range lines {
		b.WriteString(l)
	}
	return b.String()
}

func (o runOut) headline() string {
	switch {
	case o.ExitCode != nil && o.TimedOut:
		return fmt.Sprintf("ended by Oriel after its time limit (%s)", span(o.Took))
	case o.ExitCode != nil && o.Signal != "":
		return fmt.Sprintf("ended by %s after %s", o.Signal, span(o.Took))
	case o.ExitCode != nil:
		return fmt.Sprintf("exit code %d after %s", *o.ExitCode, span(o.Took))
	case o.State == process.StateReady:
		return fmt.Sprintf("ready after %s, pid %d", span(o.Took), o.PID)
	case o.TimedOut:
		return fmt.Sprintf("still starting after %s, pid %d", span(o.Took), o.PID)
	default:
		return fmt.Sprintf("started, pid %d", o.PID)
	}
}

// shellWords quotes arguments for a shell line.
func shellWords(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
