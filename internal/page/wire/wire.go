// Package wire is the messages between a page and its hub, the other half of
// web/agent/wire.ts. contract/wire.json holds an example of each; the tests of
// both sides read it. What a page sends is checked, bounded and cleaned here.
package wire

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

// Version of the messages.
const Version = 1

// Most characters kept of what a page says.
const (
	MaxMessage = 8_000
	MaxStack   = 8_000
	MaxURL     = 4_000
	MaxTitle   = 300
	MaxTarget  = 300
	MaxName    = 80
	MaxBatch   = 2_000 // events in one message
	MaxParts   = 1_000 // frames of one answer
)

// Message is any message from a page; T says which fields count.
type Message struct {
	T string `json:"t"`

	// hello
	Version    int      `json:"v"`
	Now        float64  `json:"now"`
	Opened     float64  `json:"opened"`
	FocusedAgo *float64 `json:"focusedAgo"`
	Page       string   `json:"page"` // hello: its own id; parent: the parent's
	Ticket     string   `json:"ticket"`
	Files      bool     `json:"files"`

	State *State `json:"state"` // hello, state

	Events []Event `json:"events"`
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

	Scale float64 `json:"scale"` // shot; its id, name and parts are those above

	Body []byte `json:"-"` // what follows the first line feed, and in further frames: the value of an exec
}

// State is what a page says about itself; what is nil did not change.
type State struct {
	URL     *string  `json:"url"`
	Title   *string  `json:"title"`
	Width   *float64 `json:"width"`
	Height  *float64 `json:"height"`
	Ratio   *float64 `json:"ratio"`
	Visible *bool    `json:"visible"`
	Focused *bool    `json:"focused"`
	Loaded  *bool    `json:"loaded"`
}

// Event is any PageEvent; Kind says which fields count.
type Event struct {
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

// Cut says how much of a value was left out.
type Cut struct {
	Items int `json:"items"` // elements, properties and objects nested too deep
	Chars int `json:"chars"` // characters of strings
}

var errMessage = errors.New("not a message of the channel")

// Decode reads one frame.
func Decode(frame []byte) (Message, error) {
	head, body, _ := bytes.Cut(frame, []byte{'\n'})
	var m Message
	if err := json.Unmarshal(head, &m); err != nil {
		return Message{}, fmt.Errorf("decode page message: %w", err)
	}
	switch m.T {
	case "hello", "state":
		if m.State == nil {
			return Message{}, errMessage
		}
	case "events":
		if len(m.Events) > MaxBatch {
			return Message{}, errMessage
		}
	case "result", "shot":
		if m.Parts < 0 || m.Parts > MaxParts {
			return Message{}, errMessage
		}
		m.Body = body
		return m, nil
	case "parent", "ping":
	default:
		return Message{}, errMessage
	}
	m.Parts = 0
	return m, nil
}

// Clock turns a page's times into ours. Its zero value trusts the page's clock.
type Clock struct {
	offset float64   // ms to add to the page's clock
	Opened time.Time // no event is older
}

// NewClock compares the page's clock, read when it said hello, with now.
func NewClock(m *Message, now time.Time) Clock {
	c := Clock{offset: float64(now.UnixMilli()) - m.Now}
	c.Opened = c.Time(m.Opened, now)
	return c
}

// oldest is how far back a page may claim to have been opened.
const oldest = 30 * 24 * time.Hour

// Time returns the page's time at as ours, never in the future and never before
// the page was opened.
func (c Clock) Time(at float64, now time.Time) time.Time {
	ms := at + c.offset
	first := c.Opened
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

// Entry turns an event into a journal entry without its place in the world,
// which the caller adds. It is false for an event of no known kind.
func (e *Event) Entry(cleanURL func(string) string) (journal.Entry, bool) {
	address := func(s string) string { return quote.Text(cleanURL(s), MaxURL) }
	out := journal.Entry{Kind: journal.Kind(e.Kind)}
	switch out.Kind {
	case journal.KindError:
		out.Error = &journal.PageError{
			Source: OneOf(e.Source, "error", "error", "rejection", "resource", "csp"), Message: quote.Lines(e.Message, MaxMessage),
			Stack: quote.Lines(e.Stack, MaxStack), URL: address(e.URL),
			Line: Whole(e.Line), Column: Whole(e.Column), Count: max(1, Whole(e.Count)),
		}
	case journal.KindConsole:
		out.Console = &journal.Console{
			Level: word(e.Level, "log"), Text: quote.Lines(e.Text, MaxMessage),
			Stack: quote.Lines(e.Stack, MaxStack), Count: max(1, Whole(e.Count)),
		}
	case journal.KindNavigation:
		kind := OneOf(e.Type, "", "load", "push", "replace", "pop", "hash", "unload")
		out.Navigation = &journal.Navigation{Type: kind, From: address(e.From), To: address(e.To)}
		return out, kind != ""
	case journal.KindPerformance:
		out.Performance = &journal.Performance{
			Name: quote.Text(e.Name, MaxName), Value: e.Value,
			Rating: word(e.Rating, ""), Target: quote.Text(e.Target, MaxTarget),
		}
	case journal.KindAction:
		kind := OneOf(e.Type, "", "click", "key", "submit", "input", "popstate")
		out.Action = &journal.Action{Type: kind, Target: quote.Text(e.Target, MaxTarget)}
		return out, kind != ""
	default:
		return journal.Entry{}, false
	}
	return out, true
}

// OneOf returns s if it is one of valid.
func OneOf(s, otherwise string, valid ...string) string {
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

// Whole returns f as a count or position, 0 when it is none.
func Whole(f float64) int {
	if !(f > 0 && f < 1<<31) {
		return 0
	}
	return int(f)
}

// Welcome answers hello.
type Welcome struct {
	T      string `json:"t"`
	Page   string `json:"page"`
	Ticket string `json:"ticket"`
}

// ExecRequest asks for code to be run.
type ExecRequest struct {
	T     string   `json:"t"`
	ID    uint64   `json:"id"`
	Forms []string `json:"forms"`
	Files bool     `json:"files,omitempty"`
	Limit int      `json:"limit"`
}

// NavigateRequest makes the page go elsewhere, or reload.
type NavigateRequest struct {
	T      string `json:"t"`
	URL    string `json:"url,omitempty"`
	Reload bool   `json:"reload,omitempty"`
}

// Pong answers ping.
type Pong struct {
	T string `json:"t"`
}

// Kept answers shot: where the picture is, or why it is nowhere.
type Kept struct {
	T     string `json:"t"`
	ID    uint64 `json:"id"`
	Seq   uint64 `json:"seq,omitempty"` // of its journal entry
	Path  string `json:"path,omitempty"`
	Error string `json:"error,omitempty"`
}

// Encode returns m as a frame; none of these types can fail.
func Encode[M Welcome | ExecRequest | NavigateRequest | Pong | Kept](m M) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		panic(err) // a struct of strings and numbers
	}
	return b.Bytes()
}
