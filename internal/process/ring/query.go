package ring

import (
	"regexp"
	"time"
)

// readBatch is how much text a follower copies at a time.
const readBatch = 256 << 10

// Query selects lines. The zero Query selects everything held.
type Query struct {
	Stream Stream         // only this stream; "" is all of them
	Grep   *regexp.Regexp // only lines it matches
	Since  uint64         // only lines with Seq >= Since: the Next of an earlier Output
	After  time.Time      // only lines that came later than this
	Head   int            // at most this many from the beginning …
	Tail   int            // … and this many from the end; both 0: all
}

// Output is what a Query found.
type Output struct {
	Lines []Line `json:"lines"`
	// Next is the Since that continues after Lines. A partial line is shown, and
	// comes again, finished, under the next cursor.
	Next uint64 `json:"next"`
	// Matched is how many lines fit the query; Omitted how many of them Head and
	// Tail left out.
	Matched int `json:"matched"`
	Omitted int `json:"omitted,omitempty"`
	// Missed counts the lines from Since on that were dropped before they could
	// be read; DroppedLines and DroppedBytes all that the bound ever cost.
	Missed       uint64 `json:"missed,omitempty"`
	DroppedLines uint64 `json:"droppedLines,omitempty"`
	DroppedBytes uint64 `json:"droppedBytes,omitempty"`
}

// Query returns what is held and fits q, oldest first.
func (r *Ring) Query(q Query) Output {
	var out Output
	r.mu.Lock()
	from := max(q.Since, r.first)
	if q.Since > 0 && q.Since < r.first {
		out.Missed = r.first - q.Since
	}
	out.DroppedLines, out.DroppedBytes = r.droppedLines, r.droppedBytes
	out.Next = r.next
	metas, text := r.copyOut(from, q.wants, -1)
	partial := r.partial()
	r.mu.Unlock()

	// Regular expressions run outside the lock: the child must not wait for them.
	lines := toLines(metas, text)
	lines = append(lines, partial...)
	kept := lines[:0]
	for _, l := range lines {
		if q.fits(l) {
			kept = append(kept, l)
		}
	}
	out.Matched = len(kept)
	out.Lines = kept
	q.Head, q.Tail = min(q.Head, len(kept)), min(q.Tail, len(kept)) // their sum must be a number
	switch {
	case q.Head <= 0 && q.Tail <= 0 || q.Head+q.Tail >= len(kept):
	case q.Tail <= 0:
		out.Lines = kept[:q.Head]
		if last := out.Lines[q.Head-1]; !last.Partial {
			out.Next = last.Seq + 1
		}
	case q.Head <= 0:
		out.Lines = kept[len(kept)-q.Tail:]
	default:
		out.Lines = append(kept[:q.Head:q.Head], kept[len(kept)-q.Tail:]...)
	}
	out.Omitted = out.Matched - len(out.Lines)
	return out
}

// wants tells from the meta alone whether a line can fit.
func (q Query) wants(m *meta) bool {
	if q.Stream != "" && streamNames[m.stream] != q.Stream {
		return false
	}
	return q.After.IsZero() || m.at > q.After.UnixNano()
}

func (q Query) fits(l Line) bool {
	if q.Stream != "" && l.Stream != q.Stream || !q.After.IsZero() && !l.Time.After(q.After) {
		return false
	}
	return q.Grep == nil || q.Grep.MatchString(l.Text)
}

// Read returns finished lines from seq on, at most about limit bytes of them,
// and the cursor that continues. Lines already dropped are passed over.
func (r *Ring) Read(seq uint64, limit int) ([]Line, uint64) {
	r.mu.Lock()
	metas, text := r.copyOut(max(seq, r.first), nil, limit)
	next := max(seq, r.first)
	r.mu.Unlock()
	lines := toLines(metas, text)
	if n := len(lines); n > 0 {
		next = lines[n-1].Seq + 1
	}
	return lines, next
}

// Partial returns the lines the child has begun and not ended, as they stand.
func (r *Ring) Partial() []Line {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.partial()
}

func (r *Ring) partial() []Line {
	var lines []Line
	for i := range r.open {
		c := &r.open[i]
		if !c.pending() {
			continue
		}
		text, cut := c.peek()
		lines = append(lines, Line{Seq: r.next + uint64(len(lines)), Time: time.Unix(0, c.at), Stream: streamNames[i], Text: string(text), Cut: cut, Partial: true})
	}
	if len(lines) == 2 && lines[1].Time.Before(lines[0].Time) {
		lines[0], lines[1] = lines[1], lines[0]
		lines[0].Seq, lines[1].Seq = lines[1].Seq, lines[0].Seq
	}
	for i := range lines {
		if lines[i].Cut > 0 {
			lines[i].Text += cutNote(lines[i].Cut)
		}
	}
	return lines
}

// held is a meta with its number.
type held struct {
	seq uint64
	meta
}

// copyOut copies the wanted lines from seq on and their texts, one after
// another. A limit >= 0 ends it once that many bytes are copied. Called with
// the lock held.
func (r *Ring) copyOut(seq uint64, want func(*meta) bool, limit int) ([]held, []byte) {
	if seq >= r.next {
		return nil, nil
	}
	metas := make([]held, 0, min(int(r.next-seq), 4096))
	var text []byte
	for q := seq; q < r.next; q++ {
		m := r.lines[q%uint64(len(r.lines))]
		if want != nil && !want(&m) {
			continue
		}
		metas = append(metas, held{q, m})
		text = r.appendText(text, m)
		if limit >= 0 && len(text)+lineCost*len(metas) >= limit {
			break
		}
	}
	return metas, text
}

// toLines cuts one string into the texts of all lines: one allocation for all.
func toLines(metas []held, text []byte) []Line {
	if len(metas) == 0 {
		return nil
	}
	all := string(text)
	lines := make([]Line, len(metas))
	for i, m := range metas {
		t := all[:m.n]
		all = all[m.n:]
		if m.cut > 0 {
			t += cutNote(m.cut)
		}
		lines[i] = Line{Seq: m.seq, Time: time.Unix(0, m.at), Stream: streamNames[m.stream], Text: t, Cut: m.cut}
	}
	return lines
}
