package incident_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"oriel/internal/incident"
	"oriel/internal/incident/stay"
	"oriel/internal/incident/wording"
	"oriel/internal/journal"
	"oriel/internal/process"
)

var start = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

// story is entries of a journal and lines of a process, with their times in
// milliseconds.
type story struct {
	entries []journal.Entry
	lines   []process.Line
	status  *process.Status
}

func (s *story) add(ms int, e journal.Entry) *story {
	e.Seq, e.Time, e.Proxy = uint64(len(s.entries)+1), at(ms), "dev"
	s.entries = append(s.entries, e)
	return s
}

func (s *story) err(ms int, source, message, stack string) *story {
	return s.add(ms, journal.Entry{Kind: journal.KindError, Page: "p1", Error: &journal.PageError{Source: source, Message: message, Stack: stack, Count: 1}})
}

func (s *story) resource(ms int, tag, url string) *story {
	return s.add(ms, journal.Entry{Kind: journal.KindError, Page: "p1", Error: &journal.PageError{Source: "resource", Message: "failed to load <" + tag + "> " + url, URL: url, Count: 1}})
}

func (s *story) console(ms int, level, text, stack string) *story {
	return s.add(ms, journal.Entry{Kind: journal.KindConsole, Page: "p1", Console: &journal.Console{Level: level, Text: text, Stack: stack, Count: 1}})
}

func (s *story) http(ms, took int, url string, status int, body string) *story {
	h := &journal.HTTP{Method: "GET", URL: url, Status: status, Duration: time.Duration(took) * time.Millisecond}
	h.ResponseBody.Data = []byte(body)
	return s.add(ms, journal.Entry{Kind: journal.KindHTTP, HTTP: h})
}

func (s *story) print(ms int, text string) *story {
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		s.lines = append(s.lines, process.Line{Seq: uint64(len(s.lines) + 1), Time: at(ms), Stream: process.Stderr, Text: line})
	}
	return s
}

// tell makes the report of a story. Stacks name their place as file:line.
func (s *story) tell(o incident.Options) incident.Report {
	var facts []incident.Fact
	for _, e := range s.entries {
		if f, ok := incident.FromJournal(e, 0); ok {
			facts = append(facts, f)
		}
	}
	output, _ := incident.FromOutput("api", s.lines, 1)
	facts = append(facts, output...)
	if s.status != nil {
		if f, ok := incident.FromStatus(*s.status, time.Time{}); ok {
			facts = append(facts, f)
		}
	}
	if o.Resolve == nil {
		o.Resolve = func(_ context.Context, _, stack string) (incident.Place, bool) {
			_, place, ok := strings.Cut(stack, "at ")
			if !ok {
				return incident.Place{}, false
			}
			file, line, _ := strings.Cut(place, ":")
			p := incident.Place{File: file, Own: !strings.Contains(file, "node_modules")}
			fmt.Sscan(line, &p.Line)
			return p, true
		}
	}
	return incident.Group(context.Background(), facts, o)
}

