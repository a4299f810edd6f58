package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every way a file can be wrong: where it is said to be wrong, and the words.
// Settings are put into a script (s) or a proxy (p), on the second line, or at
// the top level (t), on the first.
func TestProblems(t *testing.T) {
	const expectedURL = `expected a URL like "http://localhost:3000"`
	tests := []struct{ name, in, src, want string }{
		{"misspelt key", "s", `autstart #true`, `2:1: unknown key "autstart" in script "dev" (did you mean "autostart"?)`},
		{"misspelt property", "s", `env A=b; autostart #true; Autostat`, `2:27: unknown key "Autostat" in script "dev" (did you mean "autostart"?)`},
		{"unheard-of key", "s", `colour red`, `2:1: unknown key "colour" in script "dev" (valid: run, autostart, cwd, env, restart, ready-port, ready-url, ready-pattern, depends-on)`},
		{"unheard-of block", "s", `colours { a; }`, `2:1: unknown block "colours" in script "dev" (valid: run, autostart, cwd, env, restart, ready-port, ready-url, ready-pattern, depends-on)`},
		{"a proxy's key in a script", "s", `target "http://h"`, `2:1: unknown key "target" in script "dev" (valid: run, autostart, cwd, env, restart, ready-port, ready-url, ready-pattern, depends-on)`},
		{"misspelt key of a proxy", "p", `insecure_tls #true`, `2:1: unknown key "insecure_tls" in proxy "web" (did you mean "insecure-tls"?)`},
		{"key of no use in a proxy", "p", `colour red`, `2:1: unknown key "colour" in proxy "web" (valid: target, autostart, script, port, bind, insecure-tls, public-url)`},
		{"misspelt block", "t", `script { dev run=x; }`, `1:1: unknown block "script" at the top level (did you mean "scripts"?)`},
		{"misspelt top-level key", "t", `body_limt 1`, `1:1: unknown key "body_limt" at the top level (did you mean "body-limit"?)`},
		{"unheard-of top-level key", "t", `x 1`, `1:1: unknown key "x" at the top level (valid: scripts, proxies, redact, body-limit, linger)`},
		{"a key's odd characters are escaped", "t", `"x\u{1b}[31m\u{202e}" 1`, `1:1: unknown key "x\x1b[31m\u202e" at the top level (valid: scripts, proxies, redact, body-limit, linger)`},
		{"a key's length is cut", "t", strings.Repeat("x", 100), `1:1: unknown key "` + strings.Repeat("x", 60) + `…" at the top level (valid: scripts, proxies, redact, body-limit, linger)`},
		{"key given twice", "s", `cwd a; cwd b`, `2:8: cwd of script "dev" is already given at 2:1`},
		{"top-level key given twice", "t", `linger "1s"; linger "2s"`, `1:14: linger is already given at 1:1`},

		{"flag as a string", "s", `autostart yes`, `2:11: autostart of script "dev": expected true or false, got string "yes"`},
		{"flag as a number", "s", `autostart 1`, `2:11: autostart of script "dev": expected true or false, got number 1`},
		{"flag as null", "s", `autostart #null`, `2:11: autostart of script "dev": expected true or false, got null`},
		{"flag twice", "s", `autostart #true #false`, `2:17: autostart of script "dev": expected true or false, got 2 values`},
		{"flag as a block", "s", `autostart { a; }`, `2:1: autostart of script "dev": expected true or false, got a block`},
		{"flag of a proxy", "p", `insecure-tls "true"`, `2:14: insecure-tls of proxy "web": expected true or false, got string "true"`},
		{"flag with a property", "p", `autostart when=now`, `2:11: autostart of proxy "web": expected true or false, got the property "when"`},

		{"folder without a value", "s", `cwd`, `2:1: cwd of script "dev": expected a folder, got nothing`},
		{"folder as a flag", "s", `cwd #true`, `2:5: cwd of script "dev": expected a folder, got true`},
		{"folder of spaces", "s", `cwd " "`, `2:5: cwd of script "dev": expected a folder, got string " "`},
		{"folder with a NUL", "s", `cwd "a\u{0}b"`, `2:5: cwd of script "dev": expected a folder, got string "a\x00b" (it holds a NUL character)`},

		{"environment without a value", "s", `env`, `2:1: env of script "dev": expected a block of NAME "value" lines, got nothing`},
		{"environment as arguments", "s", `env "A=b"`, `2:5: env of script "dev": expected a block of NAME "value" lines, got string "A=b"`},
		{"variable without a value", "s", `env { A; }`, `2:7: env "A" of script "dev": expected a string, got nothing`},
		{"variable as null", "s", `env A=#null`, `2:7: env "A" of script "dev": expected a string, got null`},
		{"variable with two values", "s", `env { A b c; }`, `2:11: env "A" of script "dev": expected a string, got 2 values`},
		{"variable twice", "s", `env A=b { A c; }`, `2:11: env "A" of script "dev" is already given`},
		{"variable with an equals sign", "s", `env { "A=b" c; }`, `2:7: env of script "dev": expected a variable name, got "A=b"`},
		{"variable without a name", "s", `env { "" c; }`, `2:7: env of script "dev": expected a variable name, got ""`},
		{"variable with a NUL", "s", `env { A "\u{0}"; }`, `2:9: env "A" of script "dev": expected a string, got string "\x00"`},

		{"misspelt policy", "s", `restart allways`, `2:9: restart of script "dev": expected "no", "on-failure" or "always", got string "allways" (did you mean "always"?)`},
		{"unknown policy", "s", `restart sometimes`, `2:9: restart of script "dev": expected "no", "on-failure" or "always", got string "sometimes"`},
		{"policy as a flag", "s", `restart #true`, `2:9: restart of script "dev": expected "no", "on-failure" or "always", got true`},

		{"port zero", "s", `ready-port 0`, `2:12: ready-port of script "dev": expected a port number from 1 to 65535, got number 0`},
		{"port too high", "p", `port 65536`, `2:6: port of proxy "web": expected a port number from 1 to 65535, got number 65536`},
		{"port below zero", "p", `port -1`, `2:6: port of proxy "web": expected a port number from 1 to 65535, got number -1`},
		{"port far too high", "p", `port 99999999999999999999999`, `2:6: port of proxy "web": expected a port number from 1 to 65535, got number 99999999999999999999999`},
		{"port as a fraction", "p", `port 80.0`, `2:6: port of proxy "web": expected a port number from 1 to 65535, got number 80.0`},
		{"port as a string", "p", `port "80"`, `2:6: port of proxy "web": expected a port number from 1 to 65535, got string "80"`},

		{"URL without a scheme", "s", `ready-url "localhost:3000"`, `2:11: ready-url of script "dev": ` + expectedURL + `, got string "localhost:3000" (it must begin with http:// or https://)`},
		{"URL of another scheme", "s", `ready-url "ftp://h"`, `2:11: ready-url of script "dev": ` + expectedURL + `, got string "ftp://h" (it must begin with http:// or https://)`},
		{"URL without a host", "p", `public-url "http://:80"`, `2:12: public-url of proxy "web": ` + expectedURL + `, got string "http://:80" (it names no host)`},
		{"URL with a bad port", "p", `public-url "http://h:99999"`, `2:12: public-url of proxy "web": ` + expectedURL + `, got string "http://h:99999" (its port is not from 1 to 65535)`},
		{"URL with a port that is no number", "p", `public-url "http://h:x"`, `2:12: public-url of proxy "web": ` + expectedURL + `, got string "http://h:x" (invalid port ":x" after host)`},
		{"URL as a number", "p", `public-url 80`, `2:12: public-url of proxy "web": ` + expectedURL + `, got number 80`},

		{"bad pattern", "s", `ready-pattern "ready ("`, `2:15: ready-pattern of script "dev": expected a regular expression, got string "ready (" (missing closing ): "ready (")`},
		{"empty pattern", "s", `ready-pattern ""`, `2:15: ready-pattern of script "dev": expected a regular expression, got string "" (it would match everything)`},

		{"no dependency", "s", `depends-on`, `2:1: depends-on of script "dev": expected names of scripts, got nothing`},
		{"dependency as a number", "s", `depends-on 1`, `2:12: depends-on of script "dev": expected names of scripts, got number 1`},
		{"dependency as a block", "s", `depends-on { db; }`, `2:1: depends-on of script "dev": expected names of scripts, got a block`},
		{"misspelt dependency", "s", `depends-on othr`, `2:12: depends-on of script "dev": unknown script "othr" (did you mean "other"?)`},
		{"unknown dependency", "s", `depends-on other xyz`, `2:18: depends-on of script "dev": unknown script "xyz" (valid: other, dev)`},
		{"dependency on itself", "s", `depends-on dev`, `2:12: depends-on of script "dev": scripts depend on each other in a circle: "dev" -> "dev"`},

		{"bind with a port", "p", `bind "0.0.0.0:80"`, `2:6: bind of proxy "web": expected a host or address like "0.0.0.0", got string "0.0.0.0:80" (the port has its own key: port 80)`},
		{"bind as a URL", "p", `bind "http://h"`, `2:6: bind of proxy "web": expected a host or address like "0.0.0.0", got string "http://h"`},
		{"bind empty", "p", `bind ""`, `2:6: bind of proxy "web": expected a host or address like "0.0.0.0", got string ""`},
		{"bind of odd labels", "p", `bind "a..b"`, `2:6: bind of proxy "web": expected a host or address like "0.0.0.0", got string "a..b"`},

		{"redact of nothing", "t", `redact`, `1:1: redact: expected names of headers or fields, got nothing`},
		{"redact of a number", "t", `redact a 1`, `1:10: redact: expected names of headers or fields, got number 1`},
		{"redact of an empty name", "t", `redact ""`, `1:8: redact: expected names of headers or fields, got string ""`},
		{"redact as a block", "t", `redact { a; }`, `1:1: redact: expected names of headers or fields, got a block`},
		{"size of another unit", "t", `body-limit "1 parsec"`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got string "1 parsec"`},
		{"size without a number", "t", `body-limit "KB"`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got string "KB"`},
		{"size below zero", "t", `body-limit -1`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got number -1`},
		{"size as a signed string", "t", `body-limit "-1KB"`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got string "-1KB"`},
		{"size as a fraction", "t", `body-limit 1.5`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got number 1.5`},
		{"size as a flag", "t", `body-limit #true`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got true`},
		{"size too big", "t", `body-limit "2GiB"`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got string "2GiB" (at most 1024MiB)`},
		{"size far too big", "t", `body-limit "9223372036854775807GiB"`, `1:12: body-limit: expected a number of bytes like 65536, "256KB" or "1MiB", got string "9223372036854775807GiB" (at most 1024MiB)`},
		{"duration as a number", "t", `linger 10`, `1:8: linger: expected a duration like "10m" or "0s", got number 10`},
		{"duration without a unit", "t", `linger "10"`, `1:8: linger: expected a duration like "10m" or "0s", got string "10"`},
		{"duration below zero", "t", `linger "-1s"`, `1:8: linger: expected a duration like "10m" or "0s", got string "-1s" (it is negative)`},
		{"duration without a value", "t", `linger`, `1:1: linger: expected a duration like "10m" or "0s", got nothing`},

		{"argument of a script", "t", `scripts { dev "npm run dev" run=x; }`, `1:15: script "dev": expected settings in a block or as key=value, got string "npm run dev"`},
		{"argument of scripts", "t", `scripts dev {}`, `1:9: scripts: expected a block of named script blocks, got string "dev"`},
		{"property of proxies", "t", `proxies web="http://h"`, `1:9: proxies: expected a block of named proxy blocks, got the property "web"`},
		{"scripts without a block", "t", `scripts`, `1:1: scripts: expected a block of named script blocks, got nothing`},
		{"script without run", "t", `scripts { dev; }`, `1:11: script "dev" has no run: expected run "shell command"`},
		{"script with a wrong run", "t", `scripts { dev run=1; }`, `1:19: run of script "dev": expected a shell command, got number 1`},
		{"script with an empty run", "t", `scripts { dev run=""; }`, `1:19: run of script "dev": expected a shell command, got string ""`},
		{"script twice", "t", `scripts { dev run=a; dev run=b; }`, `1:22: script "dev" is already defined at 1:11`},
		{"script twice in two blocks", "t", `scripts { dev run=a; }; scripts { dev run=b; }`, `1:35: script "dev" is already defined at 1:11`},
		{"script of no name", "t", `scripts { "" run=a; }`, `1:11: expected a name of printable characters for a script, got ""`},
		{"script of spaces", "t", `scripts { " " run=a; }`, `1:11: expected a name of printable characters for a script, got " "`},
		{"control character in a name", "t", `scripts { "a\nb" run=a; }`, `1:11: expected a name of printable characters for a script, got "a\nb"`},
		{"direction override in a name", "t", `proxies { "a\u{202e}b" target="http://h"; }`, `1:11: expected a name of printable characters for a proxy, got "a\u202eb"`},
		{"proxy twice", "t", `proxies { a target="http://h"; a target="http://i"; }`, `1:32: proxy "a" is already defined at 1:11`},
		{"proxy with neither", "t", `proxies { a port=1; }`, `1:11: proxy "a" has neither target nor script: expected target "URL" or script "name"`},
		{"proxy with both", "t", `scripts { s run=x; }; proxies { a target="http://h" script=s; }`, `1:53: proxy "a" has both target and script: expected one of them`},
		{"proxy with both the other way", "t", `scripts { s run=x; }; proxies { a { script s; target "http://h"; }; }`, `1:47: proxy "a" has both target and script: expected one of them`},
		{"proxy with a wrong target", "t", `proxies { a target=3000; }`, `1:20: target of proxy "a": ` + expectedURL + `, got number 3000`},
		{"proxy of an unknown script", "t", `scripts { dev run=x; }; proxies { a script=dve; }`, `1:44: script of proxy "a": unknown script "dve" (did you mean "dev"?)`},
		{"proxy of a script where there is none", "t", `proxies { a script=dev; }`, `1:20: script of proxy "a": unknown script "dev" (no script is defined)`},
		{"two proxies on one port", "t", `proxies { a target="http://h" port=80; b target="http://h" port=80; }`, `1:65: port of proxy "b": expected a port of its own, got 80, which proxy "a" has`},

		{"not KDL", "t", `scripts { dev run=`, `1:19: expected a value, got the end of the file`},
	}
	around := map[string][2]string{
		"s": {"scripts { other run=x; dev run=x {\n", "\n}; }"},
		"p": {`proxies { web target="http://h" {` + "\n", "\n}; }"},
		"t": {"", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			src := around[test.in][0] + test.src + around[test.in][1]
			_, problems := Parse("f", []byte(src))
			var got []string
			for _, problem := range problems {
				got = append(got, problem.String())
			}
			if diff := cmp.Diff([]string{"f:" + test.want}, got); diff != "" {
				t.Errorf("%s\n(-want +got):\n%s", src, diff)
			}
		})
	}
}

// One wrong thing must not take right ones with it.
func TestWhatIsValidIsKept(t *testing.T) {
	src := `scripts {
  a { run x; autostart "yes"; cwd web; restart never; }
  b { autostart #true; }
  c { run y; depends-on a b nosuch; }
  c { run z; }
}
proxies {
  p { target "http://h"; port 70000; bind "h:1"; insecure-tls 1; autostart #true; }
  q { script b; }
  r { script c; }
  s { target "http://h"; script c; }
}
linger soon
body-limit 10
`
	config, problems := Parse("f", []byte(src))
	want := Config{
		Scripts: []Script{
			{Name: "a", Run: "x", Cwd: "web", Restart: RestartNo, Line: 2, Column: 3},
			{Name: "c", Run: "y", Restart: RestartNo, DependsOn: []string{"a"}, Line: 4, Column: 3},
		},
		Proxies: []Proxy{
			{ID: "p", Target: "http://h", Autostart: true, Line: 8, Column: 3},
			{ID: "r", Script: "c", Line: 10, Column: 3},
		},
		BodyLimit: 10,
		Linger:    DefaultLinger,
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var places []string
	for _, problem := range problems {
		places = append(places, fmt.Sprintf("%d:%d", problem.Line, problem.Column))
	}
	wantPlaces := []string{"2:24", "2:48", "3:3", "4:27", "4:29", "5:3", "8:31", "8:43", "8:63", "9:14", "11:26", "13:8"}
	if diff := cmp.Diff(wantPlaces, places); diff != "" {
		t.Errorf("places (-want +got):\n%s\n%v", diff, problems)
	}
}

// Of two proxies on one port the first keeps it; on addresses of their own both do.
func TestPortsAreGivenOnce(t *testing.T) {
	config, problems := Parse("f", []byte(`proxies {
  a target="http://h" port=80
  b target="http://h" port=80
  c target="http://h" port=80 bind="::1"
  d target="http://h"
  e target="http://h"
}`))
	var ports []int
	for _, proxy := range config.Proxies {
		ports = append(ports, proxy.Port)
	}
	if diff := cmp.Diff([]int{80, 0, 80, 0, 0}, ports); diff != "" || len(problems) != 1 {
		t.Errorf("problems %v, ports (-want +got):\n%s", problems, diff)
	}
}

func TestEveryCircleIsNamedOnce(t *testing.T) {
	src := `scripts {
  a { run x; depends-on b; }
  b { run x; depends-on c a; }
  c { run x; depends-on d a; }
  d { run x; }
  e { run x; depends-on f d; }
  f { run x; depends-on e; }
}`
	config, problems := Parse("f", []byte(src))
	var got []string
	for _, problem := range problems {
		got = append(got, problem.String())
	}
	want := []string{
		`f:3:27: depends-on of script "b": scripts depend on each other in a circle: "a" -> "b" -> "a"`,
		`f:4:27: depends-on of script "c": scripts depend on each other in a circle: "a" -> "b" -> "c" -> "a"`,
		`f:7:25: depends-on of script "f": scripts depend on each other in a circle: "e" -> "f" -> "e"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"d", "c", "b", "a", "f", "e"}, config.StartOrder("a", "e")); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestManyProblemsAreCutAndCounted(t *testing.T) {
	_, problems := Parse("f", []byte(strings.Repeat("x\n", 150)))
	if len(problems) != maxProblems+1 {
		t.Fatalf("%d problems listed", len(problems))
	}
	if got := problems[maxProblems].String(); got != "f:101:1: 50 more problems from here on" {
		t.Errorf("the last is %q", got)
	}
	if _, problems := Parse("f", []byte(strings.Repeat("x\n", maxProblems))); len(problems) != maxProblems || strings.Contains(problems[maxProblems-1].Message, "more") {
		t.Errorf("%d problems are listed as %d", maxProblems, len(problems))
	}
}

// Whatever the text: no panic, and a Config that keeps its promises.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "scripts { a run=x autostart=#true { depends-on b; env A=1; }; b run=x { depends-on a; }; }",
		`proxies { p script=a port=1; q target="http://h" bind="::1"; }; redact a b; linger "1s"; body-limit "1KB"`,
		"scripts {\n dev {\n  run \"x\"\n  autostart true\n }\n}", "scripts { a; a; }", "linger", "x=1", "a {",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		config, problems := Parse("f", src)
		for _, problem := range problems {
			if problem.Line < 1 || problem.Column < 1 || problem.Message == "" || problem.File != "f" {
				t.Errorf("%q: problem %+v", src, problem)
			}
		}
		if config.BodyLimit < 0 || config.BodyLimit > MaxBodyLimit || config.Linger < 0 {
			t.Errorf("%q: limits %d, %v", src, config.BodyLimit, config.Linger)
		}
		seen := map[string]bool{}
		var names []string
		for _, script := range config.Scripts {
			if script.Run == "" || script.Restart == "" || seen[script.Name] {
				t.Errorf("%q: script %+v", src, script)
			}
			seen[script.Name] = true
			names = append(names, script.Name)
		}
		for _, proxy := range config.Proxies {
			if (proxy.Target == "") == (proxy.Script == "") || proxy.Script != "" && !seen[proxy.Script] {
				t.Errorf("%q: proxy %+v", src, proxy)
			}
		}
		started := map[string]bool{}
		for _, name := range config.StartOrder(names...) {
			script, ok := config.Script(name)
			if !ok {
				t.Errorf("%q: order has %q", src, name)
			}
			for _, dependency := range script.DependsOn {
				if !started[dependency] {
					t.Errorf("%q: %q starts before %q", src, name, dependency)
				}
			}
			started[name] = true
		}
		if len(started) != len(names) {
			t.Errorf("%q: order has %d of %d scripts", src, len(started), len(names))
		}
	})
}
