package lifecycle

import (
	"fmt"
	"strings"

	"oriel/internal/process"
	"oriel/internal/tools/words"
)

// Text says what was started, how it stands, and what to do next.
func (o runOut) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s — %s\n", o.ID, o.headline(), words.Clip(words.OneLine(o.Command), 200))
	if o.URL != "" && o.ExitCode == nil {
		fmt.Fprintf(&b, "url: %s\n", o.URL)
		fmt.Fprintf(&b, "next: %s\n", words.Call("proxy", words.Arg{Name: "action", Value: "start"}, words.Arg{Name: "id", Value: o.ID}, words.Arg{Name: "target_url", Value: o.URL}))
	} else if o.ExitCode != nil && o.Leftover > 0 {
		them := "them"
		if o.Leftover == 1 {
			them = "it"
		}
		fmt.Fprintf(&b, "%s outlived it: %s ends %s\n", words.Plural(o.Leftover, "process"),
			words.Call("proc", words.Arg{Name: "action", Value: "stop"}, words.Arg{Name: "id", Value: o.ID}), them)
	} else if o.ExitCode == nil {
		fmt.Fprintf(&b, "next: %s\n", words.Call("proc", words.Arg{Name: "action", Value: "output"}, words.Arg{Name: "id", Value: o.ID}))
	}
	lines, over := fitLines(o.Output.Lines, words.TextBudget-600)
	if n := o.Output.Omitted + over; n > 0 {
		fmt.Fprintf(&b, "(last %s; %d before: %s)\n", words.Plural(len(lines), "line"), n, words.Call("proc", words.Arg{Name: "action", Value: "output"}, words.Arg{Name: "id", Value: o.ID}))
	}
	for _, l := range lines {
		b.WriteString(l)
	}
	return b.String()
}

func (o runOut) headline() string {
	switch {
	case o.ExitCode != nil && o.TimedOut:
		return fmt.Sprintf("ended by Oriel after its time limit (%s)", words.Span(o.Took))
	case o.ExitCode != nil && o.Signal != "":
		return fmt.Sprintf("ended by %s after %s", o.Signal, words.Span(o.Took))
	case o.ExitCode != nil:
		return fmt.Sprintf("exit code %d after %s", *o.ExitCode, words.Span(o.Took))
	case o.State == process.StateBackoff:
		return fmt.Sprintf("exit code %d; %s so far, the next one follows", o.lastExit, words.Plural(o.Restarts, "restart"))
	case o.State == process.StateReady:
		return fmt.Sprintf("ready after %s, pid %d", words.Span(o.Took), o.PID)
	case o.TimedOut:
		return fmt.Sprintf("still starting after %s, pid %d", words.Span(o.Took), o.PID)
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