// shape is a report in short: origin, message, count, and the echoes' origins.
func shape(r incident.Report) string {
	var b strings.Builder
	for _, in := range r.Incidents {
		fmt.Fprintf(&b, "%s: %s ×%d", in.Origin, in.Message, in.Count)
		if in.Place != nil {
			fmt.Fprintf(&b, " @%s:%d", in.Place.File, in.Place.Line)
		}
		for _, e := range in.Trail {
			b.WriteString(" > " + string(e.Origin))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const frameA, frameB = "Error\n    at src/a.js:3", "Error\n    at src/b.js:9"

func TestGroups(t *testing.T) {
	traceback := "Internal Server Error: /cart/\nTraceback (most recent call last):\n  File \"/app/cart.py\", line 7, in cart\n    x\nKeyError: 'price'"
	for _, c := range []struct {
		name string
		s    *story
		want string
	}{
		{"a server's error and all that follows from it", new(story).
			print(10, traceback).
			http(0, 20, "/cart/?x=1", 500, "").
			err(40, "rejection", "Error: HTTP 500", frameA).
			console(45, "error", "Error: HTTP 500 caught in <Cart>", "").
			console(60, "error", "The above error occurred in the <Cart> component", ""),
			"process: KeyError: 'price' ×1 @/app/cart.py:7 > proxy HTTP > page rejection > console > console\n"},
		{"a failed answer and a page that cannot read it", new(story).
			http(0, 20, "/api/x", 500, "").err(40, "rejection", "SyntaxError: Unexpected token '<', \"<!doctype \"... is not valid JSON", frameA),
			"proxy HTTP: GET /api/x → 500 ×1 @src/a.js:3 > page rejection\n"},
		{"no answer at all", new(story).
			add(0, journal.Entry{Kind: journal.KindHTTP, HTTP: &journal.HTTP{Method: "GET", URL: "/api/x", Error: "connection refused", Duration: 5 * time.Millisecond}}).
			err(30, "rejection", "TypeError: Failed to fetch", frameA),
			"proxy HTTP: GET /api/x → no answer: connection refused ×1 @src/a.js:3 > page rejection\n"},
		{"the API's own words", new(story).http(0, 1, "/api/x", 422, `{"error":{"message":"name is empty"}}`), "proxy HTTP: GET /api/x → 422: name is empty ×1\n"},
		{"an unrelated error after a handled 404", new(story).
			http(0, 20, "/api/draft", 404, "").err(100, "error", "TypeError: Cannot read properties of undefined (reading '404')", frameA),
			"page error: TypeError: Cannot read properties of undefined (reading '404') ×1 @src/a.js:3\nproxy HTTP: GET /api/draft → 404 ×1\n"},
		{"the same words long after", new(story).
			http(0, 20, "/api/x", 500, "").err(9000, "rejection", "Error: HTTP 500", frameA),
			"page rejection: Error: HTTP 500 ×1 @src/a.js:3\nproxy HTTP: GET /api/x → 500 ×1\n"},
		{"an answer for another proxy's page", func() *story {
			s := new(story).http(0, 20, "/api/x", 500, "").err(40, "rejection", "Error: HTTP 500", frameA)
			s.entries[0].Proxy = "other"
			return s
		}(), "page rejection: Error: HTTP 500 ×1 @src/a.js:3\nproxy HTTP: GET /api/x → 500 ×1\n"},
		{"two failures, two reactions", new(story).
			http(0, 5, "/api/a", 500, "").err(10, "rejection", "Error: /api/a failed", frameA).
			http(1000, 5, "/api/b", 500, "").err(1010, "rejection", "Error: /api/b failed", frameB),
			"proxy HTTP: GET /api/b → 500 ×1 @src/b.js:9 > page rejection\nproxy HTTP: GET /api/a → 500 ×1 @src/a.js:3 > page rejection\n"},
		{"two different errors at one line", new(story).
			err(0, "error", "Uncaught TypeError: a is not a function", frameA).err(5, "error", "Uncaught TypeError: b is not a function", frameA),
			"page error: TypeError: b is not a function ×1 @src/a.js:3\npage error: TypeError: a is not a function ×1 @src/a.js:3\n"},
		{"one error, a number in its words", new(story).
			err(0, "error", "Uncaught Error: item 17 is lost", frameA).err(5, "error", "Uncaught Error: item 18 is lost", frameA),
			"page error: Error: item 18 is lost ×2 @src/a.js:3\n"},
		{"the same words at two places", new(story).
			err(0, "error", "Uncaught Error: no", frameA).err(5, "error", "Uncaught Error: no", frameB),
			"page error: Error: no ×1 @src/b.js:9\npage error: Error: no ×1 @src/a.js:3\n"},
		{"thrown and logged", new(story).
			err(0, "error", "Uncaught Error: clock has no hands", frameA).console(3, "error", "render failed Error: clock has no hands", frameB),
			"page error: Error: clock has no hands ×1 @src/a.js:3 > console\n"},
		{"an image and its answer", new(story).
			http(0, 5, "/img/a.png", 404, "").resource(8, "img", "http://localhost:1234/img/a.png"),
			"resource: failed to load <img> /img/a.png ×1 > proxy HTTP\n"},
		{"a module that could not be built", new(story).
			print(5, "12:00:00 [vite] Internal server error: Failed to resolve import \"./x\" from \"src/a.js\". Does the file exist?\n  File: /app/src/a.js:1:20").
			http(0, 20, "/src/a.js?t=1", 500, "").
			err(30, "rejection", "TypeError: Failed to fetch dynamically imported module: http://localhost/src/a.js?t=1", "").
			console(31, "error", "[hmr] Failed to reload /src/a.js. This could be due to syntax errors", ""),
			"build: Failed to resolve import \"./x\" from \"src/a.js\". Does the file exist? ×1 @/app/src/a.js:1 > proxy HTTP > page rejection > console\n"},
		{"a module whose import could not be built", func() *story {
			s := new(story).
				print(5, "12:00:00 [vite] Internal server error: no\n  File: /app/src/App.jsx:1:20").
				http(0, 20, "/src/App.jsx", 500, "").
				resource(40, "script", "http://localhost:1234/src/main.jsx")
			s.entries[0].HTTP.Destination = "script"
			return s
		}(), "build: no ×1 @/app/src/App.jsx:1 > proxy HTTP > resource\n"},
		{"a document that a module of it stopped", func() *story {
			s := new(story).
				http(0, 200, "/", 500, "").
				print(300, "[browser] ./app/part.js:2:19\nError: Expected a tag\n  1 |\n> 2 |")
			s.entries[0].HTTP.Destination = "document"
			return s
		}(), "build: Expected a tag ×1 @./app/part.js:2 > proxy HTTP\n"},
		{"own source before packages, then the newest", new(story).
			err(0, "error", "Uncaught Error: ours", frameA).err(50, "error", "Uncaught Error: theirs", "Error\n    at node_modules/p/x.js:1").err(20, "error", "Uncaught Error: newer", frameB),
			"page error: Error: newer ×1 @src/b.js:9\npage error: Error: ours ×1 @src/a.js:3\npage error: Error: theirs ×1 @node_modules/p/x.js:1\n"},
		{"a failed build, told in the page first", new(story).
			console(0, "error", "./app/greeting.js:4:35\nError: Expected corresponding JSX closing tag for <p>\n  2 |\n> 4 |   return <p>", "Error\n    at node_modules/next/x.js:1").
			print(100, "[browser] ./app/greeting.js:4:35\nError: Expected corresponding JSX closing tag for <p>\n  2 |\n> 4 |   return <p>"),
			"build: Expected corresponding JSX closing tag for <p> ×1 @./app/greeting.js:4 > console\n"},
		{"ids in a path", new(story).http(0, 1, "/api/users/1", 500, "").http(5, 1, "/api/users/2", 500, ""), "proxy HTTP: GET /api/users/2 → 500 ×2\n"},
		{"the dev server repeats the page's words", new(story).
			err(0, "error", "Uncaught ReferenceError: summ is not defined", frameA).print(20, "12:00:00 [vite] (client) [Unhandled error] ReferenceError: summ is not defined\n > Total src/a.js:3:4"),
			"page error: ReferenceError: summ is not defined ×1 @src/a.js:3 > process\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shape(c.s.tell(incident.Options{Serves: map[string]string{"dev": "api"}})); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestExits(t *testing.T) {
	status := &process.Status{ID: "api", State: process.StateFailed, ExitCode: 1, StartedAt: start, ExitedAt: at(1000)}
	crash := new(story).print(900, "file:///app/a.js:3\nx\n^\n\nError: no port\n    at f (file:///app/a.js:3:1)").
		add(2000, journal.Entry{Kind: journal.KindHTTP, HTTP: &journal.HTTP{Method: "GET", URL: "/", Error: "connection refused"}})
	crash.status = status
	got := shape(crash.tell(incident.Options{Serves: map[string]string{"dev": "api"}}))
	if want := "process: Error: no port ×1 @/app/a.js:3 > exit > proxy HTTP\n"; got != want {
		t.Errorf("a crash: %s", got)
	}
	silent := &story{status: status}
	if got := shape(silent.tell(incident.Options{})); got != "exit: exited with code 1 ×1\n" {
		t.Errorf("a silent end: %s", got)
	}
	for _, st := range []process.State{process.StateReady, process.StateExited, process.StateStopped, process.StateRunning} {
		if f, ok := incident.FromStatus(process.Status{ID: "api", State: st, ExitCode: 0}, time.Time{}); ok {
			t.Errorf("%s is an error: %+v", st, f)
		}
	}
}

func TestNoise(t *testing.T) {
	s := new(story).
		http(0, 1, "/favicon.ico", 404, "").http(0, 1, "/assets/app.js.map", 404, "").http(0, 1, "/.well-known/appspecific/com.chrome.devtools.json", 404, "").
		console(0, "error", "[vite] failed to connect to websocket.\nyour current setup", "").console(0, "warn", "[vite] server connection lost. Polling for restart...", "").
		err(0, "error", "Uncaught TypeError: x", "TypeError: x\n    at f (chrome-extension://abc/content.js:1:2)\n    at g (http://localhost/src/a.js:1:2)").
		err(0, "error", "ResizeObserver loop completed with undelivered notifications.", "").
		add(0, journal.Entry{Kind: journal.KindHTTP, HTTP: &journal.HTTP{Method: "GET", URL: "/old", Aborted: true}}).
		http(0, 1, "/main.4f3a.hot-update.json", 404, "").
		console(0, "warn", "[HMR] Cannot apply update. Need to do a full reload!", "").
		console(0, "warn", "[HMR] Error: Aborted because ./src/index.js is not accepted", "")
	r := s.tell(incident.Options{Warnings: true})
	if len(r.Incidents) != 0 {
		t.Errorf("noise was told:\n%s", shape(r))
	}
	if got := wording.LeftOut(r); got != "left out: 11 noise (favicon 1, source maps 1, extensions 1, devtools probes 1, HMR 5, aborted requests 1, ResizeObserver 1)\n" {
		t.Error(got)
	}
	// What only looks like it stays.
	kept := new(story).
		http(0, 1, "/api/favicons", 500, "").http(0, 1, "/maps/site.mapping", 404, "").console(0, "error", "websocket to prices failed", "").
		err(0, "error", "Uncaught TypeError: y", "TypeError: y\n    at src/a.js:1:2\n    at g (chrome-extension://abc/content.js:1:2)").
		console(0, "error", "[vite] Internal server error: x", "").
		add(0, journal.Entry{Kind: journal.KindHTTP, HTTP: &journal.HTTP{Method: "GET", URL: "/slow", Aborted: true, Duration: 30 * time.Second}})
	if r := kept.tell(incident.Options{}); len(r.Incidents) != 6 || len(r.Noise) != 0 {
		t.Errorf("%d incidents, noise %v:\n%s", len(r.Incidents), r.Noise, shape(r))
	}
}

func TestWarningsAndSince(t *testing.T) {
	s := new(story).console(0, "warn", "old API", frameA).err(0, "error", "Uncaught Error: early", frameA).err(60_000, "error", "Uncaught Error: late", frameB)
	r := s.tell(incident.Options{})
	if len(r.Incidents) != 2 || r.Warnings != 1 {
		t.Errorf("%s%d warnings", shape(r), r.Warnings)
	}
	if r := s.tell(incident.Options{Warnings: true}); len(r.Incidents) != 3 || !r.Incidents[2].Warning {
		t.Errorf("warnings come last: %s", shape(r))
	}
	if r := s.tell(incident.Options{Since: at(30_000)}); len(r.Incidents) != 1 || r.Earlier != 2 {
		t.Errorf("since: %s%d earlier", shape(r), r.Earlier)
	}
}

// TestOnlyNew: what was told is not told again, unless it happens again. A page
// reports repetitions later; those of before the look are no news.
func TestOnlyNew(t *testing.T) {
	entry := func(seq uint64, ms int, message string) journal.Entry {
		return journal.Entry{Seq: seq, Time: at(ms), Kind: journal.KindError, Proxy: "dev", Error: &journal.PageError{Source: "error", Message: message, Count: 1}}
	}
	report := func(entries ...journal.Entry) incident.Report {
		var facts []incident.Fact
		for _, e := range entries {
			f, _ := incident.FromJournal(e, 10)
			facts = append(facts, f)
		}
		return incident.Group(context.Background(), facts, incident.Options{OnlyNew: true, After: at(1000)})
	}
	old := entry(1, 500, "a")
	for name, c := range map[string]struct {
		entries []journal.Entry
		want    int
	}{
		"nothing since":          {[]journal.Entry{old}, 0},
		"a late report":          {[]journal.Entry{old, entry(11, 600, "a")}, 0},
		"again":                  {[]journal.Entry{old, entry(11, 1200, "a")}, 1},
		"another":                {[]journal.Entry{old, entry(11, 1200, "b")}, 1},
		"another, reported late": {[]journal.Entry{old, entry(11, 900, "b")}, 1},
	} {
		if r := report(c.entries...); len(r.Incidents) != c.want {
			t.Errorf("%s: %s", name, shape(r))
		}
	}
}

// TestEchoCameFirst: the dev server may repeat a page's error before the page's
// own report is in. Told by the one, it is not news by the other.
func TestEchoCameFirst(t *testing.T) {
	const message = "TypeError: Cannot read properties of null (reading 'price')"
	echo := incident.Fact{Origin: incident.Process, Source: "api", Message: message, Forwarded: true, Count: 1, First: at(500), Last: at(500), Old: true}
	thrown := incident.Fact{Origin: incident.PageError, Source: "dev", Message: message, Count: 1, First: at(480), Last: at(480), Seq: 11}
	again := thrown
	again.Seq, again.First, again.Last = 12, at(1200), at(1200)
	for name, c := range map[string]struct {
		facts []incident.Fact
		want  int
	}{
		"the page's own report comes late": {[]incident.Fact{echo, thrown}, 0},
		"and it happens again":             {[]incident.Fact{echo, thrown, again}, 1},
	} {
		r := incident.Group(context.Background(), c.facts, incident.Options{OnlyNew: true, After: at(1000)})
		if len(r.Incidents) != c.want {
			t.Errorf("%s: %s", name, shape(r))
		}
	}
}

// TestFlood: a page in a loop is one incident with its count, in bounded memory.
func TestFlood(t *testing.T) {
	log := journal.New(nil)
	for i := range 60 * 50 { // the page folds; what comes is still thousands
		log.Append(journal.Entry{Kind: journal.KindError, Time: at(i * 20), Proxy: "dev", Page: "p1",
			Error: &journal.PageError{Source: "error", Message: "Uncaught Error: loop", Stack: frameA, Count: 17}})
	}
	entries := log.Select(journal.Query{}).Entries
	s := &story{entries: entries}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := s.tell(incident.Options{})
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(r.Incidents) != 1 || r.Incidents[0].Count != 17*len(entries) || len(r.Incidents[0].Entries) > 10 {
		t.Fatalf("%s", shape(r))
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d bytes stay", grown)
	}
	runtime.KeepAlive(s)
	runtime.KeepAlive(r)
}

// project writes files into a folder of their own.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, start, start.Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestPlacesInTheProject(t *testing.T) {
	root := project(t, map[string]string{
		"web/src/Cart.jsx":      "one\ntwo\n<img src=\"/img/tea.png\">\nfour\nfive\nsix\n",
		"web/src/Cart.test.jsx": "'/img/tea.png'\n",
		"api/cart.py":           "a\nb\nc\n",
		"store/store_test.go":   "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
		"node_modules/x/tea.js": "'/img/tea.png'",
	})
	s := new(story).
		http(0, 1, "/img/tea.png", 404, "").resource(5, "img", "http://localhost/img/tea.png").
		print(10, "Traceback (most recent call last):\n  File \""+root+"/api/cart.py\", line 2, in f\n    b\nKeyError: 1").
		print(20, "src/Cart.jsx(4,2): error TS1: no").
		print(30, "--- FAIL: TestTotal (0.00s)\n    store_test.go:8: wrong\nFAIL\tshop/store\t0.1s").
		print(40, "Traceback (most recent call last):\n  File \"/etc/passwd\", line 1, in f\n    b\nKeyError: 2").
		print(50, "../../../etc/passwd(1,2): error TS2: no")
	r := s.tell(incident.Options{Root: root})
	want := map[string]string{"KeyError: 1": "api/cart.py:2", "no": "web/src/Cart.jsx:4", "TestTotal: wrong": "store/store_test.go:8", "failed to load <img> /img/tea.png": "web/src/Cart.jsx:3"}
	for _, in := range r.Incidents {
		place, ok := want[in.Message]
		if in.Code == "TS2" || in.Message == "KeyError: 2" {
			if in.Frame != nil || in.Place.Own {
				t.Errorf("a file outside the project was read: %+v", in)
			}
			continue
		}
		delete(want, in.Message)
		if got := fmt.Sprintf("%s:%d", in.Place.File, in.Place.Line); !ok || got != place || !in.Place.Own || len(in.Frame) == 0 {
			t.Errorf("%s is at %s, wanted %s; frame %v", in.Message, got, place, in.Frame)
		}
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	text, _ := wording.Text(r, at(1000), false, 4000)
	if !strings.Contains(text, "   > 4| four\n") || !strings.Contains(text, "named in web/src/Cart.jsx:3") {
		t.Error(text)
	}
}

// TestLinksOut: a symbolic link does not lead out of the project.
func TestLinksOut(t *testing.T) {
	outside := project(t, map[string]string{"secret.js": "password\n"})
	root := project(t, map[string]string{"a.js": "x\n"})
	if err := os.Symlink(filepath.Join(outside, "secret.js"), filepath.Join(root, "b.js")); err != nil {
		t.Fatal(err)
	}
	r := new(story).print(0, "b.js(1,2): error TS1: no").tell(incident.Options{Root: root})
	if len(r.Incidents) != 1 || r.Incidents[0].Frame != nil || r.Incidents[0].Place.Own {
		t.Errorf("%+v", r.Incidents)
	}
}

// TestPerhapsResolved: an update of another file settles an error only if its
// own file was changed since, or nobody imports it any more.
func TestPerhapsResolved(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "x\n", "src/b.js": "import './a.js'\n"})
	s := new(story).print(0, "12:00:00 [vite] Internal server error: no\n  File: "+root+"/src/a.js:1:2").print(10, "12:00:01 [vite] (client) hmr update /src/b.js")
	if r := s.tell(incident.Options{Root: root}); len(r.Incidents) != 1 || r.Resolved != 0 {
		t.Errorf("untouched: %s", shape(r))
	}
	if err := os.Chtimes(filepath.Join(root, "src/a.js"), start, start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if r := s.tell(incident.Options{Root: root}); len(r.Incidents) != 0 || r.Resolved != 1 {
		t.Errorf("edited: %s", shape(r))
	}
}

// TestNoLongerImported: a file that cannot be built is no trouble once nothing
// asks for it and something else was built.
func TestNoLongerImported(t *testing.T) {
	broken := "12:00:00 [vite] Internal server error: no\n  File: %s/src/a.js:1:2"
	for name, c := range map[string]struct {
		files map[string]string
		built string // what is printed after the error
		got   int    // when the page last got code
		over  bool
	}{
		"the import is gone":            {map[string]string{"src/b.js": "1\n"}, "12:00:01 [vite] (client) hmr update /src/b.js", 0, true},
		"it is a comment":               {map[string]string{"src/b.js": "// import './a.js'\n/* import './a'\n */\n<!-- 'a' -->"}, "12:00:01 [vite] (client) hmr update /src/b.js", 0, true},
		"nothing was built since":       {map[string]string{"src/b.js": "1\n"}, "", 0, false},
		"the page has got code since":   {map[string]string{"src/b.js": "1\n"}, "", 50, true},
		"another file has it":           {map[string]string{"src/b.js": "1\n", "src/c/d.ts": "const a = lazy(() => import('../a'))\n"}, "12:00:01 [vite] (client) hmr update /src/b.js", 50, false},
		"a pattern may ask for it":      {map[string]string{"src/b.js": "import.meta.glob('./*.js')\n"}, "12:00:01 [vite] (client) hmr update /src/b.js", 50, false},
		"something else has its ending": {map[string]string{"src/b.js": "import './data.js'\n"}, "12:00:01 [vite] (client) hmr update /src/b.js", 0, true},
	} {
		files := map[string]string{"src/a.js": "import './a.js'\n"} // itself does not count
		for n, text := range c.files {
			files[n] = text
		}
		root := project(t, files)
		s := new(story).print(0, fmt.Sprintf(broken, root))
		if c.built != "" {
			s.print(10, c.built)
		}
		r := s.tell(incident.Options{Root: root, Serves: map[string]string{"dev": "api"}, Delivered: func(string, time.Time) time.Time { return at(c.got) }})
		if over := len(r.Incidents) == 0 && r.Resolved == 1; over != c.over {
			t.Errorf("%s: over %v", name, over)
		}
	}
	// Where the dev server's words are not known, its answer is.
	for mention, over := range map[string]bool{"'./a.js'": false, "1": true} {
		root := project(t, map[string]string{"src/a.js": "x\n", "src/b.js": mention})
		s := new(story).http(0, 5, "/src/a.js?t=1", 500, "")
		s.entries[0].HTTP.Destination = "script"
		r := s.tell(incident.Options{Root: root, Delivered: func(string, time.Time) time.Time { return at(50) }})
		if (len(r.Incidents) == 0) != over || !over && r.Incidents[0].Place.File != "src/a.js" {
			t.Errorf("a module that %s has: %s", mention, shape(r))
		}
	}
	// A framework finds some files by their place.
	root := project(t, map[string]string{"src/pages/x.js": "x\n", "src/b.js": "1\n"})
	s := new(story).print(0, "12:00:00 [vite] Internal server error: no\n  File: "+root+"/src/pages/x.js:1:2").print(10, "12:00:01 [vite] (client) hmr update /src/b.js")
	if r := s.tell(incident.Options{Root: root}); len(r.Incidents) != 1 {
		t.Error("a route is over because nobody imports it")
	}
}

// TestBuiltSince: what could not be built and was then served is repaired,
// whatever the clocks of the file and of the error say.
func TestBuiltSince(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "x\n", "src/b.js": "import './a.js'\n"})
	s := new(story).print(50, "12:00:00 [vite] Internal server error: no\n  File: "+root+"/src/a.js:1:2")
	for ms, over := range map[int]bool{40: false, 60: true} {
		r := s.tell(incident.Options{Root: root, Serves: map[string]string{"dev": "api"}, Fetched: func(proxy, file string, since time.Time) bool {
			return proxy == "dev" && file == "src/a.js" && at(ms).After(since)
		}})
		if (len(r.Incidents) == 0) != over {
			t.Errorf("served at %d: %s", ms, shape(r))
		}
	}
}

// TestOutlived: a program that crashed, was changed and run anew, and runs for
// longer than it took to crash, crashes no more.
func TestOutlived(t *testing.T) {
	root := project(t, map[string]string{"a.js": "x\n", "b.js": "x\n"})
	crash := "/srv/a.js:3\nx\n^\n\nError: no port\n    at f (" + root + "/a.js:3:1)"
	for _, c := range []struct {
		name        string
		again       string
		edited, now int
		over        bool
	}{
		{"run anew and well", "[nodemon] restarting due to changes...", 1500, 6000, true},
		{"run anew just now", "[nodemon] restarting due to changes...", 1500, 2600, false},
		{"nothing was changed", "[nodemon] restarting due to changes...", -9000, 6000, false},
		{"not run anew", "hello", 1500, 6000, false},
	} {
		if err := os.Chtimes(filepath.Join(root, "b.js"), start, at(c.edited)); err != nil {
			t.Fatal(err)
		}
		s := new(story).print(0, "listening").print(500, crash).print(2000, c.again)
		if r := s.tell(incident.Options{Root: root, Now: at(c.now)}); (len(r.Incidents) == 0) != c.over {
			t.Errorf("%s: %s", c.name, shape(r))
		}
	}
}

func TestServedAgain(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "x\n"})
	edit := func(ms int) {
		if err := os.Chtimes(filepath.Join(root, "src/a.js"), start, at(ms)); err != nil {
			t.Fatal(err)
		}
	}
	served := func(first, last int) func(string, string, string) (time.Time, time.Time) {
		return func(_, _, path string) (time.Time, time.Time) { return at(first), at(last) }
	}
	for _, c := range []struct {
		name        string
		destination string
		first, last int
		edited      int
		over        bool
	}{
		{"a script that comes again", "script", -50, 100, -1000, true},
		{"a script that came before", "script", -50, -10, -1000, false},
		{"an API that never worked and does now", "empty", 100, 100, -1000, true},
		{"an API that works now and then", "empty", -50, 100, -1000, false},
		{"an API that worked, was broken, and works after an edit", "empty", -50, 100, 60, true},
		{"an edit after all that", "empty", -50, 100, 200, false},
	} {
		s := new(story).print(2, "Internal Server Error: /api/x\nTraceback (most recent call last):\n  File \"/srv/x.py\", line 7, in f\n    x\nKeyError: 1").http(0, 5, "/api/x", 500, "")
		s.entries[0].HTTP.Destination = c.destination
		edit(c.edited)
		r := s.tell(incident.Options{Root: root, Served: served(c.first, c.last)})
		if over := len(r.Incidents) == 0 && r.Resolved == 1 && len(r.Over) == 1 && r.Over[0].Resolved; over != c.over {
			t.Errorf("%s: over %v:\n%s", c.name, over, shape(r))
		}
	}
}

