package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel/internal/incident"
)

// brokenShop is the sample app with four faults planted: a typo in a component,
// a throw in an effect, an API that answers 500, an image that is not there. The
// dev server repeats the page's errors in its own output, as Vite does when it
// thinks that an assistant reads it: that makes none of them another incident.
var brokenShop = map[string]string{
	"vite.config.js": `import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = {
  name: 'api',
  configureServer(server) {
    server.middlewares.use('/api/orders', (_, res) => {
      res.statusCode = 500;
      res.setHeader('Content-Type', 'application/json');
      res.end('{"error":"no such table: orders"}');
    });
  },
};

export default defineConfig({ plugins: [react(), api], cacheDir: '.vite', appType: 'mpa', server: { forwardConsole: true } });
`,
	"src/main.jsx": `import { createRoot } from 'react-dom/client';
import { App } from './App.jsx';
import { Total } from './Total.jsx';
import { Clock } from './Clock.jsx';

const mount = (id, node) => createRoot(document.getElementById(id)).render(node);
mount('root', <App />);
mount('total', <Total items={[1, 2]} />);
mount('clock', <Clock />);
`,
	"src/App.jsx": `import { useEffect } from 'react';

async function loadOrders() {
  const res = await fetch('/api/orders');
  if (!res.ok) throw new Error('orders: HTTP ' + res.status);
  return res.json();
}

export function App() {
  useEffect(() => { loadOrders(); }, []);
  return (
    <div>
      <p id="greeting">hello one</p>
      <img src="/img/teapot.png" alt="" />
    </div>
  );
}
`,
	"src/Total.jsx": `export function Total({ items }) {
  const sum = items.reduce((a, b) => a + b, 0);
  return <p>{summ}</p>;
}
`,
	"src/Clock.jsx": `import { useEffect } from 'react';

export function Clock() {
  useEffect(() => {
    throw new Error('clock has no hands');
  }, []);
  return <p>12:00</p>;
}
`,
	"index.html": `<!doctype html>
<html>
  <head><meta charset="utf-8"><title>shop</title></head>
  <body>
    <div id="root"></div><div id="total"></div><div id="clock"></div>
    <script type="module" src="/src/main.jsx"></script>
  </body>
</html>
`,
}

