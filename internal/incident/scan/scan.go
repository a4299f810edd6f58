// Package scan finds problems in what processes print. How each tool reports is
// in formats; here the lines of programs and streams are told apart, problems
// are folded, and those that a tool says are over are marked. It reads line by
// line, keeps standard output and standard error apart, and never holds more
// than a bounded number of problems, however much is printed.
package scan

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"time"

	"oriel/internal/incident/scan/formats"
	"oriel/internal/process"
)

// Line is one line of output, without escape sequences.
type Line = process.Line

// Problem is one error or warning that a process printed.
type Problem = formats.Problem

// Bounds of a Scanner.
const (
	MaxProblems  = 400 // different ones; the oldest go first
	maxBlock     = 400 // lines of one problem
	requestSlack = 500 * time.Millisecond
	maxLine      = 4 << 10 // of a line that is looked at
	maxBuilt     = 256     // moments of builds
)

// Scanner reads one process's output. The zero value is ready.
type Scanner struct {
	streams [2]stream
	lanes   map[lane]*stream
	found   []*finding
	index   map[key]*finding
	dropped int
	rounds  map[[2]string]uint64 // lane and tool → where it last reported all there is
	runs    map[string]time.Time // lane → when the program was last run anew
	first   time.Time            // of the first line since the process was run
	request request
	built   []time.Time // when something was built and given out, in order
}

// finding is a problem and whose it is.
type finding struct {
	Problem
	lane string
}

// key tells problems apart; what is equal is one problem that came again.
type key struct {
	lane                string
	file, message, code string
	line, column        int
	warning             bool
}

// stream is one of the two streams of a process.
type stream struct {
	scanner *Scanner
	lane    string         // "": the process itself
	open    formats.Reader // of a problem that may go on
	began   Line
	lines   int
	context formats.Context
}

// request is what a server says it was answering.
type request struct {
	text string
	at   time.Time
}

// Line reads the next line. An unfinished one is left for later.
func (s *Scanner) Line(l Line) {
	if l.Partial {
		return
	}
	if l.Stream == process.Note {
		s.note(l)
		return
	}
	st, text := s.laneOf(l.Stream == process.Stderr, l.Text)
	if s.first.IsZero() {
		s.first = l.Time
	}
	l.Text = strings.TrimRight(text, " \t")
	if len(l.Text) > maxLine {
		l.Text = l.Text[:maxLine]
	}
	s.read(st, l)
}

func (s *Scanner) read(st *stream, l Line) {
	if st.open != nil {
		if st.lines++; st.lines < maxBlock && st.open.Next(l.Text) {
			return
		}
		s.close(st)
	}
	if l.Text == "" {
		return
	}
	if has := find(l.Text); has[0] == 0 || !s.signal(st.lane, l, has[0]) {
		st.began, st.lines = l, 0
		st.open = st.begin(l.Text, has[1])
	}
	st.context.Remember(l.Text)
}

// begin asks every reader that could know a line like this one.
func (st *stream) begin(text string, has uint64) formats.Reader {
	for ; has != 0; has &= has - 1 {
		for _, open := range formats.Families[bits.TrailingZeros64(has)].Open {
			if r := open(&st.context, text); r != nil {
				return r
			}
		}
	}
	return nil
}

func (s *Scanner) close(st *stream) {
	open := st.open
	st.open = nil
	if open == nil {
		return
	}
	for _, p := range open.Problems() {
		s.add(p, st.lane, st.began)
	}
}

// End closes what is open: no more lines come for now.
func (s *Scanner) End() {
	open := s.reading()
	slices.SortFunc(open, func(a, b *stream) int { return cmp.Compare(a.began.Seq, b.began.Seq) })
	for _, st := range open {
		s.close(st)
	}
}

// reading are the streams and lanes in which a report is under way.
func (s *Scanner) reading() []*stream {
	var open []*stream
	for i := range s.streams {
		if s.streams[i].open != nil {
			open = append(open, &s.streams[i])
		}
	}
	for _, st := range s.lanes {
		if st.open != nil {
			open = append(open, st)
		}
	}
	return open
}

func (s *Scanner) add(p Problem, lane string, at Line) {
	if p.Clean(); p.Message == "" {
		return
	}
	if p.Request == "" && answers(&p) && s.request.text != "" && at.Time.Sub(s.request.at).Abs() < requestSlack {
		p.Request = s.request.text
		s.request = request{}
	}
	since, ok := s.runs[lane]
	if !ok {
		since = s.first
	}
	p.Ran = at.Time.Sub(since)
	k := key{lane, p.File, p.Message, p.Code, p.Line, p.Column, p.Warning}
	if old := s.index[k]; old != nil {
		old.Count++
		old.Last, old.LastSeq, old.Ran = at.Time, at.Seq, p.Ran
		old.Resolved, old.Perhaps = false, time.Time{}
		if p.Request != "" {
			old.Request = p.Request
		}
		return
	}
	if s.index == nil {
		s.index = map[key]*finding{}
	}
	if len(s.found) >= MaxProblems {
		s.drop()
	}
	p.Count, p.First, p.Last, p.FirstSeq, p.LastSeq = 1, at.Time, at.Time, at.Seq, at.Seq
	f := &finding{p, lane}
	s.found = append(s.found, f)
	s.index[k] = f
}

// drop makes room: for a tenth at a time, so that a flood of different problems
// does not move the list for each.
func (s *Scanner) drop() {
	n := MaxProblems / 10
	for _, p := range s.found[:n] {
		delete(s.index, key{p.lane, p.File, p.Message, p.Code, p.Line, p.Column, p.Warning})
	}
	s.found = append(s.found[:0], s.found[n:]...)
	s.dropped += n
}

// Problems are those found so far, in the order of their first appearance.
func (s *Scanner) Problems() []Problem {
	s.End()
	list := make([]Problem, len(s.found))
	for i, p := range s.found {
		list[i] = p.Problem
	}
	return list
}

// Dropped is how many different problems were too many to be kept.
func (s *Scanner) Dropped() int { return s.dropped }

// Built is when something was built that pages then get, the last times of it.
func (s *Scanner) Built() []time.Time { return s.built }

// Output finds the problems in a whole kept output.
func Output(lines []Line) *Scanner {
	s := new(Scanner)
	for _, l := range lines {
		s.Line(l)
	}
	s.End()
	return s
}

// maxWords is how many lines of words are read by Build.
const maxWords = 60

// Build reads words as if a process had printed them: one failed build, with
// its file.
func Build(words string) (Problem, bool) {
	var s Scanner
	n := uint64(0)
	for line := range strings.SplitSeq(words, "\n") {
		if n++; n > maxWords {
			break
		}
		s.Line(Line{Seq: n, Stream: process.Stdout, Text: line})
	}
	found := s.Problems()
	if len(found) != 1 || found[0].Kind != formats.Build || found[0].File == "" {
		return Problem{}, false
	}
	return found[0], true
}
