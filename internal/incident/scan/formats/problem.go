package formats

import (
	"strings"
	"time"
)

// Kind says what a problem stopped.
type Kind string

// The kinds.
const (
	Build  Kind = "build" // a compiler, bundler or linter refused the source
	Crash  Kind = "crash" // nothing caught it
	Logged Kind = "log"   // the program wrote it down as an error
	Test   Kind = "test"  // a test failed
)

// Problem is one error or warning that a process printed. The words are the
// process's own and not to be believed.
type Problem struct {
	Tool    string
	Kind    Kind
	Warning bool
	Message string
	Code    string // TS2345, E0308, no-undef …

	File         string // as printed, without file://
	Line, Column int    // from 1 as far as the tool counts so; 0: not printed
	Function     string
	Package      string // of a Go test, whose file is printed without its folder

	Forwarded bool // it happened in a page; the dev server only repeats it

	Request string   // "GET /cart" when it came up while that was answered
	Causes  []string // what it names as its cause, the nearest first

	Count             int
	First, Last       time.Time
	FirstSeq, LastSeq uint64 // of the first lines of the first and the last one

	// Resolved: the tool has since said that all is well. Perhaps: when it last
	// built or ran something without a complaint, which need not have been this
	// file; zero: never since.
	Resolved bool
	Perhaps  time.Time
	Ran      time.Duration // how long the program had run when it last came up

	// Checker: it was found by a program that checks and builds nothing.
	Checker bool
}

// Bounds of what is kept of a problem.
const (
	maxText   = 500 // bytes of a message
	maxCauses = 4
)

// Clean bounds a problem and takes off what tools put around paths.
func (p *Problem) Clean() {
	p.Message = clip(strings.TrimSpace(p.Message), maxText)
	p.File = cleanFile(p.File)
	if len(p.Causes) > maxCauses {
		p.Causes = p.Causes[:maxCauses]
	}
}

func (p *Problem) at(l place) { p.File, p.Line, p.Column = l.file, l.line, l.column }

// place is a position in a file.
type place struct {
	file         string
	line, column int
}

// Reader reads the lines of one printed report.
type Reader interface {
	// Next takes the line that follows; false: it does not belong here.
	Next(text string) bool
	// Problems are what was read. None: it was no report after all.
	Problems() []Problem
}

// Context is what was printed before a line that it may refer to.
type Context struct {
	prev    string // the last line that was not blank
	heading string // the last line at the margin that was not blank
	header  place  // node prints the place before the error
	left    int    // lines for which header holds
}

// Remember keeps a line that is not blank for those after it.
func (c *Context) Remember(text string) {
	c.prev = text
	if text[0] != ' ' && text[0] != '\t' {
		c.heading = text
	}
	if c.left > 0 {
		c.left--
	}
	if last := text[len(text)-1]; last >= '0' && last <= '9' {
		if p, ok := nodeHeader(text); ok {
			c.header, c.left = p, 6
		}
	}
}
