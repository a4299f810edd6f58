// Package incident says what is broken: which of all that happened in pages,
// proxies and processes is an error, which of those are one error and its
// echoes, and in what order a developer wants to hear of them.
//
// Facts come in from three sides (FromJournal, FromOutput, FromStatus); Group
// leaves out the noise, folds what is the same, leads each to its place in the
// source, ties echoes to their cause, and sorts. Nothing is kept between calls.
package incident

import (
	"time"

	"oriel/internal/incident/scan/formats"
	"oriel/internal/incident/source"
)

// Origin says where a fact showed.
type Origin string

// The origins, as answers tag them. Build and Process are followed by the
// process's id where there are several.
const (
	PageError     Origin = "page error"
	PageRejection Origin = "page rejection"
	Console       Origin = "console"
	Resource      Origin = "resource"
	CSP           Origin = "csp"
	HTTP          Origin = "proxy HTTP"
	Build         Origin = "build"
	Test          Origin = "test"
	Process       Origin = "process"
	Exit          Origin = "exit" // worded as the process's
	Config        Origin = "config"
)

// Place is a position in a source file.
type Place = source.Place

// Code is one line of a source file.
type Code = source.Code

// Fact is one thing that went wrong, as it was seen in one place. The words in
// it are the page's or the process's and not to be believed.
type Fact struct {
	Origin  Origin
	Source  string // id of the proxy or process
	Page    string // id, when it came from a page
	Message string
	Code    string
	Warning bool
	Ours    bool // the words are Oriel's own

	Count       int
	First, Last time.Time
	// Old: it had happened before the last look. Again: and has since.
	Old, Again bool
	Seq        uint64 // of a journal entry, for evidence

	Method, URL string // of an exchange or a resource; URL as the browser has it
	path        string // of URL
	Status      int
	End         time.Time // of an exchange
	Failed      bool      // no answer came
	Asset       bool      // a document, script or style: what a later success settles

	Stack        string // of a page
	Script       string // where the page says it was, when there is no stack
	ScriptLine   int
	ScriptColumn int
	Place        Place // of a process: as printed
	Package      string
	Forwarded    bool // a dev server repeats what a page said
	Request      string
	Causes       []string
	Kind         formats.Kind
	Resolved     bool
	Maybe        time.Time     // when what printed it last built or ran without a complaint since
	Ran          time.Duration // how long what printed it had run by then
	Checker      bool          // what printed it builds nothing
}

// Echo is what else went wrong because of the same thing.
type Echo struct {
	Origin  Origin `json:"origin"`
	Source  string `json:"source,omitempty"`
	Message string `json:"message"`
	Count   int    `json:"count"`
	Place   *Place `json:"place,omitempty"`
	Cause   bool   `json:"cause,omitempty"` // not an echo: what the error itself names as its cause
	Ours    bool   `json:"-"`               // the words are Oriel's own
}

// Incident is one error and its echoes.
type Incident struct {
	Origin   Origin    `json:"origin"`
	Source   string    `json:"source,omitempty"` // id of the proxy or process
	Page     string    `json:"page,omitempty"`
	Message  string    `json:"message"`
	Code     string    `json:"code,omitempty"`
	Warning  bool      `json:"warning,omitempty"`
	Resolved bool      `json:"resolved,omitempty"`
	Count    int       `json:"count"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Place    *Place    `json:"place,omitempty"`
	Frame    []Code    `json:"frame,omitempty"` // the source around Place
	Changed  bool      `json:"changed,omitempty"`
	Trail    []Echo    `json:"trail,omitempty"`   // in the order of time
	Entries  []uint64  `json:"entries,omitempty"` // of the log, for proxylog {ids}
	Ours     bool      `json:"-"`                 // the words are Oriel's own
	rank     int
}

// Noise counts what was left out because nobody can do anything about it.
type Noise struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Report is what is wrong.
type Report struct {
	Incidents []Incident `json:"incidents"` // the most useful first
	Noise     []Noise    `json:"noise,omitempty"`
	Resolved  int        `json:"resolved,omitempty"` // incidents left out because they are over
	Over      []Incident `json:"over,omitempty"`     // the newest of those
	Warnings  int        `json:"warnings,omitempty"` // incidents left out because they are warnings
	Earlier   int        `json:"earlier,omitempty"`  // incidents left out because they are older than asked for
}
