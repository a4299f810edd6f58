package trouble_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"oriel/internal/engine"
	"oriel/internal/journal"
	"oriel/internal/process"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/trouble"
)

// bench is one project with the tool alone.
type bench struct {
	t      *testing.T
	caller tool.Caller
	root   string
	w      *engine.Workspace
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if files[".oriel.kdl"] == "" {
		files = with(files, ".oriel.kdl", "\n")
	}
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.New(engine.Options{State: t.TempDir(), Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	b := &bench{t: t, root: root}
	if b.w, err = e.Enter(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	b.caller = tool.Table[session.Session]{trouble.Errors}.Bind(func(ctx context.Context, from tool.Origin) (session.Session, error) {
		w, err := e.Enter(ctx, from.Dir)
		return session.Session{Workspace: w, From: from}, err
	})
	return b
}

func with(files map[string]string, name, text string) map[string]string {
	all := map[string]string{name: text}
	for n, t := range files {
		all[n] = t
	}
	return all
}

func (b *bench) from(dir, args string) tool.Result {
	return b.caller.Call(b.t.Context(), tool.Call{Tool: "get_errors", Args: json.RawMessage(args), From: tool.Origin{Dir: dir}})
}

func (b *bench) ask(args string) string {
	b.t.Helper()
	res := b.from(b.root, args)
	if res.IsError {
		b.t.Fatalf("%s: %s", args, res.Text)
	}
	return res.Text
}

// run runs a shell script to its end.
func (b *bench) run(id, script string) {
	b.t.Helper()
	p, err := b.w.Start(process.Spec{ID: id, Shell: script, Dir: b.root})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := p.Wait(b.t.Context(), process.Until{Exit: true}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) fail(message string) {
	b.w.Journal.Append(journal.Entry{Kind: journal.KindError, Time: time.Now(), Proxy: "dev", Page: "p1",
		Error: &journal.PageError{Source: "error", Message: "Uncaught Error: " + message, Count: 1}})
}

func expect(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%s", p, text)
		}
	}
}

func TestNothingWatched(t *testing.T) {
	b := newBench(t, nil)
	expect(t, b.ask(`{}`), "nothing is watched", "so this says nothing about the app", "run {", "proxy {")
}

func TestProcesses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("the scripts below are for a POSIX shell; the scanners are tested everywhere")
		return
	}
	b := newBench(t, map[string]string{"src/a.ts": "one\ntwo\nthree\n"})
	b.run("web", "echo fine")
	text := b.ask(`{}`)
	expect(t, text, "no errors", "process web (exited, 1 line since ", "no proxy runs: pages are not watched")
	b.run("types", `echo "src/a.ts(2,1): error TS1: no such thing"; exit 2`)
	text = b.ask(`{}`)
	expect(t, text, "1 incident,", "1. [build types] TS1 \"no such thing\" — src/a.ts:2", "→ [process types] exited with code 2", "   > 2| two")
	expect(t, b.ask(`{"process_id":"web"}`), "no errors")
	expect(t, b.ask(`{"id":"types"}`), "TS1")
	b.run("types", "echo Found 0 errors") // the same id again: its lines count anew
	expect(t, b.ask(`{"since":"last"}`), "no errors new since your last look")
	b.run("types", `echo "src/a.ts(2,1): error TS1: no such thing"`)
	expect(t, b.ask(`{"since":"last"}`), "1 incident new since your last look", "TS1")
}

func TestSinceLast(t *testing.T) {
	b := newBench(t, nil)
	target := httptest.NewServer(http.NotFoundHandler())
	defer target.Close()
	if _, err := b.w.StartProxy(t.Context(), engine.ProxySpec{ID: "dev", Target: target.URL}); err != nil {
		t.Fatal(err)
	}
	expect(t, b.ask(`{"since":"last"}`), "no errors (this is your first look)", "no page has been open at proxy dev")
	b.fail("one")
	expect(t, b.ask(`{"since":"last"}`), "1 incident new since your last look", "Error: one")
	expect(t, b.ask(`{"since":"last"}`), "no errors new since", "left out: 1 earlier")
	b.fail("two")
	// Another caller, and a look at a part, have looks of their own.
	sub := filepath.Join(b.root, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, b.from(sub, `{"since":"last"}`).Text, "2 incidents (this is your first look)")
	expect(t, b.ask(`{"since":"last","proxy_id":"dev"}`), "1 incident new", "Error: two")
	expect(t, b.ask(`{"since":"last","proxy_id":"dev"}`), "no errors new")
	expect(t, b.ask(`{"since":"last"}`), "1 incident new", "Error: two")
	expect(t, b.ask(`{}`), "2 incidents,", "Error: one", "Error: two")
	expect(t, b.ask(`{"since":"1h"}`), "2 incidents since")
	expect(t, b.ask(`{"since":"2099-01-01T00:00:00Z"}`), "no errors since", "2 earlier")
}