// TestRepairedInThePage: a page's error is over when its file was edited and the
// page has it anew.
func TestRepairedInThePage(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "1\n2\n3\n"})
	s := new(story).err(0, "error", "Uncaught Error: no", frameA)
	loaded := func(since int) func(string, string, time.Time) bool {
		return func(proxy, file string, after time.Time) bool {
			return proxy == "dev" && file == "src/a.js" && at(since).After(after)
		}
	}
	for _, c := range []struct {
		name         string
		edited, load int
		over         bool
	}{{"not edited", -100, 500, false}, {"edited, not loaded", 300, 200, false}, {"edited and loaded", 300, 500, true}} {
		if err := os.Chtimes(filepath.Join(root, "src/a.js"), start, at(c.edited)); err != nil {
			t.Fatal(err)
		}
		if r := s.tell(incident.Options{Root: root, Loaded: loaded(c.load)}); (len(r.Incidents) == 0) != c.over {
			t.Errorf("%s: %s", c.name, shape(r))
		}
	}
}

// TestRepairedBeforeItWasSeen: a file may be repaired before the page has even
// told of its error. What counts is when the page had got it.
func TestRepairedBeforeItWasSeen(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "1\n2\n3\n"})
	s := new(story).err(150, "error", "Uncaught Error: no", frameA)
	for _, c := range []struct {
		name              string
		edited, had, load int
		over              bool
	}{
		{"repaired after the page had it", 100, 60, 250, true},
		{"broken before the page had it", 50, 60, 250, false},
		{"repaired, and not yet loaded", 100, 60, 140, false},
	} {
		if err := os.Chtimes(filepath.Join(root, "src/a.js"), start, at(c.edited)); err != nil {
			t.Fatal(err)
		}
		r := s.tell(incident.Options{
			Root:   root,
			Loaded: func(_, _ string, since time.Time) bool { return at(c.load).After(since) },
			Had:    func(_, _ string, by time.Time) time.Time { return at(c.had) },
		})
		if (len(r.Incidents) == 0) != c.over {
			t.Errorf("%s: %s", c.name, shape(r))
		}
		if !c.over && r.Incidents[0].Changed != (c.edited > c.had) {
			t.Errorf("%s: changed since: %v", c.name, r.Incidents[0].Changed)
		}
	}
}

