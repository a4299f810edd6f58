package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel/internal/engine"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

// newCaller is the whole product without a front end, over an empty project.
func newCaller(t testing.TB) (tool.Caller, string) {
	t.Helper()
	root := t.TempDir()
	file := "scripts {\n nap { run \"echo line 1; echo line 2 >&2; echo line 3; sleep 100\"; }\n}\n"
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{State: t.TempDir(), Linger: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	return tools.Caller(e), root
}

// check holds an answer against the two forms there are.
func check(t *testing.T, c tool.Caller, root, name string, args json.RawMessage) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	res := c.Call(ctx, tool.Call{Tool: name, Args: args, From: tool.Origin{Dir: root, Env: os.Environ()}})
	if res.Text == "" {
		t.Errorf("%s %s: an empty answer", name, args)
	}
	if !res.IsError {
		return
	}
	var body map[string]string
	if err := json.Unmarshal([]byte(res.Text), &body); err != nil || len(body) != 1 || body["error"] == "" {
		t.Errorf("%s %s: an error of another form: %s", name, args, res.Text)
	}
	if strings.HasPrefix(body["error"], "internal error") {
		t.Errorf("%s %s: a panic: %s", name, args, res.Text)
	}
}

// furnish gives the project something to ask about: a process with output, a
// proxy with traffic.
func furnish(t *testing.T, c tool.Caller, root string) {
	t.Helper()
	for _, call := range [][2]string{
		{"run", `{"script_name":"nap","wait_for":"none"}`},
		{"proc", `{"action":"wait","id":"nap","until":"pattern","pattern":"line 3"}`},
		{"proxy", `{"action":"start","id":"x","target_url":"http://127.0.0.1:9","raw":true}`},
	} {
		res := c.Call(t.Context(), tool.Call{Tool: call[0], Args: json.RawMessage(call[1]), From: tool.Origin{Dir: root, Env: os.Environ()}})
		if res.IsError {
			t.Fatalf("%s %s: %s", call[0], call[1], res.Text)
		}
		var proxy struct{ URL string }
		if json.Unmarshal(res.Data, &proxy) == nil && proxy.URL != "" {
			resp, err := http.Get(proxy.URL + "/a?b=c") // nobody answers behind it, which is recorded
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	}
}

// harmful arguments are not for a fuzzer: they would run or end anything.
func harmful(args []byte) bool {
	var obj map[string]json.RawMessage
	if json.Unmarshal(args, &obj) != nil {
		return false
	}
	for _, name := range []string{"command", "kill", "path", "target_url", "url", "code"} {
		if v, ok := obj[name]; ok && string(v) != "null" {
			return true
		}
	}
	return false
}

// TestAnyArguments asks every tool, and every action, with arguments of every
// JSON type in every field.
func TestAnyArguments(t *testing.T) {
	c, root := newCaller(t)
	furnish(t, c, root)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, info := range tools.Table().List() {
		names, actions := properties(t, info.Schema)
		for range 300 {
			obj := map[string]json.RawMessage{}
			for range rng.IntN(4) {
				obj[pick(rng, append(names, "nonsense", ""))] = value(rng)
			}
			if len(actions) > 0 && rng.IntN(4) > 0 {
				obj["action"], _ = json.Marshal(pick(rng, actions))
			}
			args, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			if !harmful(args) {
				check(t, c, root, info.Name, args)
			}
		}
	}
}

// TestExtremeNumbers gives every two whole numbers of every action the values
// at which arithmetic breaks.
func TestExtremeNumbers(t *testing.T) {
	c, root := newCaller(t)
	furnish(t, c, root)
	for _, info := range tools.Table().List() {
		_, actions := properties(t, info.Schema)
		numbers := integers(t, info.Schema)
		for _, action := range append(actions, "") {
			for i, a := range numbers {
				for _, b := range numbers[i:] {
					for _, n := range []string{"9223372036854775807", "-9223372036854775808"} {
						args := fmt.Sprintf(`{"action":%q,%q:%s,%q:%s}`, action, a, n, b, n)
						if action == "" {
							args = fmt.Sprintf(`{%q:%s,%q:%s}`, a, n, b, n)
						}
						check(t, c, root, info.Name, json.RawMessage(args))
					}
				}
			}
		}
	}
}

func integers(t *testing.T, schema string) (names []string) {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	for name, p := range s.Properties {
		if p.Type == "integer" {
			names = append(names, name)
		}
	}
	return names
}

func properties(t *testing.T, schema string) (names, actions []string) {
	t.Helper()
	var s struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		t.Fatal(err)
	}
	for name, p := range s.Properties {
		if name == "action" {
			actions = p.Enum
			continue
		}
		names = append(names, name)
	}
	return names, actions
}

func pick(rng *rand.Rand, from []string) string { return from[rng.IntN(len(from))] }

func value(rng *rand.Rand) json.RawMessage {
	values := []string{`null`, `true`, `false`, `0`, `-1`, `1e308`, `-9007199254740993`, `9223372036854775807`, `-9223372036854775808`, `1.5`, `""`, `"x"`, `"nap"`, `"ready"`, `"\u0000\u001b[31m"`,
		`"../../.."`, `"10ms"`, `"("`, `[]`, `["a"]`, `[1]`, `[null]`, `{}`, `{"a":"b"}`, `{"a":1}`, `[[[[[]]]]]`, `"2026-01-01T00:00:00Z"`}
	return json.RawMessage(values[rng.IntN(len(values))])
}

// FuzzCall is TestAnyArguments with bytes that a machine makes up.
func FuzzCall(f *testing.F) {
	for _, info := range tools.Table().List() {
		f.Add(info.Name, []byte(`{"action":"status","id":"x"}`))
	}
	c, root := newCaller(f)
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		if name != tools.Attach && !harmful(args) {
			check(t, c, root, name, args)
		}
	})
}
