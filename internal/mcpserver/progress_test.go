package mcpserver

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"oriel/internal/tool"
)

type sentReport struct {
	at time.Duration
	tool.Progress
}

// reports runs work with a reporter in fake time and gives what it sent.
func reports(t *testing.T, work func(r *reporter)) []sentReport {
	t.Helper()
	var sent []sentReport
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		r := &reporter{send: func(p tool.Progress) {
			sent = append(sent, sentReport{time.Since(begun), p})
		}}
		work(r)
		r.flush()
		count := len(sent)
		r.report(tool.Progress{Done: 1e9})
		time.Sleep(time.Minute)
		r.flush()
		if len(sent) != count {
			t.Errorf("%d reports came after the flush", len(sent)-count)
		}
	})
	for i := 1; i < len(sent); i++ {
		if sent[i].Done <= sent[i-1].Done {
			t.Errorf("report %d does not rise: %v after %v", i, sent[i].Done, sent[i-1].Done)
		}
	}
	return sent
}

func TestProgressIsThinnedOut(t *testing.T) {
	sent := reports(t, func(r *reporter) {
		for i := range 1000 { // every millisecond for a second
			r.report(tool.Progress{Done: float64(i + 1), Total: 1000})
			time.Sleep(time.Millisecond)
		}
	})
	if len(sent) < 10 || len(sent) > 12 {
		t.Errorf("%d reports in a second, want about 10", len(sent))
	}
	if first := sent[0]; first.at != 0 || first.Done != 1 {
		t.Errorf("the first came at %v with %v", first.at, first.Done)
	}
	if last := sent[len(sent)-1]; last.Done != 1000 || last.Total != 1000 {
		t.Errorf("the last is %+v", last.Progress)
	}
}

// What is held back goes out by itself when its time has come, not only when
// the next report or the end pushes it.
func TestProgressHeldBackIsSentInTime(t *testing.T) {
	sent := reports(t, func(r *reporter) {
		r.report(tool.Progress{Done: 1})
		time.Sleep(30 * time.Millisecond)
		r.report(tool.Progress{Done: 2})
		r.report(tool.Progress{Done: 3})
		time.Sleep(time.Hour)
	})
	if len(sent) != 2 || sent[1].Done != 3 || sent[1].at != progressEvery {
		t.Errorf("got %+v", sent)
	}
}

func TestProgressRises(t *testing.T) {
	sent := reports(t, func(r *reporter) {
		for _, p := range []tool.Progress{
			{Done: 0, Message: "starting"},
			{Done: 0, Message: "waiting"},
			{Done: 0, Message: "waiting"}, // nothing new
			{Done: 5, Message: "five"},
			{Done: 3},                  // back, and nothing to say
			{Done: 3, Message: "back"}, // back, but telling
			{Done: math.NaN()}, {Done: math.Inf(1)}, {Done: 9, Total: math.Inf(1)},
			{Done: 6},
		} {
			r.report(p)
			time.Sleep(time.Second)
		}
	})
	var got string
	for _, s := range sent {
		got += fmt.Sprintf("%g %s;", s.Done, s.Message)
	}
	if want := "0 starting;1e-06 waiting;5 five;5.000005 back;6 ;"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestStdioProgress(t *testing.T) {
	for _, token := range []string{`"tok"`, `7`} {
		c := startInitialized(t)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":` + token + `}}}`)
		last := 0.0
		for n := 0; ; n++ {
			line := c.hear()
			var m struct {
				ID     int
				Method string
				Params struct {
					ProgressToken json.RawMessage
					Progress      float64
					Total         float64
					Message       string
				}
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if m.ID == 1 {
				sameJSON(t, line, textAnswer("1", "done"))
				if last != 50 || n < 2 {
					t.Errorf("the result came after %d reports, the last at %v of 50", n, last)
				}
				break
			}
			if m.Method != "notifications/progress" || string(m.Params.ProgressToken) != token || m.Params.Progress <= last ||
				m.Params.Total != 50 || m.Params.Message != fmt.Sprint("step ", m.Params.Progress) {
				t.Fatalf("after %v: %s", last, line)
			}
			last = m.Params.Progress
		}
		_ = c.hangUp()
	}
}

// A client that gave no token, or none the protocol knows, hears only the result.
func TestStdioNoProgressUnlessAskedFor(t *testing.T) {
	c := startInitialized(t)
	for _, meta := range []string{`{}`, `{"progressToken":null}`, `{"progressToken":{}}`, `{"progressToken":true}`} {
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":` + meta + `}}`)
		c.expect(textAnswer("1", "done"))
	}
	_ = c.hangUp()
}