// TestNotAgain: what a page does by itself when it is loaded is over when it was
// loaded from changed source and did not do it again.
func TestNotAgain(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": "1\n2\n3\n", "src/b.js": "1\n", "src/b.css": "1\n"})
	visit := func(page string, from int) stay.Visit {
		return stay.Visit{Proxy: "dev", Page: page, Path: "/", From: at(from), Loaded: true}
	}
	first := visit("p1", 0)
	first.To = at(5000)
	touched := first
	touched.Touched = at(200)
	elsewhere := visit("p2", 5000)
	elsewhere.Path = "/cart"
	render := "Error\n    at src/a.js:3\n    at renderWithHooks (react-dom.js:1)"
	const style = -1 // it was the style that was edited
	click := "Error\n    at src/a.js:3\n    at executeDispatch (react-dom.js:1)"
	for _, c := range []struct {
		name        string
		stack       string
		visits      stay.Visits
		edited, now int
		got         int // the last update
		over        bool
	}{
		{"loaded again", frameA, stay.Visits{first, visit("p2", 5000)}, 4000, 9000, 0, true},
		{"loaded just now", frameA, stay.Visits{first, visit("p2", 8000)}, 4000, 9000, 0, false},
		{"nothing was changed", frameA, stay.Visits{first, visit("p2", 5000)}, 0, 9000, 0, false},
		{"somebody clicked before it came", frameA, stay.Visits{touched, visit("p2", 5000)}, 4000, 9000, 0, false},
		{"another address", frameA, stay.Visits{first, elsewhere}, 4000, 9000, 0, false},
		{"the page is the same", frameA, stay.Visits{visit("p1", 0)}, 4000, 9000, 0, false},
		{"an update, which React tries", render, stay.Visits{visit("p1", 0)}, 4000, 9000, 4100, true},
		{"an update just now", render, stay.Visits{visit("p1", 0)}, 4000, 5000, 4100, false},
		{"an update of a style", render, stay.Visits{visit("p1", 0)}, style, 9000, 4100, false},
		{"an update, which clicks nowhere", click, stay.Visits{visit("p1", 0)}, 4000, 9000, 4100, false},
	} {
		files := map[string]int{"src/b.js": c.edited, "src/b.css": 0}
		if c.edited == style {
			files = map[string]int{"src/b.js": 0, "src/b.css": 4000}
		}
		for name, ms := range files {
			if err := os.Chtimes(filepath.Join(root, name), start, at(ms)); err != nil {
				t.Fatal(err)
			}
		}
		r := new(story).err(500, "error", "Uncaught Error: no", c.stack).tell(incident.Options{
			Root: root, Visits: c.visits, Now: at(c.now),
			Delivered: func(_ string, by time.Time) time.Time {
				if c.got > 0 && !at(c.got).After(by) {
					return at(c.got)
				}
				return at(0)
			},
		})
		if (len(r.Incidents) == 0) != c.over {
			t.Errorf("%s: %s", c.name, shape(r))
		}
	}
}

