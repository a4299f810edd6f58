package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel/internal/tool"
)

// FuzzStdio sends any line to a client-less server and to one that was
// introduced: it lives on, says nothing but protocol, and answers the ping
// that follows.
func FuzzStdio(f *testing.F) {
	methods := []string{
		"initialize", "server/discover", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list",
		"resources/read", "resources/templates/list", "resources/subscribe", "resources/unsubscribe", "logging/setLevel",
		"completion/complete", "subscriptions/listen", "notifications/initialized", "notifications/cancelled",
		"notifications/progress", "notifications/roots/list_changed", "no/such",
	}
	params := []string{
		`{}`, `null`, `[]`, `5`, `{` + newMeta + `}`, `{"_meta":null}`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`,
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":null}}`,
		`{"protocolVersion":"2025-06-18","capabilities":{"roots":null,"sampling":{}},"clientInfo":null}`,
		`{"name":"zebra","arguments":{"a":[1,null]}}`, `{"name":"nope"}`, `{"name":"zebra","inputResponses":{"x":{}},"requestState":"s"}`,
		`{"requestId":1}`, `{"requestId":{}}`, `{"uri":"x"}`, `{"level":"debug"}`, `{"cursor":"x"}`, `{"notifications":{"toolsListChanged":true}}`,
		`{` + newMeta + `,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x"]}}`,
		`{"progressToken":1,"progress":1}`, `{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":"y"}}`,
	}
	for _, m := range methods {
		for _, p := range params {
			f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + m + `","params":` + p + `}`))
		}
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + m + `"}`))
		f.Add([]byte(`{"jsonrpc":"2.0","method":"` + m + `","params":{}}`))
	}
	o := Options{Tools: fakeTools, Caller: echo{}}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.Contains(line, []byte("bye")) {
			return // the ping's id
		}
		for _, before := range []string{"", hello + "\n" + ready + "\n"} {
			var out strings.Builder
			in := before + string(line) + "\n" + `{"jsonrpc":"2.0","id":"bye","method":"ping"}`
			if err := Stdio(context.Background(), o, strings.NewReader(in), &out); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			for l := range strings.Lines(out.String()) {
				if !json.Valid([]byte(l)) {
					t.Fatalf("%q: said %q", line, l)
				}
			}
			if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":"bye","result":{}}`) {
				t.Fatalf("%q: no answer to the ping: %s", line, out.String())
			}
		}
	})
}

type echo struct{}

func (echo) Call(_ context.Context, c tool.Call) tool.Result {
	return tool.Result{Text: string(c.Args)}
}

// A panic in the SDK's own handlers is an error, not the end of the process.
func TestDispatchRecovers(t *testing.T) {
	s, err := newServer(t.Context(), newFake().options())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	broken := s.dispatch(func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("boom") })
	res, err := broken(t.Context(), "prompts/list", &mcp.ListPromptsRequest{})
	if res != nil || err == nil || !strings.Contains(err.Error(), "internal error in prompts/list: boom") {
		t.Errorf("got %v, %v", res, err)
	}
}
