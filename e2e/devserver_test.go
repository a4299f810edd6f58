package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"oriel/internal/engine"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

// app is a real dev server under e2e/apps. Its page shows a greeting; editing
// file must bring the new one into the open page.
type app struct {
	name string
	file string
	full bool // its own way is to reload the page, with and without a proxy
}

var apps = []app{
	{name: "vite-react", file: "src/App.jsx"},
	{name: "webpack", file: "src/greeting.js"},
	{name: "next", file: "app/greeting.js"},
	{name: "astro", file: "src/components/Greeting.astro", full: true},
	{name: "sveltekit", file: "src/routes/+page.svelte"},
}

// defaultApps are those that every run installs (.ci/deps apps) and tries;
// ORIEL_E2E_APPS names others, after .ci/deps apps-all.
const defaultApps = "vite-react webpack"

func TestDevServers(t *testing.T) {
	wanted := os.Getenv("ORIEL_E2E_APPS")
	if wanted == "" {
		wanted = defaultApps
	}
	b := browser(t)
	ran := 0
	for _, a := range apps {
		if !strings.Contains(" "+wanted+" ", " "+a.name+" ") {
			continue
		}
		ran++
		t.Run(a.name, func(t *testing.T) {
			root := a.install(t)
			s := newSession(t, root)
			s.call("run", `{"script_name":"dev","timeout":"2m"}`)
			direct := s.field("proc", `{"action":"status"}`, "url")
			if direct == "" {
				t.Fatalf("no URL: %s", s.call("proc", `{"action":"output"}`))
			}
			t.Run("direct", func(t *testing.T) { a.try(t, b, root, direct) })
			s.call("proxy", fmt.Sprintf(`{"action":"start","id":"dev","target_url":%q}`, direct))
			proxied := s.field("proxy", `{"action":"status"}`, "url")
			t.Run("proxied", func(t *testing.T) {
				a.try(t, b, root, proxied+"/")
				if got := s.call("proxylog", `{"types":["error"]}`); !strings.Contains(got, "nothing matches") {
					t.Errorf("errors were recorded:\n%s", got)
				}
			})
		})
	}
	if ran == 0 {
		t.Fatalf("no app is called %q", wanted)
	}
}

// try opens the page, edits the source, and waits for the edit to arrive.
func (a app) try(t *testing.T, b context.Context, root, url string) {
	page, cancel := chromedp.NewContext(b)
	defer cancel()
	if err := chromedp.Do(page); err != nil {
		t.Fatal(err)
	}
	console := collect(page)
	a.write(t, root, "hello one")
	if err := chromedp.Do(page, chromedp.Navigate(url)); err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
	awaitGreeting(t, page, "hello one")
	do(t, page, "window.marker = 1")
	// The page's own client must be connected before the edit, or it misses it.
	awaitTrue(t, page, "performance.getEntriesByType('resource').length > 0 && document.readyState === 'complete'")
	deadline := time.Now().Add(time.Minute)
	for n := 2; ; n++ { // an edit that came before the client was ready is made again
		text := fmt.Sprintf("hello %d", n)
		a.write(t, root, text)
		if greetingWithin(page, text, 5*time.Second) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no edit arrived in the page")
		}
	}
	if kept := eval[bool](t, page, "window.marker === 1"); kept == a.full {
		t.Errorf("the page kept its state: %v", kept)
	}
	for _, line := range console.errors() {
		t.Errorf("on the console: %s", line)
	}
}

func awaitGreeting(t *testing.T, page context.Context, text string) {
	t.Helper()
	if !greetingWithin(page, text, time.Minute) {
		t.Fatalf("the page never showed %q", text)
	}
}

func greetingWithin(page context.Context, text string, limit time.Duration) bool {
	return trueWithin(page, fmt.Sprintf("document.getElementById('greeting')?.textContent === %q", text), limit)
}

func awaitTrue(t *testing.T, page context.Context, code string) {
	t.Helper()
	if !trueWithin(page, code, time.Minute) {
		t.Fatalf("never true in the page: %s", code)
	}
}

