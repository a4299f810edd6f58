package scan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oriel/internal/incident/scan"
	"oriel/internal/incident/scan/formats"
	"oriel/internal/process"
)

// lines makes output of text: a line that begins with "2>" is standard error,
// one with "#" a remark of the supervisor.
func lines(text string) []scan.Line {
	var out []scan.Line
	for i, l := range strings.Split(strings.Trim(text, "\n"), "\n") {
		line := scan.Line{Seq: uint64(i + 1), Time: start.Add(time.Duration(i) * 5 * time.Millisecond), Stream: process.Stdout, Text: l}
		if rest, ok := strings.CutPrefix(l, "2>"); ok {
			line.Stream, line.Text = process.Stderr, rest
		} else if rest, ok := strings.CutPrefix(l, "#"); ok {
			line.Stream, line.Text = process.Note, rest
		}
		out = append(out, line)
	}
	return out
}

func TestHealthyOutput(t *testing.T) {
	for _, line := range []string{
		"0 errors", "Found 0 errors. Watching for file changes.", "error rate 0%", "[info] errors cleared", "Compiled with 0 errors", "no errors found",
		"INFO: error handler registered", "GET /errors 200 in 12ms", "GET /api/error-report 200", "import Error from './Error'", "listening on :3000 (error log: /var/log/x)",
		"✓ handles TypeError: bad input (3 ms)", "2 passed, 0 failed, 0 errors", "error: 0", "errors: none", `{"level":"info","msg":"error budget left"}`, `{"level":30,"msg":"Error: recovered"}`,
		"level=info msg=\"retry after error\"", "main.go:12: listening on :8080", "store.go:4: reload", "panic button pressed", "panic: mode enabled", "[error-overlay] ready",
		"Loading errors.ts", "warning: this is a development server", "Traceback disabled", "DEBUG ERROR_PAGES=3", "127.0.0.1 - - \"GET /none HTTP/1.1\" 404 -",
		"TypeError: is documented here", "  at noon we deploy", "--- PASS: TestTotal (0.00s)", "ok  \tshop/store\t0.003s", "Error", "ERROR", "Errors:", "fatal: none",
		"webpack 5.1 compiled successfully in 26 ms", "test error handling ... ok", "(node:12) ExperimentalWarning: x is experimental", "[vite] hmr update /src/Error.jsx",
		"   Compiling thiserror v1.0.40", "   Compiling proc-macro-error v1.0.4", "Downloaded error-chain v0.12", "PHP 8.2.35 Development Server (http://localhost:1) started", "npm error code ELIFECYCLE",
	} {
		if got := scan.Output(lines(line)); len(got.Problems()) > 0 {
			t.Errorf("%q was taken for %s", line, words(got))
		}
	}
}

func TestLoggedErrors(t *testing.T) {
	for line, want := range map[string]string{
		"error: listen tcp :80: permission denied":                       "listen tcp :80: permission denied",
		"Error: Cannot find module 'x'":                                  "Cannot find module 'x'",
		"2026-01-31 12:00:00 ERROR could not connect to db":              "could not connect to db",
		"[12:00:00] [ERROR] no such table":                               "no such table",
		"[api] ERROR: no such table":                                     "no such table",
		"fatal: not a git repository":                                    "not a git repository",
		`time=2026-01-31T12:00:00Z level=ERROR msg="no rows" user=1`:     "no rows",
		`{"level":"error","ts":1,"msg":"no rows"}`:                       "no rows",
		`{"level":50,"time":1,"msg":"save","err":{"message":"no rows"}}`: "save: no rows",
		"ERROR:    [Errno 98] Address already in use":                    "[Errno 98] Address already in use",
	} {
		s := scan.Output(lines(line))
		if got := s.Problems(); len(got) != 1 || !strings.HasSuffix(got[0].Message, want) || got[0].Kind != formats.Logged {
			t.Errorf("%q: %s", line, words(s))
		}
	}
}