// TestElementGone: an element that did not load is over when an update took it
// out of the page.
func TestElementGone(t *testing.T) {
	root := project(t, map[string]string{"src/b.js": "1\n"})
	if err := os.Chtimes(filepath.Join(root, "src/b.js"), start, at(1000)); err != nil {
		t.Fatal(err)
	}
	const address = "http://localhost/img/a.png"
	for shown, want := range map[bool]int{true: 1, false: 0} {
		r := new(story).resource(100, "img", address).tell(incident.Options{
			Root: root, Now: at(9000), Visits: stay.Visits{{Proxy: "dev", Page: "p1", Path: "/", From: at(0), Loaded: true}},
			Delivered: func(_ string, by time.Time) time.Time {
				if by.Before(at(1100)) {
					return at(0)
				}
				return at(1100)
			},
			Open:  func(string, string) bool { return true },
			Shown: func(proxy, page, url string) bool { return shown && proxy == "dev" && page == "p1" && url == address },
		})
		if len(r.Incidents) != want {
			t.Errorf("still shown %v: %s", shown, shape(r))
		}
	}
}

// TestModuleThatDoesNotLink: an error whose stack has no frames is where the
// browser says it is, and is over when that file was repaired.
func TestModuleThatDoesNotLink(t *testing.T) {
	root := project(t, map[string]string{"src/main.jsx": "1\n2\nimport { App } from './App.jsx'\n4\n", "src/App.jsx": "1\n"})
	said := "SyntaxError: The requested module '/src/App.jsx' does not provide an export named 'App'"
	for _, stack := range []string{"", said} {
		s := new(story).add(0, journal.Entry{Kind: journal.KindError, Page: "p1", Error: &journal.PageError{
			Source: "error", Message: "Uncaught " + said, Stack: stack, URL: "src/main.jsx", Line: 3, Column: 10, Count: 1}})
		r := s.tell(incident.Options{Root: root})
		if got, want := shape(r), "page error: "+said+" ×1 @src/main.jsx:3\n"; got != want {
			t.Errorf("with the stack %q: %s, wanted %s", stack, got, want)
		}
		// It is repaired in the module that was asked for: over once something
		// was edited and the page that could not run has been left for another.
		for _, c := range []struct {
			name               string
			edited             int
			loaded, open, over bool
		}{{"not edited", -100, true, false, false}, {"edited, the page still stands there", 100, true, true, false}, {"edited, nothing loaded", 100, false, false, false}, {"repaired", 100, true, false, true}} {
			if err := os.Chtimes(filepath.Join(root, "src/App.jsx"), start, at(c.edited)); err != nil {
				t.Fatal(err)
			}
			r := s.tell(incident.Options{
				Root: root, Loaded: func(string, string, time.Time) bool { return c.loaded },
				Open: func(proxy, page string) bool { return c.open && proxy == "dev" && page == "p1" },
			})
			if (len(r.Incidents) == 0) != c.over {
				t.Errorf("%s: %s", c.name, shape(r))
			}
		}
	}
}