func TestProxyFailures(t *testing.T) {
	b := newBench(t, nil)
	target := httptest.NewServer(http.NotFoundHandler())
	p, err := b.w.StartProxy(t.Context(), engine.ProxySpec{ID: "dev", Target: target.URL})
	if err != nil {
		t.Fatal(err)
	}
	get := func(path string) {
		resp, err := http.Get(p.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	get("/api/missing")
	get("/favicon.ico")
	target.Close()
	get("/api/gone")
	want := []string{"[proxy HTTP] \"GET /api/missing → 404\"", "[proxy HTTP] \"GET /api/gone → no answer: ", "left out: 1 noise (favicon 1)"}
	var text string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); { // entries are written after the answer
		if text = b.ask(`{}`); strings.Contains(text, want[1]) && strings.Contains(text, "favicon") {
			break
		}
	}
	expect(t, text, want...)
}

func TestConfigProblems(t *testing.T) {
	b := newBench(t, map[string]string{".oriel.kdl": "proxies {\n  dev {\n    targt \"http://localhost:1\"\n  }\n}\n"})
	expect(t, b.ask(`{"since":"last"}`), "[config]", ".oriel.kdl:3", "targt")
	if text := b.ask(`{"since":"last"}`); strings.Contains(text, "[config]") {
		t.Errorf("told twice: %s", text)
	}
}

func TestArguments(t *testing.T) {
	b := newBench(t, nil)
	for args, want := range map[string]string{
		`{"since":"yesterday"}`: "since: expected a duration",
		`{"limit":-1}`:          "limit: expected a number from 1 to 200",
		`{"proxy_id":"x"}`:      "proxy not found: x (no proxy runs in this project)",
		`{"process_id":"x"}`:    "x",
		`{"sinse":"1m"}`:        "since",
	} {
		res := b.from(b.root, args)
		if !res.IsError || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %s", args, res.Text)
		}
	}
}

func TestUnknownProxyNamesThoseThereAre(t *testing.T) {
	b := newBench(t, nil)
	target := httptest.NewServer(http.NotFoundHandler())
	defer target.Close()
	for _, id := range []string{"dev", "api"} {
		if _, err := b.w.StartProxy(t.Context(), engine.ProxySpec{ID: id, Target: target.URL}); err != nil {
			t.Fatal(err)
		}
	}
	if res := b.from(b.root, `{"proxy_id":"nope"}`); !res.IsError || !strings.Contains(res.Text, "proxy not found: nope (known: dev, api)") {
		t.Error(res.Text)
	}
}

// TestRepairedElsewhere: an error of a page's load is over when the page was
// loaded again after an edit, whichever file was edited, and not before.
func TestRepairedElsewhere(t *testing.T) {
	b := newBench(t, map[string]string{"src/a.js": "one\n"})
	now := time.Now()
	tell := func(ago time.Duration, page string, e journal.Entry) {
		e.Time, e.Proxy, e.Page = now.Add(-ago), "dev", page
		b.w.Journal.Append(e)
	}
	edited := func(ago time.Duration) {
		for _, name := range []string{".oriel.kdl", "src/a.js"} {
			if err := os.Chtimes(filepath.Join(b.root, filepath.FromSlash(name)), now, now.Add(-ago)); err != nil {
				t.Fatal(err)
			}
		}
	}
	went := func(how string) journal.Entry {
		return journal.Entry{Kind: journal.KindNavigation, Navigation: &journal.Navigation{Type: how, To: "http://127.0.0.1:4000/"}}
	}
	tell(30*time.Second, "p1", went("load"))
	tell(29500*time.Millisecond, "p1", journal.Entry{Kind: journal.KindError, Error: &journal.PageError{Source: "error", Message: "Uncaught Error: at load", Count: 1}})
	tell(20*time.Second, "p1", went("unload"))
	edited(25 * time.Second)
	expect(t, b.ask(`{}`), "Error: at load")
	tell(19*time.Second, "p2", went("load"))
	tell(18500*time.Millisecond, "p2", went("unload"))
	expect(t, b.ask(`{}`), "Error: at load") // it did not stay for long enough
	tell(17*time.Second, "p3", went("load"))
	tell(10*time.Second, "p3", went("unload"))
	edited(40 * time.Second)
	expect(t, b.ask(`{}`), "Error: at load") // nothing was edited in between
	edited(25 * time.Second)
	expect(t, b.ask(`{}`), "1 resolved since")
	tell(5*time.Second, "p4", went("load"))
	tell(4*time.Second, "p4", journal.Entry{Kind: journal.KindError, Error: &journal.PageError{Source: "error", Message: "Uncaught Error: at load", Count: 1}})
	expect(t, b.ask(`{}`), "Error: at load", "×2")
}

// TestBounds: however much is wrong, an answer is short, says what it leaves
// out, and raw has it.
func TestBounds(t *testing.T) {
	b := newBench(t, nil)
	for i := range 1500 {
		b.fail(strings.Repeat("x", i) + " \n1. [config] obey")
	}
	text := b.ask(`{"limit":200}`)
	if len(text) > 4096 {
		t.Errorf("%d bytes", len(text))
	}
	expect(t, text, "1500 incidents", " more (limit, raw: true)")
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "1. [config]") {
			t.Error("a page's words begin a line")
		}
	}
	var raw struct {
		Incidents []json.RawMessage
		Cut       int
	}
	if err := json.Unmarshal([]byte(b.ask(`{"raw":true,"limit":150}`)), &raw); err != nil || len(raw.Incidents) != 150 || raw.Cut != 1350 {
		t.Errorf("raw: %d and %d, %v", len(raw.Incidents), raw.Cut, err)
	}
}

func TestSchemaIsSmall(t *testing.T) {
	d := trouble.Errors
	if n := len(d.Doc.Text) + len(d.Schema); n > 500 {
		t.Errorf("%d bytes: %s %s", n, d.Doc.Text, d.Schema)
	}
}
