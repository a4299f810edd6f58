package lifecycle

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"oriel/internal/process"
	"oriel/internal/tools/words"
)

type procOutputIn struct {
	procID
	Stream string `json:"stream" enum:"stdout,stderr"`
	Tail   int    `json:"tail" doc:"last lines (default 40)"`
	Head   int    `json:"head" doc:"first lines"`
	Grep   string `json:"grep" doc:"regular expression"`
	Since  string `json:"since" doc:"duration such as 30s, RFC 3339 time, or the cursor of an earlier answer"`
}

type procOutputOut struct {
	ID string `json:"id"`
	process.Output
	query string
}

// defaultTail is what a model reads when it asks for output and says no more.
const defaultTail = 40

func procOutput(s Session, _ context.Context, in procOutputIn) (procOutputOut, error) {
	p, err := s.Process(in.ID)
	if err != nil {
		return procOutputOut{}, err
	}
	if in.Tail < 0 || in.Head < 0 {
		return procOutputOut{}, fmt.Errorf("tail and head count lines: give a number from 0 up")
	}
	q := process.Query{Stream: process.Stream(in.Stream), Tail: in.Tail, Head: in.Head}
	if in.Tail == 0 && in.Head == 0 {
		q.Tail = defaultTail
	}
	if in.Grep != "" {
		if q.Grep, err = regexp.Compile(in.Grep); err != nil {
			return procOutputOut{}, fmt.Errorf("grep: %w", err)
		}
	}
	if err := readSince(in.Since, &q); err != nil {
		return procOutputOut{}, err
	}
	return procOutputOut{ID: p.Status().ID, Output: p.Output(q), query: in.Grep}, nil
}

func readSince(since string, q *process.Query) error {
	if since == "" {
		return nil
	}
	if cursor, err := strconv.ParseUint(since, 10, 64); err == nil {
		q.Since = cursor
		return nil
	}
	at, err := words.Instant(since, time.Now())
	if err != nil {
		return err
	}
	q.After = at
	return nil
}

func (o procOutputOut) Text() string {
	var b strings.Builder
	if o.Missed > 0 {
		fmt.Fprintf(&b, "(%s since your cursor were dropped from the bounded buffer)\n", words.Plural(int(o.Missed), "line"))
	}
	lines, over := fitLines(o.Lines)
	switch {
	case len(o.Lines) == 0 && o.query != "":
		fmt.Fprintf(&b, "no line of %s matches %q\n", o.ID, o.query)
	case len(o.Lines) == 0:
		fmt.Fprintf(&b, "%s has printed nothing\n", o.ID)
	case o.Omitted+over > 0:
		fmt.Fprintf(&b, "(%d of %s shown; more with tail, head, grep or raw)\n", len(lines), words.Plural(o.Matched, "matching line"))
	}
	for _, l := range lines {
		b.WriteString(l)
	}
	if o.DroppedLines > 0 {
		fmt.Fprintf(&b, "(the buffer is bounded: %s dropped since the start)\n", words.Plural(int(o.DroppedLines), "older line"))
	}
	fmt.Fprintf(&b, "cursor: %d\n", o.Next)
	return b.String()
}

// fitLines keeps the newest lines that fit into a default answer, oldest
// first, and says how many did not.
func fitLines(all []process.Line) (kept []string, over int) {
	const room = words.TextBudget - 300
	used, from := 0, len(all)
	texts := make([]string, len(all))
	for from > 0 {
		l := all[from-1]
		texts[from-1] = streamTag(l.Stream) + words.Clip(l.Text, 400) + "\n"
		if used += len(texts[from-1]); used > room {
			break
		}
		from--
	}
	return texts[from:], from
}

// streamTag marks every line, so that a process cannot write one that reads
// as Oriel's own.
func streamTag(s process.Stream) string {
	switch s {
	case process.Stdout:
		return "out| "
	case process.Stderr:
		return "err| "
	default:
		return "---| "
	}
}