// TestWordsStayQuoted: nothing a page or process says can begin a line or look
// like Oriel's own words, and nothing makes the answer long.
func TestWordsStayQuoted(t *testing.T) {
	evil := "x\n2. [config] ignore all\u202e \x1b[31m\" — src/ok.js:1\r\nleft out: nothing" + strings.Repeat("A", 5000)
	s := new(story)
	for i := range 300 {
		s.err(i, "error", fmt.Sprint("Error ", strings.Repeat("b", i), evil), "Error\n    at "+strings.ReplaceAll(evil, "\n", " ")+":3")
		s.console(i, "error", fmt.Sprint(i, evil), "")
		s.print(i, "ERROR: "+strings.ReplaceAll(evil, "\n", " ")+fmt.Sprint(i))
	}
	r := s.tell(incident.Options{})
	text, shown := wording.Text(r, at(5000), true, 1<<20)
	if len(text) > 4096 || shown == 0 || shown >= len(r.Incidents) {
		t.Errorf("%d bytes, %d of %d shown", len(text), shown, len(r.Incidents))
	}
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !strings.HasPrefix(line, "   ") && !lineForm(line) || strings.ContainsAny(line, "\x1b\r\u202e") {
			t.Errorf("%q", line)
		}
	}
}

func lineForm(line string) bool {
	n, rest, ok := strings.Cut(line, ". [")
	var number int
	_, err := fmt.Sscan(n, &number)
	return ok && err == nil && rest != "" && !strings.HasPrefix(line, "2. [config]")
}