// trueWithin asks again and again: the page may be reloading meanwhile.
func trueWithin(page context.Context, code string, limit time.Duration) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		limited, cancel := context.WithTimeout(page, 5*time.Second)
		ok, err := chromedp.Run(limited, chromedp.Evaluate[bool](code))
		cancel()
		if err == nil && ok {
			return true
		}
		select {
		case <-page.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
	return false
}

// consoleLog is what the page wrote on its console.
type consoleLog struct {
	mu    sync.Mutex
	lines []string
}

func collect(page context.Context) *consoleLog {
	log := &consoleLog{}
	messages := chromedp.Console(page)
	go func() { // ends with the tab
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "warning" {
				log.mu.Lock()
				log.lines = append(log.lines, fmt.Sprintf("%s %s (%s)", m.Type, m.Text, m.URL))
				log.mu.Unlock()
			}
		}
	}()
	return log
}

func (c *consoleLog) errors() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.lines...)
}

// write puts the greeting into the app's source.
func (a app) write(t *testing.T, root, text string) {
	t.Helper()
	original, err := os.ReadFile(filepath.Join("apps", a.name, a.file))
	if err != nil {
		t.Fatal(err)
	}
	edited := strings.Replace(string(original), "hello one", text, 1)
	if err := os.WriteFile(filepath.Join(root, a.file), []byte(edited), 0o644); err != nil {
		t.Fatal(err)
	}
}

// install makes a copy of the app to run and edit, with its packages as hard
// links: bundlers do not like packages behind a symbolic link.
func (a app) install(t *testing.T) string {
	t.Helper()
	from, err := filepath.Abs(filepath.Join("apps", a.name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(from, "node_modules")); err != nil {
		t.Fatalf("%s is not installed: run .ci/deps apps (or apps-all)", a.name)
	}
	parent := filepath.Join(filepath.Dir(from), ".run")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(parent, a.name+"-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return place(path, filepath.Join(root, rel), d, strings.HasPrefix(rel, "node_modules"))
	})
	if err != nil {
		t.Fatal(err)
	}
	// A project of its own, so that the repository's is not taken for it.
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func place(from, to string, d fs.DirEntry, link bool) error {
	switch {
	case d.IsDir():
		return os.MkdirAll(to, 0o755)
	case d.Type()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	case link:
		return os.Link(from, to)
	}
	text, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, text, 0o644))
}

// session is the product without a front end, for one project.
type session struct {
	t      *testing.T
	caller tool.Caller
	root   string
}

func newSession(t *testing.T, root string) *session {
	t.Helper()
	e, err := engine.New(engine.Options{State: t.TempDir(), Linger: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	return &session{t, tools.Caller(e), root}
}

func (s *session) call(name, args string) string {
	s.t.Helper()
	res := s.caller.Call(s.t.Context(), tool.Call{Tool: name, Args: json.RawMessage(args), From: tool.Origin{Dir: s.root, Env: os.Environ()}})
	if res.IsError {
		s.t.Fatalf("%s %s: %s", name, args, res.Text)
	}
	return res.Text
}

// fail is the text of a call that must fail.
func (s *session) fail(name, args string) string {
	s.t.Helper()
	res := s.caller.Call(s.t.Context(), tool.Call{Tool: name, Args: json.RawMessage(args), From: tool.Origin{Dir: s.root, Env: os.Environ()}})
	if !res.IsError {
		s.t.Errorf("%s %s did not fail: %s", name, args, res.Text)
	}
	return res.Text
}

// field is one string of a raw answer.
func (s *session) field(name, args, field string) string {
	s.t.Helper()
	raw := s.call(name, strings.TrimSuffix(args, "}")+`,"raw":true}`)
	var fields map[string]json.RawMessage
	var text string
	if json.Unmarshal([]byte(raw), &fields) != nil || json.Unmarshal(fields[field], &text) != nil {
		return ""
	}
	return text
}
