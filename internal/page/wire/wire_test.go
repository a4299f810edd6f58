package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oriel/internal/journal"
)

// fixtures are the messages that web/agent/wire.test.ts reads too.
type fixtures struct {
	Page   map[string]json.RawMessage `json:"page"`
	Server map[string]json.RawMessage `json:"server"`
}

func readFixtures(t *testing.T) fixtures {
	t.Helper()
	text, err := os.ReadFile("../../../contract/wire.json")
	if err != nil {
		t.Fatal(err)
	}
	var f fixtures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEveryPageMessageIsUnderstoodWhole(t *testing.T) {
	for name, raw := range readFixtures(t).Page {
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&Message{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, raw); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode(compact.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServerMessagesAreAsAgreed(t *testing.T) {
	ours := map[string][]byte{
		"welcome":    Encode(Welcome{T: "welcome", Page: "pabcdefgh", Ticket: "dGlja2V0"}),
		"exec":       Encode(ExecRequest{T: "exec", ID: 7, Forms: []string{"document.currentScript.o(async()=>(\n1\n))"}, Limit: 1 << 20}),
		"exec files": Encode(ExecRequest{T: "exec", ID: 8, Forms: []string{"/__devtool/x/ABC.js"}, Files: true, Limit: 1 << 20}),
		"navigate":   Encode(NavigateRequest{T: "navigate", URL: "/cart"}),
		"reload":     Encode(NavigateRequest{T: "navigate", Reload: true}),
		"kept":       Encode(Kept{T: "kept", ID: 1, Seq: 42, Path: "/state/screenshots/a.png"}),
		"not kept":   Encode(Kept{T: "kept", ID: 2, Error: "too many pictures at once"}),
		"pong":       Encode(Pong{T: "pong"}),
	}
	theirs := readFixtures(t).Server
	if len(ours) != len(theirs) {
		t.Errorf("%d messages here, %d in the contract", len(ours), len(theirs))
	}
	for name, raw := range theirs {
		var want, got bytes.Buffer
		if err := json.Compact(&want, raw); err != nil {
			t.Fatal(err)
		}
		if err := json.Compact(&got, ours[name]); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want.String() != got.String() {
			t.Errorf("%s:\n got %s\nwant %s", name, &got, &want)
		}
	}
}

func TestEventsBecomeEntries(t *testing.T) {
	var m Message
	if err := json.Unmarshal(readFixtures(t).Page["events"], &m); err != nil {
		t.Fatal(err)
	}
	var got []journal.Entry
	for i := range m.Events {
		e, ok := m.Events[i].Entry(func(u string) string { return strings.ReplaceAll(u, "shop", "***") })
		if !ok {
			t.Fatalf("event %d refused", i)
		}
		got = append(got, e)
	}
	want := []journal.Entry{
		{Kind: journal.KindError, Error: &journal.PageError{Source: "rejection", Message: "boom", Stack: "Error: boom\n    at f (http://127.0.0.1:4000/a.js:3:7)", URL: "http://127.0.0.1:4000/a.js", Line: 3, Column: 7, Count: 2}},
		{Kind: journal.KindError, Error: &journal.PageError{Source: "resource", Message: "img failed to load", Count: 1}},
		{Kind: journal.KindConsole, Console: &journal.Console{Level: "warn", Text: "careful", Stack: "at g", Count: 4}},
		{Kind: journal.KindNavigation, Navigation: &journal.Navigation{Type: "push", From: "http://127.0.0.1:4000/***", To: "http://127.0.0.1:4000/cart"}},
		{Kind: journal.KindPerformance, Performance: &journal.Performance{Name: "LCP", Value: 812.5, Rating: "good", Target: "<img#hero>"}},
		{Kind: journal.KindAction, Action: &journal.Action{Type: "click", Target: `<button#buy "Buy">`}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEventsAreCleaned(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	same := func(s string) string { return s }
	e, _ := (&Event{Kind: "console", Level: "Oriel says:\n", Text: "\x1b[2Ja\u202eb" + long, Stack: long, Count: -5}).Entry(same)
	if e.Console.Level != "log" || strings.ContainsAny(e.Console.Text, "\x1b\u202e") || len(e.Console.Text) > MaxMessage+3 || len(e.Console.Stack) > MaxStack+3 || e.Console.Count != 1 {
		t.Errorf("console: level %q, %d and %d bytes, count %d", e.Console.Level, len(e.Console.Text), len(e.Console.Stack), e.Console.Count)
	}
	e, _ = (&Event{Kind: "error", Source: "oriel", Line: 1e300, Column: -1}).Entry(same)
	if e.Error.Source != "error" || e.Error.Line != 0 || e.Error.Column != 0 {
		t.Errorf("error: %+v", e.Error)
	}
	for _, bad := range []Event{{Kind: "http"}, {Kind: "screenshot"}, {Kind: "websocket"}, {Kind: ""}, {Kind: "navigation", Type: "teleport"}, {Kind: "action", Type: "type"}} {
		if _, ok := bad.Entry(same); ok {
			t.Errorf("%+v accepted", bad)
		}
	}
}

func TestClock(t *testing.T) {
	now := time.UnixMilli(2_000_000_000_000)
	// The page's clock is an hour ahead of ours.
	c := NewClock(&Message{Now: 2_000_003_600_000, Opened: 2_000_003_590_000}, now)
	for at, want := range map[float64]int64{
		2_000_003_595_000: 1_999_999_995_000, // its five seconds ago are ours
		2_000_003_600_000: 2_000_000_000_000,
		9e18:              2_000_000_000_000, // never in the future
		math.MaxFloat64:   2_000_000_000_000,
		0:                 1_999_999_990_000, // never before it was opened
		-1e300:            1_999_999_990_000,
	} {
		if got := c.Time(at, now).UnixMilli(); got != want {
			t.Errorf("%v = %d, want %d", at, got, want)
		}
	}
	c = NewClock(&Message{Now: 2_000_000_000_000, Opened: -1e18}, now)
	if age := now.Sub(c.Opened); age > oldest {
		t.Errorf("opened %v ago", age)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"t":"events","events":[{"kind":"console","text":"x"}]}`))
	f.Add([]byte("{\"t\":\"result\",\"ok\":true,\"id\":1}\n[1]"))
	f.Add([]byte(`{"t":"state","state":{"width":1e999}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		m, err := Decode(frame)
		if err != nil {
			return
		}
		now := time.Now()
		c := NewClock(&m, now)
		for i := range m.Events {
			if e, ok := m.Events[i].Entry(func(s string) string { return s }); ok && e.Kind == "" {
				t.Error("an entry without a kind")
			}
			if got := c.Time(m.Events[i].At, now); got.After(now) || got.Before(now.Add(-oldest-time.Second)) {
				t.Errorf("time %v", got)
			}
		}
	})
}