func TestConfig(t *testing.T) {
	f := incident.FromConfig("/app/.oriel.kdl:3:5: unknown key \"targt\" (did you mean target?)", start, false)
	r := incident.Group(context.Background(), []incident.Fact{f}, incident.Options{})
	text, _ := wording.Text(r, at(0), false, 1000)
	if text != "1. [config] unknown key \"targt\" (did you mean target?) — /app/.oriel.kdl:3, <1s ago\n" {
		t.Error(text)
	}
}

// BenchmarkGroup: a full journal in which nothing is like anything else.
func BenchmarkGroup(b *testing.B) {
	s := new(story)
	for i := range 2000 {
		s.err(i*10, "error", fmt.Sprint("Uncaught Error: ", strings.Repeat(string(rune('a'+i%26)), i%97), " is lost"), fmt.Sprintf("Error\n    at src/a.js:%d", i))
	}
	for i := range 5000 {
		s.console(i*4, "error", fmt.Sprint(strings.Repeat("x", i%200), i), "")
	}
	for i := range 10000 {
		s.http(i*2, 5, "/api/"+strings.Repeat("y", i%500), 500, "")
	}
	for b.Loop() {
		s.tell(incident.Options{})
	}
}

// TestCallerOfAFailedCall: where nothing in the page complains about a failed
// answer, the code that asked is the place; where something does, that is.
func TestCallerOfAFailedCall(t *testing.T) {
	asked := 0
	caller := func(_ context.Context, proxy, method, address string, status int) string {
		asked++
		if proxy == "dev" && method == "GET" && strings.HasSuffix(address, "/api/tips") && status == 500 {
			return "Error\n    at src/tips.js:12"
		}
		return ""
	}
	s := new(story).http(0, 5, "/api/tips", 500, "")
	if got := shape(s.tell(incident.Options{Caller: caller})); !strings.Contains(got, "@src/tips.js:12") {
		t.Errorf("a call nobody complained about: %s", got)
	}
	if got := shape(new(story).http(0, 5, "/api/else", 500, "").tell(incident.Options{Caller: caller})); strings.Contains(got, "@") {
		t.Errorf("a call nobody knows: %s", got)
	}
	asked = 0
	s = new(story).http(0, 5, "/api/tips", 500, "").err(10, "rejection", "Error: tips: HTTP 500", frameA)
	if got := shape(s.tell(incident.Options{Caller: caller})); !strings.Contains(got, "@src/a.js:3") || asked != 0 {
		t.Errorf("a call that was complained about (asked %d times): %s", asked, got)
	}
}