func TestSequences(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a traceback with the other stream in between", `
2>Traceback (most recent call last):
GET / 200
2>  File "/app/main.py", line 4, in <module>
"GET /x HTTP/1.1" 500 Internal Server Error
2>    boom()
still alive
2>ValueError: no`, "python crash | ValueError: no | /app/main.py:4:0 in <module> | GET /x\n"},
		{"two different errors at one line", `
src/a.ts(1,2): error TS1: one
src/a.ts(1,2): error TS2: two`, "tsc build TS1 | one | src/a.ts:1:2\ntsc build TS2 | two | src/a.ts:1:2\n"},
		{"webpack: what is not reported again is gone", `
ERROR in ./a.js 1:2
Module not found: one

ERROR in ./b.js 1:2
Module not found: two

webpack 5.1 compiled with 2 errors in 3 ms
ERROR in ./b.js 1:2
Module not found: two

webpack 5.1 compiled with 1 error in 3 ms`, "webpack build | Module not found: one | ./a.js:1:2 (resolved)\nwebpack build | Module not found: two | ./b.js:1:2 ×2\n"},
		{"an error that comes back is not resolved", `
src/a.ts(1,2): error TS1: one
Found 0 errors. Watching for file changes.
src/a.ts(1,2): error TS1: one
Found 1 error. Watching for file changes.`, "tsc build TS1 | one | src/a.ts:1:2 ×2\n"},
		{"another file's update says little", `
12:00:00 [vite] Internal server error: Failed to resolve import "./x" from "src/a.js". Does the file exist?
  File: /app/src/a.js:1:20
12:00:01 [vite] (client) hmr update /src/b.jsx`, "vite build | Failed to resolve import \"./x\" from \"src/a.js\". Does the file exist? | /app/src/a.js:1:20 (perhaps resolved)\n"},
		{"its own update settles it", `
12:00:00 [vite] Internal server error: Failed to resolve import "./x" from "src/a.js". Does the file exist?
  File: /app/src/a.js:1:20
12:00:01 [vite] (client) hmr update /src/b.jsx, /src/a.js`, "vite build | Failed to resolve import \"./x\" from \"src/a.js\". Does the file exist? | /app/src/a.js:1:20 (resolved)\n"},
		{"a wanted restart settles everything", `
2>panic: boom
2>
2>goroutine 1 [running]:
2>main.main()
2>	/app/main.go:3 +0x1
#--- restarted by request (restart 1) ---
hello`, "go crash | panic: boom | /app/main.go:3:0 in main (resolved)\n"},
		{"a bundler that is content says nothing of types", `
src/a.ts(1,2): error TS1: one
webpack 5.1 compiled successfully in 3 ms
12:00:01 [vite] (client) hmr update /src/a.ts`, "tsc build TS1 | one | src/a.ts:1:2\n"},
		{"nor does another program's success", `
[web] ERROR in ./a.js 1:2
[web] Module not found: one
[web]
[web] webpack 5.1 compiled with 1 error in 3 ms
[admin] webpack 5.1 compiled successfully in 3 ms`, "webpack build | Module not found: one | ./a.js:1:2\n"},
		{"one's own does", `
[web] ERROR in ./a.js 1:2
[web] Module not found: one
[web]
[web] webpack 5.1 compiled with 1 error in 3 ms
[admin] ERROR in ./a.js 1:2
[admin] Module not found: one
[web] webpack 5.1 compiled successfully in 3 ms`, "webpack build | Module not found: one | ./a.js:1:2 (resolved)\nwebpack build | Module not found: one | ./a.js:1:2\n"},
		{"Next serves the route again", `
2>⨯ ./app/part.js:2:1
2>Error: Expected '</'
2>
2>
 GET / 500 in 3.1s (next.js: 3.0s, application-code: 137ms)
 GET /other 200 in 529ms (next.js: 299ms, application-code: 230ms)`, "next build | Expected '</' | ./app/part.js:2:1 | GET /\n"},
		{"and only that route tells", `
2>⨯ ./app/part.js:2:1
2>Error: Expected '</'
2>
2>
 GET / 500 in 3.1s (next.js: 3.0s, application-code: 137ms)
 GET / 200 in 529ms (next.js: 299ms, application-code: 230ms)`, "next build | Expected '</' | ./app/part.js:2:1 | GET / (resolved)\n"},
		{"a restart after a crash settles nothing by itself", `
2>panic: boom
2>
2>goroutine 1 [running]:
2>main.main()
2>	/app/main.go:3 +0x1
#--- exit code 2; restart 1 in 1s ---
hello`, "go crash | panic: boom | /app/main.go:3:0 in main (perhaps resolved)\n"},
		{"a stack that is cut off", "2>TypeError: x\n2>    at f (/app/a.js:1:2)", "node log | TypeError: x | /app/a.js:1:2 in f\n"},
		{"only packages in the stack", "2>TypeError: x\n2>    at f (/app/node_modules/p/a.js:1:2)", "node log | TypeError: x | :0:0\n"},
		{"Vite repeats what a page said", `
2>4:28:28 PM [vite] (client) [Unhandled error] ReferenceError: summ is not defined
2> > Total src/Total.jsx:3:13
2>    1  |  export function Total({ items }) {
2> > renderWithHooks node_modules/react-dom/x.js:1:2
2>4:28:29 PM [vite] (client) [console.error] no price`, "vite log | ReferenceError: summ is not defined | src/Total.jsx:3:13 in Total (forwarded)\nvite log | no price | :0:0 (forwarded)\n"},
		{"two programs of one runner, interleaved", `
[web] TypeError: a
[api] Traceback (most recent call last):
[web]     at f (/app/a.js:1:2)
[api]   File "/app/b.py", line 2, in g
[web]     at h (/app/c.js:1:2)
[api]     x
[api] KeyError: 1`, "node log | TypeError: a | /app/a.js:1:2 in f\npython crash | KeyError: 1 | /app/b.py:2:0 in g\n"},
		{"docker compose and turbo", `
web-1  | src/a.ts(1,2): error TS1: one
@shop/web:dev: src/b.ts(1,2): error TS1: two`, "tsc build TS1 | one | src/a.ts:1:2\ntsc build TS1 | two | src/b.ts:1:2\n"},
		{"runners that pad, date or nest their marks", `
[web  ] src/a.ts(1,2): error TS1: one
[api 2026-11-15 21:57:11.667] src/b.ts(1,2): error TS1: two
[@shop/web]: src/c.ts(1,2): error TS1: three
12:00:01 web.1  | src/d.ts(1,2): error TS1: four
apps/web dev: src/e.ts(1,2): error TS1: five`, "tsc build TS1 | one | src/a.ts:1:2\ntsc build TS1 | two | src/b.ts:1:2\ntsc build TS1 | three | src/c.ts:1:2\ntsc build TS1 | four | src/d.ts:1:2\ntsc build TS1 | five | src/e.ts:1:2\n"},
		{"a runner in a container", `
web-1  | [types] src/a.ts(1,2): error TS1: one`, "tsc build TS1 | one | src/a.ts:1:2\n"},
		{"one stream for all of Next", `
⨯ TypeError: no
    at GET (app/api/cart/route.js:3:37)
  1 | export async function GET() {
> 3 |   return no;
 GET /api/cart 500 in 370ms (next.js: 62ms, application-code: 308ms)`, "next log | TypeError: no | app/api/cart/route.js:3:37 in GET | GET /api/cart\n"},
		{"what looks like such a mark", `
[31/Jan/2026 12:00:00] ERROR no such table
src/a.ts dev: nothing
./a.js:1:2: ERROR: one`, "log log | no such table | :0:0\n"},
		{"blank lines between marks", `
web-1  | Traceback (most recent call last):
web-1  |   File "/app/main.py", line 4, in <module>
web-1  |     boom()
db-1   | ready
web-1  | ValueError: no
web-1  |
web-1  | The above exception was the direct cause of the following exception:
web-1  |
web-1  | Traceback (most recent call last):
web-1  |   File "/app/main.py", line 6, in <module>
web-1  |     boom()
web-1  | KeyError: 1`, "python crash | KeyError: 1 | /app/main.py:6:0 in <module> | by ValueError: no\n"},
		{"a checker within Vite", `
 ERROR(TypeScript)  TS2307: Cannot find module './nope'.
 FILE  /app/src/a.ts:1:25

  > 1 | import './nope'
      |        ^

 ERROR(TypeScript)  TS2322: two
 FILE  /app/src/b.ts:3:19

[TypeScript] Found 2 error(s)
 ERROR(ESLint)  'foo' is not defined. (no-undef)
 FILE  /app/src/a.js:2:1

[ESLint] Found 1 errors and 0 warning
12:00:01 [vite] (client) hmr update /src/b.ts
 ERROR(TypeScript)  TS2307: Cannot find module './nope'.
 FILE  /app/src/a.ts:1:25

[TypeScript] Found 1 error(s)`, "tsc build TS2307 | Cannot find module './nope'. | /app/src/a.ts:1:25 ×2\ntsc build TS2322 | two | /app/src/b.ts:3:19 (resolved)\neslint build no-undef | 'foo' is not defined | /app/src/a.js:2:1\n"},
		{"tsx runs the program anew", `
2>/app/cfg.cjs:1
2>throw new Error("config is missing");
2>      ^
2>
2>Error: config is missing
2>    at Object.<anonymous> (/app/cfg.cjs:1:7)
2>
2>Node.js v20.20.2
10:09:23 PM [tsx] change in ./srv.cjs Rerunning...
up`, "node crash | Error: config is missing | /app/cfg.cjs:1:7 (perhaps resolved)\n"},
		{"the checker is content", `
 ERROR(TypeScript)  TS2322: two
 FILE  /app/src/b.ts:3:19

[TypeScript] Found 1 error(s)
[TypeScript] No errors`, "tsc build TS2322 | two | /app/src/b.ts:3:19 (resolved)\n"},
		{"Astro", `
2>17:10:10 [ERROR] one is not defined
2>  Stack trace:
2>    at /app/src/components/Greeting.astro:1:1
2>    [...] See full stack trace in the browser, or rerun with --verbose.`, "log log | one is not defined | /app/src/components/Greeting.astro:1:1\n"},
		{"Windows", "2>TypeError: x\n2>    at f (C:\\shop\\src\\a.js:1:2)", "node log | TypeError: x | C:\\shop\\src\\a.js:1:2 in f\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(scan.Output(lines(c.text))); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestFlood: a loop of errors costs neither memory nor their number.
func TestFlood(t *testing.T) {
	var s scan.Scanner
	const n = 50_000
	for i := range n {
		s.Line(scan.Line{Seq: uint64(i), Time: start, Stream: process.Stderr, Text: "ERROR: database is down"})
	}
	got := s.Problems()
	if len(got) != 1 || got[0].Count != n || s.Dropped() != 0 {
		t.Fatalf("%d problems, dropped %d", len(got), s.Dropped())
	}
	for i := range n {
		s.Line(scan.Line{Seq: uint64(n + i), Time: start, Stream: process.Stderr, Text: fmt.Sprintf("ERROR: order %d is lost", i)})
	}
	if got := s.Problems(); len(got) > scan.MaxProblems || len(got)+s.Dropped() != n+1 {
		t.Fatalf("%d problems, dropped %d", len(got), s.Dropped())
	}
}

func FuzzScan(f *testing.F) {
	f.Add("2>Traceback (most recent call last):\n2>  File \"a\", line 1\n2>E: x")
	f.Add("ERROR in ./a 1:2\n[tsl] ERROR in a(1,2)\n      TS1: x\n#--- restarted by request")
	f.Add("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\nexit status 2")
	f.Add("--- FAIL: T (0.0s)\n    a_test.go:1: x\npanic: y\nFAIL\tp\t1s")
	f.Add("   ╭─[ a.js:1:2 ]\n[A_B] x\n   ╭─[ a.js:1:2 ]\n───╯")
	f.Add("  1:2  error  x  y\nfile:///a:1\n x\n\nError: y\n    at f (a.js:1:2)\n  [cause]: z")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Trim(text, "\n") == "" {
			return
		}
		all := lines(text)
		for _, p := range scan.Output(all).Problems() {
			if p.Message == "" || p.Count < 1 || len(p.Message) > 600 || len(p.File) > 400 || p.Line < 0 || p.Column < 0 || len(p.Causes) > 4 {
				t.Fatalf("out of bounds: %+v", p)
			}
		}
	})
}

func BenchmarkOutput(b *testing.B) {
	kinds := map[string]string{
		"healthy": "12:00:00 [vite] (client) GET /src/components/Cart.jsx 200 in 12 ms, cached",
		"errors":  "2026-01-31 12:00:00 ERROR could not connect to the database at localhost:5432",
		"stack":   "    at handle (/app/node_modules/express/lib/router/index.js:284:15)",
	}
	for name, text := range kinds {
		b.Run(name, func(b *testing.B) {
			var all []scan.Line
			for size := 0; size < 2<<20; size += len(text) + 32 {
				all = append(all, scan.Line{Seq: uint64(len(all)), Time: start, Stream: process.Stdout, Text: text})
			}
			b.ReportMetric(float64(len(all)), "lines")
			for b.Loop() {
				scan.Output(all)
			}
		})
	}
}
