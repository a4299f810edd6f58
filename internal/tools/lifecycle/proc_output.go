package lifecycle

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"oriel/internal/process"
	"oriel/internal/tools/words"
)

type procOutputIn struct {
	procID
	Stream string `json:"stream" enum:"stdout,stderr"`
	Tail   int    `json:"tail" doc:"default 40"`
	Head   int    `json:"head"`
	Grep   string `json:"grep" doc:"regexp"`
	Since  string `json:"since" doc:"30s, RFC 3339 time, or cursor"`
}

type procOutputOut struct {
	ID string `json:"id"`
	process.Output
	query string
	asked bool // for a number of lines
}

// Room is larger when a number of lines was asked for.
func (o procOutputOut) Room() int {
	if o.asked {
		return 64 << 10
	}
	return words.TextBudget
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
	out := procOutputOut{ID: p.Status().ID, Output: p.Output(q), query: in.Grep, asked: in.Tail > 0 || in.Head > 0}
	if in.Since != "" {
		out.query += " since " + in.Since
	}
	if out.Lines == nil {
		out.Lines = []process.Line{}
	}
	return out, nil
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
		return fmt.Errorf("since: %w, or the cursor of an earlier answer", err)
	}
	q.After = at
	return nil
}

func (o procOutputOut) Text() string {
	var b strings.Builder
	if o.Missed > 0 {
		fmt.Fprintf(&b, "(%s since your cursor were dropped from the bounded buffer)\n", words.Plural(int(o.Missed), "line"))
	}
	lines, over := fitLines(o.Lines, o.Room()-300)
	switch {
	case len(o.Lines) == 0 && o.query != "":
		fmt.Fprintf(&b, "no line of %s matches %q\n", o.ID, strings.TrimSpace(o.query))
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
func fitLines(all []process.Line, room int) (kept []string, over int) {
	used, from := 0, len(all)
	texts := make([]string, len(all))
	for from > 0 {
		l := all[from-1]
		texts[from-1] = streamTag(l.Stream) + shortLine(l.Text) + "\n"
		if used += len(texts[from-1]); used > room {
			break
		}
		from--
	}
	return texts[from:], from
}

// shortLine cuts a long line and says by how much.
func shortLine(text string) string {
	const most = 400
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	return words.Clip(text, most) + fmt.Sprintf(" (+%d characters: raw: true)", n-most)
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
