package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"oriel/internal/tool"
)

type session struct{ dir string }

type echoIn struct {
	ProxyID string        `json:"proxy_id" alias:"id" required:"true" doc:"Proxy"`
	Limit   int           `json:"limit"`
	Mode    string        `json:"mode" enum:"fast,slow"`
	Tags    []string      `json:"tags"`
	Env     tool.Pairs    `json:"env"`
	Wait    tool.Duration `json:"wait"`
}

type echoOut struct {
	In  echoIn `json:"in"`
	Dir string `json:"dir"`
}

func (e echoOut) Text() string { return e.In.ProxyID + " in " + e.Dir }

func (s session) echo(_ context.Context, in echoIn) (echoOut, error) {
	if in.ProxyID == "boom" {
		panic("at the disco")
	}
	if in.ProxyID == "bad" {
		return echoOut{}, errors.New("proxy not found: bad")
	}
	return echoOut{in, s.dir}, nil
}

type none struct{}

type idIn struct {
	ID    string `json:"id" required:"true"`
	Force bool   `json:"force"`
}

type said string

func (s said) Text() string { return string(s) }

func (s session) list(context.Context, none) (said, error)      { return "listed", nil }
func (s session) stop(_ context.Context, in idIn) (said, error) { return said("stopped " + in.ID), nil }

func table() tool.Caller {
	t := tool.Table[session]{
		tool.Define("echo", tool.Doc{Text: "Says it again."}, session.echo),
		tool.Group("proc", tool.Doc{Text: "Processes."}, tool.Do("list", session.list), tool.Do("stop", session.stop)),
		tool.Define("hidden", tool.Doc{}, session.list).Hide(),
	}
	return t.Bind(func(_ context.Context, o tool.Origin) (session, error) { return session{o.Dir}, nil })
}

func TestCall(t *testing.T) {
	for _, c := range []struct{ tool, args, want string }{
		{"echo", `{"proxy_id":"a"}`, "a in /p"},
		{"echo", `{"id":"a"}`, "a in /p"},
		{"echo", `{"id":"a","proxy_id":"a"}`, "a in /p"},
		{"echo", `{"id":"a","proxy_id":"b"}`, `{"error":"proxy_id and its alias id differ: give one"}`},
		{"echo", ``, "{\"error\":\"proxy_id required (or `id` alias)\"}"},
		{"echo", `null`, "{\"error\":\"proxy_id required (or `id` alias)\"}"},
		{"echo", `{"proxy_id":""}`, "{\"error\":\"proxy_id required (or `id` alias)\"}"},
		{"echo", `{"proxy_id":null}`, "{\"error\":\"proxy_id required (or `id` alias)\"}"},
		{"echo", `{"proxy_id":7}`, `{"error":"proxy_id: expected a string, got number 7"}`},
		{"echo", `{"proxy_id":"a","limit":"x"}`, `{"error":"limit: expected a whole number, got string \"x\""}`},
		{"echo", `{"proxy_id":"a","limit":1.5}`, `{"error":"limit: expected a whole number, got number 1.5"}`},
		{"echo", `{"proxy_id":"a","tags":"x"}`, `{"error":"tags: expected an array of strings, got string \"x\""}`},
		{"echo", `{"proxy_id":"a","env":[]}`, `{"error":"env: expected an object of strings, got an array"}`},
		{"echo", `{"proxy_id":"a","env":{"A":{}}}`, `{"error":"env: A: expected a string, got an object"}`},
		{"echo", `{"proxy_id":"a","wait":1e300}`, "a in /p"},
		{"echo", `{"proxy_id":"a","wait":"NaN"}`, `{"error":"wait: expected a duration such as \"30s\" or a number of seconds, got \"NaN\""}`},
		{"echo", `{"proxy_id":"a","wait":-1}`, `{"error":"wait: expected a duration from 0 up, got -1s"}`},
		{"echo", `{"proxy_id":"a","wait":-1e300}`, `{"error":"wait: expected a duration from 0 up, got -1e+300s"}`},
		{"echo", `{"proxy_id":"a","wait":"soon"}`, `{"error":"wait: expected a duration such as \"30s\" or a number of seconds, got \"soon\""}`},
		{"echo", `{"proxy_id":"a","mode":"fsat"}`, `{"error":"mode: unknown value \"fsat\" (did you mean \"fast\"? valid: fast, slow)"}`},
		{"echo", `{"proxyid":"a"}`, `{"error":"unknown field \"proxyid\" (did you mean \"proxy_id\"? valid: proxy_id, limit, mode, tags, env, wait, raw)"}`},
		{"echo", `[1]`, `{"error":"arguments must be a JSON object, got an array"}`},
		{"echo", `{`, `{"error":"arguments are not valid JSON: unexpected end of JSON input"}`},
		{"echo", `{"proxy_id":"a","raw":"yes"}`, `{"error":"raw: expected true or false, got string \"yes\""}`},
		{"echo", `{"proxy_id":"boom"}`, `{"error":"internal error in echo: at the disco"}`},
		{"echo", `{"proxy_id":"bad"}`, `{"error":"proxy not found: bad"}`},
		{"proc", `{}`, "listed"},
		{"proc", `{"action":""}`, "listed"},
		{"proc", `{"action":"stop","id":"dev"}`, "stopped dev"},
		{"proc", `{"action":"stop"}`, `{"error":"id required for stop"}`},
		{"proc", `{"action":"sotp"}`, `{"error":"unknown action \"sotp\" (did you mean \"stop\"? valid: list, stop)"}`},
		{"proc", `{"action":4}`, `{"error":"action: expected a string, got number 4 (valid: list, stop)"}`},
		{"proc", `{"action":"list","id":"x"}`, `{"error":"unknown field \"id\" for list (valid: action, raw)"}`},
		{"hidden", `{}`, "listed"},
		{"proccc", `{}`, `{"error":"unknown tool \"proccc\" (did you mean \"proc\"? valid: echo, proc)"}`},
	} {
		got := table().Call(t.Context(), tool.Call{Tool: c.tool, Args: json.RawMessage(c.args), From: tool.Origin{Dir: "/p"}})
		if got.Text != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, got.Text, c.want)
		}
		if got.IsError != strings.HasPrefix(c.want, `{"error"`) {
			t.Errorf("%s %s: IsError is %v", c.tool, c.args, got.IsError)
		}
	}
}