// TestErrors: four faults of a real app are four incidents with the right lines,
// in few bytes; what was seen is not told again, what is new is.
func TestErrors(t *testing.T) {
	root := app{name: "vite-react"}.install(t)
	for name, text := range brokenShop {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := newSession(t, root)
	if got := s.call("get_errors", `{}`); !strings.Contains(got, "nothing is watched") {
		t.Errorf("before anything runs: %s", got)
	}
	s.call("run", `{"script_name":"dev","timeout":"2m"}`)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"dev","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
	if got := s.call("get_errors", `{}`); !strings.Contains(got, "no errors") || !strings.Contains(got, "no page has been open") {
		t.Errorf("before a page is open: %s", got)
	}
	page := tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url")+"/")
	awaitGreeting(t, page, "hello one")

	want := []string{"src/Total.jsx:3", "src/Clock.jsx:5", "src/App.jsx:5", "src/App.jsx:14"}
	awaitIncidents(t, s, len(want))
	text := s.call("get_errors", `{}`)
	t.Logf("%d bytes:\n%s", len(text), text)
	if len(text) > 1500 {
		t.Errorf("%d bytes for four incidents", len(text))
	}
	for _, place := range want {
		if !strings.Contains(text, place) {
			t.Errorf("%s is not named", place)
		}
	}
	for _, words := range []string{"[page error] \"ReferenceError: summ is not defined\"", "clock has no hands", "[proxy HTTP] \"GET /api/orders → 500: no such table: orders\"", "[page rejection]", "[resource]"} {
		if !strings.Contains(text, words) {
			t.Errorf("%s is not said", words)
		}
	}
	if got := s.call("get_errors", `{"since":"last"}`); !strings.Contains(got, "no errors new since your last look") {
		t.Errorf("the second look: %s", got)
	}

	do(t, page, `setTimeout(() => { null.price }, 0)`)
	var fresh []incident.Incident
	awaitCondition(t, func() bool {
		fresh = incidents(t, s, `{"since":"last","raw":true}`)
		return len(fresh) > 0
	})
	if len(fresh) != 1 || !strings.Contains(fresh[0].Message, "price") {
		t.Errorf("after one new error: %+v", fresh)
	}
	if got := incidents(t, s, `{"since":"last","raw":true}`); len(got) != 0 {
		t.Errorf("told twice: %+v", got)
	}

	// Repaired in the source and loaded anew, an error is over.
	repaired := strings.Replace(brokenShop["src/Total.jsx"], "summ", "sum", 1)
	if err := os.WriteFile(filepath.Join(root, "src/Total.jsx"), []byte(repaired), 0o644); err != nil {
		t.Fatal(err)
	}
	awaitCondition(t, func() bool { return !strings.Contains(s.call("get_errors", `{}`), "summ is not defined") })
	if got := s.call("get_errors", `{}`); !strings.Contains(got, "1 resolved since") || !strings.Contains(got, "clock has no hands") {
		t.Errorf("after one repair: %s", got)
	}

	// What is no longer imported is over too, once the page was loaded without
	// it: the file itself is as it was.
	without := strings.NewReplacer("import { Clock } from './Clock.jsx';\n", "", "mount('clock', <Clock />);\n", "").Replace(brokenShop["src/main.jsx"])
	if err := os.WriteFile(filepath.Join(root, "src/main.jsx"), []byte(without), 0o644); err != nil {
		t.Fatal(err)
	}
	awaitCondition(t, func() bool { return !strings.Contains(s.call("get_errors", `{}`), "clock has no hands") })
	if got := s.call("get_errors", `{}`); !strings.Contains(got, "no such table: orders") || !strings.Contains(got, "teapot.png") {
		t.Errorf("after another: %s", got)
	}
}

// breaks is what makes an app's greeting something its tool cannot build.
var breaks = map[string]string{
	"vite-react": "hello </i>one", "webpack": "hello' (one", "next": "hello </i>one", "astro": "hello {one(}", "sveltekit": "hello {#if}one",
}

// TestBuildErrorIsSettled: an error that stops the build is there, with its file
// and line, while it lasts, and gone when the file is repaired.
func TestBuildErrorIsSettled(t *testing.T) {
	b := browser(t)
	for _, a := range wantedApps() {
		t.Run(a.name, func(t *testing.T) {
			root := a.install(t)
			s := newSession(t, root)
			s.call("run", `{"script_name":"dev","timeout":"2m"}`)
			s.call("proxy", fmt.Sprintf(`{"action":"start","id":"dev","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
			page := tab(t, b, s.field("proxy", `{"action":"status"}`, "url")+"/")
			awaitGreeting(t, page, "hello one")
			if got := incidents(t, s, `{"raw":true}`); len(got) != 0 {
				t.Fatalf("a healthy app: %s", s.call("get_errors", `{}`))
			}
			a.write(t, root, breaks[a.name])
			// What the page says may come a moment before what the server says.
			found := func() bool {
				got := incidents(t, s, `{"raw":true}`)
				return len(got) == 1 && got[0].Place != nil && got[0].Place.File == a.file && got[0].Place.Line > 0
			}
			awaitCondition(t, found)
			if text := s.call("get_errors", `{}`); !found() {
				t.Errorf("while it is broken:\n%s\n%s", text, s.call("proc", `{"action":"output"}`))
			}
			a.repair(t, s, page, root)
			awaitCondition(t, func() bool { return len(incidents(t, s, `{"raw":true}`)) == 0 })
			if text := s.call("get_errors", `{}`); !strings.HasPrefix(text, "no errors") || !strings.Contains(text, "resolved since") {
				t.Errorf("when it is repaired: %s\n%s", text, s.call("get_errors", `{"raw":true}`))
			}
		})
	}
}

func wantedApps() []app {
	wanted := os.Getenv("ORIEL_E2E_APPS")
	if wanted == "" {
		wanted = defaultApps
	}
	var list []app
	for _, a := range apps {
		if strings.Contains(" "+wanted+" ", " "+a.name+" ") {
			list = append(list, a)
		}
	}
	return list
}

// repair writes a new greeting until it arrives: an edit in the moment of the
// last one's build may be missed. Whoever is asked for the page meanwhile is
// asked again.
func (a app) repair(t *testing.T, s *session, page context.Context, root string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for n := 2; ; n++ {
		text := fmt.Sprintf("hello %d", n)
		a.write(t, root, text)
		if greetingWithin(page, text, 5*time.Second) {
			return
		}
		do(t, page, "location.reload()") // some show a page of their own that never looks again
		if time.Now().After(deadline) {
			t.Fatalf("the repair never arrived in the page:\n%s", s.call("proc", `{"action":"output"}`))
		}
	}
}

// TestErrorFlood: a page that throws 50,000 errors a minute is one incident with
// their number, and stays usable.
func TestErrorFlood(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>loop</title><p id=n>0</p><script>
let thrown = 0, frames = 0;
const loop = setInterval(() => {
  for (let i = 0; i < 25 && thrown < 3000; i++, thrown++) queueMicrotask(() => { throw new Error("the loop") });
  if (thrown >= 3000) clearInterval(loop);
}, 30);
(function count() { frames++; requestAnimationFrame(count) })();
</script>`)
	}))
	defer target.Close()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, root)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"dev","target_url":%q}`, target.URL))
	page := tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url")+"/")
	awaitTrue(t, page, "thrown > 1000")
	if before := eval[int](t, page, "frames"); !trueWithin(page, fmt.Sprintf("frames > %d", before), 5*time.Second) {
		t.Error("the page draws no more")
	}
	var got []incident.Incident
	awaitCondition(t, func() bool {
		got = incidents(t, s, `{"raw":true}`)
		return len(got) > 0 && got[0].Count >= 3000
	})
	if len(got) != 1 || got[0].Count != 3000 {
		t.Errorf("%+v", got)
	}
	text := s.call("get_errors", `{}`)
	if !strings.Contains(text, "×3000") || len(text) > 400 {
		t.Error(text)
	}
}

// awaitIncidents waits until there are n incidents and their number holds: a
// page tells of repetitions a second later.
func awaitIncidents(t *testing.T, s *session, n int) {
	t.Helper()
	var stable time.Time
	awaitCondition(t, func() bool {
		if len(incidents(t, s, `{"raw":true}`)) != n {
			stable = time.Time{}
			return false
		}
		if stable.IsZero() {
			stable = time.Now()
		}
		return time.Since(stable) > 1500*time.Millisecond
	})
}

func awaitCondition(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Error("it never came to that")
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func incidents(t *testing.T, s *session, args string) []incident.Incident {
	t.Helper()
	var out struct{ Incidents []incident.Incident }
	if err := json.Unmarshal([]byte(s.call("get_errors", args)), &out); err != nil {
		t.Fatal(err)
	}
	return out.Incidents
}

// TestQuietFailureHasItsCaller: a failed answer that the page says nothing
// about is led to the line that asked for it.
func TestQuietFailureHasItsCaller(t *testing.T) {
	root := t.TempDir()
	script := "// tips\n\nasync function loadTips() {\n  const res = await fetch('/api/tips');\n  return res.ok ? res.json() : [];\n}\nloadTips().then((tips) => { document.title = 'tips ' + tips.length });\n"
	if err := os.WriteFile(filepath.Join(root, "tips.js"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><link rel="icon" href="data:,"><title>loading</title><script src="/tips.js"></script>`)
		case "/tips.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
		default:
			http.Error(w, "out of tips", http.StatusInternalServerError)
		}
	}))
	defer site.Close()
	s := newSession(t, root)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"dev","target_url":%q}`, site.URL))
	tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url")+"/")
	awaitCondition(t, func() bool {
		got := incidents(t, s, `{"raw":true}`)
		return len(got) == 1 && got[0].Place != nil && !got[0].Place.Mentioned // until the page is there to be asked
	})
	if got := s.call("get_errors", `{}`); !strings.Contains(got, "GET /api/tips → 500: out of tips\" — tips.js:4 in loadTips") {
		t.Errorf("the answer: %s", got)
	}
}