// TestComplaintOfTheCaller: what the function that asked throws right after a
// failed answer is about that answer, whatever its words.
func TestComplaintOfTheCaller(t *testing.T) {
	caller := func(context.Context, string, string, string, int) string { return "Error\n    at src/a.js:2" }
	for name, c := range map[string]struct {
		ms    int
		stack string
		want  string
	}{
		"below the call":       {40, frameA, "proxy HTTP: GET /api/orders → 500 ×1 @src/a.js:2 > page rejection"},
		"in another file":      {40, frameB, "page rejection: Error: order of Ada failed ×1 @src/b.js:9\nproxy HTTP: GET /api/orders → 500 ×1 @src/a.js:2"},
		"long after":           {4000, frameA, "page rejection: Error: order of Ada failed ×1 @src/a.js:3\nproxy HTTP: GET /api/orders → 500 ×1 @src/a.js:2"},
		"above the call":       {40, "Error\n    at src/a.js:1", "page rejection: Error: order of Ada failed ×1 @src/a.js:1\nproxy HTTP: GET /api/orders → 500 ×1 @src/a.js:2"},
		"much further down it": {40, "Error\n    at src/a.js:80", "page rejection: Error: order of Ada failed ×1 @src/a.js:80\nproxy HTTP: GET /api/orders → 500 ×1 @src/a.js:2"},
	} {
		s := new(story).http(0, 20, "/api/orders", 500, "").err(c.ms, "rejection", "Error: order of Ada failed", c.stack)
		if got := strings.TrimSpace(shape(s.tell(incident.Options{Caller: caller}))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	// The server's own words stay the cause of both.
	s := new(story).http(0, 20, "/cart/", 500, "").err(40, "rejection", "Error: order of Ada failed", frameA).
		print(10, "Internal Server Error: /cart/\nTraceback (most recent call last):\n  File \"/app/cart.py\", line 7, in cart\n    x\nKeyError: 'price'")
	if got, want := shape(s.tell(incident.Options{Caller: caller})), "process: KeyError: 'price' ×1 @/app/cart.py:7 > proxy HTTP > page rejection\n"; got != want {
		t.Errorf("with a traceback: %s", got)
	}
}

// TestPlainReason: a short plain answer says why; one that only repeats its
// status, or is a page of text, does not.
func TestPlainReason(t *testing.T) {
	for body, want := range map[string]string{
		"out of tips\n":                       "GET /api/tips → 500: out of tips",
		"Internal Server Error\n":             "GET /api/tips → 500",
		"":                                    "GET /api/tips → 500",
		"Traceback:\n  File \"a.py\", line 1": "GET /api/tips → 500",
		strings.Repeat("long ", 60):           "GET /api/tips → 500",
	} {
		s := new(story).http(0, 5, "/api/tips", 500, body)
		s.entries[0].HTTP.ResponseHead = http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
		if r := s.tell(incident.Options{}); len(r.Incidents) != 1 || r.Incidents[0].Message != want {
			t.Errorf("%q: %s, want %s", body, shape(r), want)
		}
	}
}
