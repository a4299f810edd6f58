package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"oriel/internal/journal"
	"oriel/internal/quote"
)

// The other half of web/agent/wire.ts. contract/wire.json holds an example of
// each message; the tests of both sides read it.
const wireVersion = 1

// Most characters kept of what a page says.
const (
	maxMessage = 8_000
	maxStack   = 8_000
	maxURL     = 4_000
	maxTitle   = 300
	maxTarget  = 300
	maxName    = 80
	maxBatch   = 2_000 // events in one message
	maxParts   = 1_000 // frames of one answer
)

// message is any message from a page; t says which fields count.
type message struct {
	T string `json:"t"`

	// hello
	Version    int      `json:"v"`
	Now        float64  `json:"now"`
	Opened     float64  `json:"opened"`
	FocusedAgo *float64 `json:"focusedAgo"`
	Page       string   `json:"page"` // hello: its own id; parent: the parent's
	Ticket     string   `json:"ticket"`
	Files      bool     `json:"files"`

	State *state `json:"state"` // hello, state

	Events []event `json:"events"`
	Lost   int     `json:"lost"`

	// result
	ID      uint64 `json:"id"`
	OK      bool   `json:"ok"`
	Type    string `json:"type"`
	Exact   bool   `json:"exact"`
	Cut     *Cut   `json:"cut"`
	Parts   int    `json:"parts"` // frames with the rest of the value
	Why     string `json:"why"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Form    int    `json:"form"`

	body []byte // what follows the first line feed, and in further frames: the value of an exec
}

// state is what a page says about itself; what is nil did not change.
type state struct {
	URL     *string  `json:"url"`
	Title   *string  `json:"title"`
	Width   *float64 `json:"width"`
	Height  *float64 `json:"height"`
	Ratio   *float64 `json:"ratio"`
	Visible *bool    `json:"visible"`
	Focused *bool    `json:"focused"`
	Loaded  *bool    `json:"loaded"`
}

// event is any PageEvent; kind says which fields count.
type event struct {
	Kind    string  `json:"kind"`
	At      float64 `json:"at"`
	Source  string  `json:"source"`
	Message string  `json:"message"`
	Stack   string  `json:"stack"`
	URL     string  `json:"url"`
	Line    float64 `json:"line"`
	Column  float64 `json:"column"`
	Count   float64 `json:"count"`
	Level   string  `json:"level"`
	Text    string  `json:"text"`
	Type    string  `json:"type"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Rating  string  `json:"rating"`
	Target  string  `json:"target"`
}

var errMessage = errors.New("not a message of the channel")

// decode reads one frame.
func decode(frame []byte) (message, error) {
	head, body, _ := bytes.Cut(frame, []byte{'\n'})
	var m message
	if err := json.Unmarshal(head, &m); err != nil {
		return message{}, fmt.Errorf("decode page message: %w", err)
	}
	switch m.T {
	case "hello", "state":
		if m.State == nil {
			return message{}, errMessage
		}
	case "events":
		if len(m.Events) > maxBatch {
			return message{}, errMessage
		}
	case "result":
		if m.Parts < 0 || m.Parts > maxParts {
			return message{}, errMessage
		}
		m.body = body
		return m, nil
	case "parent", "ping":
	default:
		return message{}, errMessage
	}
	m.Parts = 0
	return m, nil
}

// clock turns a page's times into ours. Its zero value trusts the page's clock.
type clock struct {
	offset float64   // ms to add to the page's clock
	opened time.Time // no event is older
}

// newClock compares the page's clock, read when it said hello, with now.
func newClock(m *message, now time.Time) clock {
	c := clock{offset: float64(now.UnixMilli()) - m.Now}
	c.opened = c.time(m.Opened, now)
	return c
}

// oldest is how far back a page may claim to have been opened.
const oldest = 30 * 24 * time.Hour

// time returns the page's time at as ours, never in the future and never before
// the page was opened.
func (c clock) time(at float64, now time.Time) time.Time {
	ms := at + c.offset
	first := c.opened
	if first.IsZero() {
		first = now.Add(-oldest)
	}
	if math.IsNaN(ms) || ms >= float64(now.UnixMilli()) {
		return now
	}
	if ms < float64(first.UnixMilli()) {
		return first
	}
	return time.UnixMicro(int64(ms * 1000))
}

// entry turns an event into a journal entry without its place in the world,
// which the caller adds. It is false for an event of no known kind.
func (e *event) entry(cleanURL func(string) string) (journal.Entry, bool) {
	address := func(s string) string { return quote.Text(cleanURL(s), maxURL) }
	out := journal.Entry{Kind: journal.Kind(e.Kind)}
	switch out.Kind {
	case journal.KindError:
		out.Error = &journal.PageError{
			Source: oneOf(e.Source, "error", "error", "rejection", "resource", "csp"), Message: quote.Lines(e.Message, maxMessage),
			Stack: quote.Lines(e.Stack, maxStack), URL: address(e.URL),
			Line: whole(e.Line), Column: whole(e.Column), Count: max(1, whole(e.Count)),
		}
	case journal.KindConsole:
		out.Console = &journal.Console{
			Level: word(e.Level, "log"), Text: quote.Lines(e.Text, maxMessage),
			Stack: quote.Lines(e.Stack, maxStack), Count: max(1, whole(e.Count)),
		}
	case journal.KindNavigation:
		kind := oneOf(e.Type, "", "load", "push", "replace", "pop", "hash", "unload")
		out.Navigation = &journal.Navigation{Type: kind, From: address(e.From), To: address(e.To)}
		return out, kind != ""
	case journal.KindPerformance:
		out.Performance = &journal.Performance{
			Name: quote.Text(e.Name, maxName), Value: e.Value,
			Rating: word(e.Rating, ""), Target: quote.Text(e.Target, maxTarget),
		}
	case journal.KindAction:
		kind := oneOf(e.Type, "", "click", "key", "submit", "input", "popstate")
		out.Action = &journal.Action{Type: kind, Target: quote.Text(e.Target, maxTarget)}
		return out, kind != ""
	default:
		return journal.Entry{}, false
	}
	return out, true
}

func oneOf(s, otherwise string, valid ...string) string {
	for _, v := range valid {
		if s == v {
			return s
		}
	}
	return otherwise
}

// word accepts only a short lower-case word with dashes, as the names of
// console methods and ratings are.
func word(s, otherwise string) string {
	if s == "" || len(s) > 24 {
		return otherwise
	}
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' {
			return otherwise
		}
	}
	return s
}

// whole returns f as a count or position, 0 when it is none.
func whole(f float64) int {
	if !(f > 0 && f < 1<<31) {
		return 0
	}
	return int(f)
}

// The messages to a page.

type welcome struct {
	T      string `json:"t"`
	Page   string `json:"page"`
	Ticket string `json:"ticket"`
}

type execRequest struct {
	T     string   `json:"t"`
	ID    uint64   `json:"id"`
	Forms []string `json:"forms"`
	Files bool     `json:"files,omitempty"`
	Limit int      `json:"limit"`
}

type navigateRequest struct {
	T      string `json:"t"`
	URL    string `json:"url,omitempty"`
	Reload bool   `json:"reload,omitempty"`
}

type pong struct {
	T string `json:"t"`
}

// encode returns m as a frame; none of the types above can fail.
func encode[M welcome | execRequest | navigateRequest | pong](m M) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic(err) // a struct of strings and numbers
	}
	return b.Bytes()
}