func TestRawIsTheTypedResult(t *testing.T) {
	got := table().Call(t.Context(), tool.Call{Tool: "echo", Args: json.RawMessage(`{"id":"<a>","wait":1.5,"raw":true}`)})
	if got.Text != string(got.Data) {
		t.Fatalf("text %s and data %s differ", got.Text, got.Data)
	}
	var out echoOut
	if err := json.Unmarshal(got.Data, &out); err != nil {
		t.Fatal(err)
	}
	if out.In.ProxyID != "<a>" || time.Duration(out.In.Wait) != 1500*time.Millisecond || strings.Contains(got.Text, `\u003c`) {
		t.Errorf("raw answer is %s", got.Text)
	}
}

// Models write ports and switches as what they are.
func TestPairsTakeNumbersAndSwitches(t *testing.T) {
	got := table().Call(t.Context(), tool.Call{Tool: "echo", Args: json.RawMessage(`{"id":"a","env":{"PORT":3000,"CI":true,"RATE":1.50,"BIG":12345678901234567890,"NAME":"x","NONE":null},"raw":true}`)})
	var out echoOut
	if err := json.Unmarshal(got.Data, &out); err != nil {
		t.Fatal(err, got.Text)
	}
	want := tool.Pairs{"PORT": "3000", "CI": "true", "RATE": "1.50", "BIG": "12345678901234567890", "NAME": "x", "NONE": ""}
	if !maps.Equal(out.In.Env, want) {
		t.Errorf("got %q", out.In.Env)
	}
}

func TestSchema(t *testing.T) {
	defs := tool.Table[session]{
		tool.Define("echo", tool.Doc{}, session.echo),
		tool.Group("proc", tool.Doc{Text: "P."}, tool.Do("list", session.list), tool.Do("stop", session.stop)),
		tool.Define("hidden", tool.Doc{}, session.list).Hide(),
	}.List()
	if len(defs) != 2 {
		t.Fatalf("%d tools are listed, want 2", len(defs))
	}
	want := `{"type":"object","properties":{"proxy_id":{"type":"string","description":"Proxy"},"id":{"type":"string"},"limit":{"type":"integer"},"mode":{"type":"string","enum":["fast","slow"]},"tags":{"type":"array","items":{"type":"string"}},"env":{"type":"object","additionalProperties":{"type":"string"}},"wait":{"type":"string"},"raw":{"type":"boolean"}}}`
	if defs[0].Schema != want {
		t.Errorf("echo:\n got %s\nwant %s", defs[0].Schema, want)
	}
	want = `{"type":"object","properties":{"action":{"type":"string","enum":["list","stop"]},"id":{"type":"string"},"force":{"type":"boolean"},"raw":{"type":"boolean"}}}`
	if defs[1].Schema != want {
		t.Errorf("proc:\n got %s\nwant %s", defs[1].Schema, want)
	}
	if defs[1].Doc.Text != "P. Actions: list; stop(id*,force)." {
		t.Errorf("proc's doc is %q", defs[1].Doc.Text)
	}
}

func TestProgressRidesOnTheContext(t *testing.T) {
	var got []tool.Progress
	ctx := tool.WithProgress(t.Context(), func(p tool.Progress) { got = append(got, p) })
	tool.Report(ctx, tool.Progress{Done: 1, Total: 2, Message: "half"})
	tool.Report(t.Context(), tool.Progress{Done: 9})
	if len(got) != 1 || got[0].Message != "half" {
		t.Errorf("reports: %v", got)
	}
}

// FuzzArgs: whatever the arguments, an answer has the seed's form.
func FuzzArgs(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"action":"stop","id":"\u0000"}`, `{"id":{}}`, `"x"`, `{"raw":1e999}`} {
		f.Add("proc", []byte(s))
		f.Add("echo", []byte(s))
	}
	caller := table()
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		res := caller.Call(t.Context(), tool.Call{Tool: name, Args: args})
		if !res.IsError {
			return
		}
		var body map[string]string
		if err := json.Unmarshal([]byte(res.Text), &body); err != nil || len(body) != 1 || body["error"] == "" {
			t.Errorf("%s %q is answered %s", name, args, res.Text)
		}
	})
}
