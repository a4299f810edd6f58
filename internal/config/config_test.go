package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// mustParse reads text that has no problems.
func mustParse(t *testing.T, src string) Config {
	t.Helper()
	config, problems := Parse("f", []byte(src))
	if len(problems) > 0 {
		t.Fatalf("Parse(%s): %v", src, problems)
	}
	return config
}

func TestWholeFile(t *testing.T) {
	config := mustParse(t, `// a project
scripts {
    db {
        run "docker compose up db"
        ready-port 5432
        restart "on-failure"
    }
    dev {
        run "npm run dev"
        autostart #true
        cwd "web"
        env {
            NODE_ENV development
            PORT 3000
            DEBUG #true
            EMPTY ""
        }
        restart always
        ready-url "http://localhost:3000/health"
        ready-pattern #"ready in \d+ ms"#
        depends-on db
    }
}
proxies {
    web {
        script dev
        port 8080
        bind "0.0.0.0"
        public-url "https://dev.example.com"
        autostart #true
    }
    api {
        target "https://localhost:8443"
        insecure-tls #true
    }
}
redact x-internal-key session
body-limit "256KiB"
linger "30m"
`)
	want := Config{
		Scripts: []Script{
			{Name: "db", Run: "docker compose up db", Restart: RestartOnFailure, ReadyPort: 5432, Line: 3, Column: 5},
			{
				Name: "dev", Run: "npm run dev", Cwd: "web", Autostart: true, Restart: RestartAlways,
				Env:      []EnvVar{{"NODE_ENV", "development"}, {"PORT", "3000"}, {"DEBUG", "true"}, {"EMPTY", ""}},
				ReadyURL: "http://localhost:3000/health", ReadyPattern: `ready in \d+ ms`,
				DependsOn: []string{"db"}, Line: 8, Column: 5,
			},
		},
		Proxies: []Proxy{
			{ID: "web", Script: "dev", Port: 8080, Bind: "0.0.0.0", PublicURL: "https://dev.example.com", Autostart: true, Line: 25, Column: 5},
			{ID: "api", Target: "https://localhost:8443", InsecureTLS: true, Line: 32, Column: 5},
		},
		Redact:    []string{"x-internal-key", "session"},
		BodyLimit: 256 << 10,
		Linger:    30 * time.Minute, LingerGiven: true,
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The same settings in every way they may be written.
func TestForms(t *testing.T) {
	base := mustParse(t, "scripts {\n dev {\n  run \"x y\"\n  autostart #true\n  env {\n   A b\n  }\n  depends-on a c\n }\n a run=x\n c run=x\n}\nproxies {\n p {\n  target \"http://h\"\n }\n}\n")
	for name, src := range map[string]string{
		"version 1":                "scripts {\n dev {\n  run \"x y\"\n  autostart true\n  env {\n   A \"b\"\n  }\n  depends-on \"a\" \"c\"\n }\n a run=\"x\"\n c run=\"x\"\n}\nproxies {\n p {\n  target \"http://h\"\n }\n}\n",
		"bare autostart":           "scripts {\n dev {\n  run \"x y\"\n  autostart\n  env A=b\n  depends-on a c\n }\n a run=x\n c run=x\n}\nproxies {\n p target=\"http://h\"\n}\n",
		"properties":               "scripts {\n dev run=\"x y\" autostart=#true {\n  env A=b; depends-on a; depends-on c a\n }\n a run=x\n c run=x\n}\nproxies {\n p target=\"http://h\"\n}\n",
		"version 1 and properties": "scripts {\n dev run=\"x y\" autostart=true {\n  env A=\"b\"; depends-on \"a\"; depends-on \"c\" \"a\"\n }\n a run=\"x\"\n c run=\"x\"\n}\nproxies {\n p target=\"http://h\"\n}\n",
		"several blocks":           "scripts {\n dev run=\"x y\" {\n  autostart; env A=b; depends-on a c\n }\n}\nscripts {\n a run=x\n}\nscripts { c run=x; }\nproxies {}\nproxies {\n p target=\"http://h\"\n}\n",
		"explained and commented":  "/- kdl-version 2\n// x\nscripts {\n (web)dev /* y */ run=\"x y\" autostart=(bool)#true /-cwd=1 {\n  env A=b; depends-on a c; /-wrong\n }\n a run=x\n c run=x\n /-d\n}\nproxies {\n p target=\"http://h\"\n}\n/-wrong\n",
	} {
		t.Run(name, func(t *testing.T) {
			config := mustParse(t, src)
			if diff := cmp.Diff(base, config, cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".Line" || p.Last().String() == ".Column"
			}, cmp.Ignore())); diff != "" {
				t.Errorf("(-block form +this form):\n%s", diff)
			}
		})
	}
}

// Each key, alone, with a value that is not its default, changes its
// field. The list is complete: it is compared with the keys that the
// messages about unknown keys call valid.
func TestEveryKeyChangesItsField(t *testing.T) {
	tests := []struct {
		owner, key, value, field string
		want                     any
	}{
		{"", "redact", `"x-secret"`, "Redact", []string{"x-secret"}},
		{"", "body-limit", "0", "BodyLimit", int64(0)},
		{"", "linger", `"0s"`, "Linger", time.Duration(0)},
		{"script", "run", `"make"`, "Run", "make"},
		{"script", "autostart", "#true", "Autostart", true},
		{"script", "cwd", `"../api"`, "Cwd", "../api"},
		{"script", "env", `A="b"`, "Env", []EnvVar{{"A", "b"}}},
		{"script", "restart", `"always"`, "Restart", RestartAlways},
		{"script", "ready-port", "3000", "ReadyPort", 3000},
		{"script", "ready-url", `"https://[::1]:3000/x?y"`, "ReadyURL", "https://[::1]:3000/x?y"},
		{"script", "ready-pattern", `"ready|done"`, "ReadyPattern", "ready|done"},
		{"script", "depends-on", `"other"`, "DependsOn", []string{"other"}},
		{"proxy", "target", `"http://127.0.0.1:5173"`, "Target", "http://127.0.0.1:5173"},
		{"proxy", "autostart", "#true", "Autostart", true},
		{"proxy", "script", `"other"`, "Script", "other"},
		{"proxy", "port", "0xffff", "Port", 65535},
		{"proxy", "bind", `"::1"`, "Bind", "::1"},
		{"proxy", "insecure-tls", "#true", "InsecureTLS", true},
		{"proxy", "public-url", `"https://x.example"`, "PublicURL", "https://x.example"},
	}
	covered := map[string][]string{"": {"scripts", "proxies"}}
	for _, test := range tests {
		covered[test.owner] = append(covered[test.owner], test.key)
		t.Run(test.owner+" "+test.key, func(t *testing.T) {
			setting := test.key + " " + test.value
			inOwner := func(setting string) (reflect.Value, reflect.Value) {
				switch test.owner {
				case "":
					config := mustParse(t, setting)
					return reflect.ValueOf(config), reflect.ValueOf(Default())
				case "script":
					required := "run x;"
					if test.key == "run" {
						required = ""
					}
					config := mustParse(t, "scripts { s { "+required+setting+" }; other run=x; }")
					return reflect.ValueOf(config.Scripts[0]), reflect.ValueOf(mustParse(t, "scripts { s { run x; }; }").Scripts[0])
				default:
					required := `target "http://h";`
					if test.key == "target" || test.key == "script" {
						required = ""
					}
					config := mustParse(t, "scripts { other run=x; }; proxies { p { "+required+setting+" }; }")
					return reflect.ValueOf(config.Proxies[0]), reflect.ValueOf(Proxy{Target: "http://h"})
				}
			}
			got, plain := inOwner(setting)
			if diff := cmp.Diff(test.want, got.FieldByName(test.field).Interface()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.field, diff)
			}
			if reflect.DeepEqual(test.want, plain.FieldByName(test.field).Interface()) {
				t.Errorf("%v is what %s is without the key: the test shows nothing", test.want, test.field)
			}
		})
	}
	for owner, src := range map[string]string{"": "zzz", "script": "scripts { s run=x zzz=1; }", "proxy": `proxies { p target="http://h" zzz=1; }`} {
		_, problems := Parse("f", []byte(src))
		if len(problems) != 1 {
			t.Fatalf("%s: %v", src, problems)
		}
		_, list, _ := strings.Cut(strings.TrimSuffix(problems[0].Message, ")"), "(valid: ")
		for key := range strings.SplitSeq(list, ", ") {
			if !strings.Contains(" "+strings.Join(covered[owner], " ")+" ", " "+key+" ") {
				t.Errorf("key %q of owner %q has no case in this test", key, owner)
			}
		}
	}
}

func TestBodyLimitUnits(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "65536": 65536, "0x100": 256, `"123"`: 123, `"123B"`: 123, `"1k"`: 1000, `"256KB"`: 256000, `"256 kB"`: 256000,
		`"64KiB"`: 65536, `"2MB"`: 2000000, `"1MiB"`: 1 << 20, `"1mib"`: 1 << 20, `"1GiB"`: 1 << 30, `"1GB"`: 1e9,
	} {
		if got := mustParse(t, "body-limit "+text).BodyLimit; got != want {
			t.Errorf("body-limit %s is %d, want %d", text, got, want)
		}
	}
}

func TestBindAccepts(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "127.0.0.2", "::", "fe80::1", "localhost", "my-box.local", "box.", "größe.example"} {
		if got := mustParse(t, `proxies { p target="http://h" bind="`+host+`"; }`).Proxies[0].Bind; got != host {
			t.Errorf("bind %q is read as %q", host, got)
		}
	}
}

func TestOrder(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"nothing", "", nil},
		{"nothing starts by itself", "scripts { a run=x; b run=x { depends-on a; }; }", nil},
		{"in the order written", "scripts { b run=x autostart=#true; a run=x autostart=#true; }", []string{"b", "a"}},
		{"dependencies first, asked for or not", "scripts { a run=x autostart=#true { depends-on b; }; b run=x { depends-on c; }; c run=x; d run=x; }", []string{"c", "b", "a"}},
		{"a shared dependency once", "scripts { a run=x autostart=#true { depends-on c; }; b run=x autostart=#true { depends-on c; }; c run=x; }", []string{"c", "a", "b"}},
		{"in the order of depends-on", "scripts { a run=x autostart=#true { depends-on d c b; }; b run=x; c run=x; d run=x; }", []string{"d", "c", "b", "a"}},
		{"a diamond", "scripts { a run=x autostart=#true { depends-on b c; }; b run=x { depends-on d; }; c run=x { depends-on d; }; d run=x; }", []string{"d", "b", "c", "a"}},
		{"the script of an autostarted proxy", "scripts { a run=x { depends-on b; }; b run=x; c run=x; }; proxies { p script=a autostart=#true; q script=c; r target=\"http://h\" autostart=#true; }", []string{"b", "a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, mustParse(t, test.src).Order()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a circle is cut, not followed", func(t *testing.T) {
		config, problems := Parse("f", []byte("scripts { a run=x autostart=#true { depends-on b; }; b run=x { depends-on a; }; }"))
		if len(problems) != 1 {
			t.Errorf("problems: %v", problems)
		}
		if diff := cmp.Diff([]string{"b", "a"}, config.Order()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("of one script", func(t *testing.T) {
		config := mustParse(t, "scripts { a run=x { depends-on b; }; b run=x; c run=x autostart=#true; }")
		if diff := cmp.Diff([]string{"b", "a"}, config.StartOrder("a", "nosuch", "b")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestLookUp(t *testing.T) {
	config := mustParse(t, `scripts { a run=x; b run=y; }; proxies { p target="http://h"; }`)
	if script, ok := config.Script("b"); !ok || script.Run != "y" {
		t.Errorf("Script(b) = %+v, %v", script, ok)
	}
	if proxy, ok := config.Proxy("p"); !ok || proxy.Target != "http://h" {
		t.Errorf("Proxy(p) = %+v, %v", proxy, ok)
	}
	if _, ok := config.Script("p"); ok {
		t.Error("Script(p) finds a proxy")
	}
	if _, ok := config.Proxy("a"); ok {
		t.Error("Proxy(a) finds a script")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)

	config, problems := Load(path)
	if diff := cmp.Diff(Default(), config); diff != "" || problems != nil {
		t.Errorf("a missing file: %v, (-want +got):\n%s", problems, diff)
	}

	write(t, path, "linger \"1s\"\nlingr 1\n")
	config, problems = Load(path)
	if config.Linger != time.Second {
		t.Errorf("linger is %v", config.Linger)
	}
	if len(problems) != 1 || problems[0].String() != path+`:2:1: unknown key "lingr" at the top level (did you mean "linger"?)` {
		t.Errorf("problems: %v", problems)
	}

	config, problems = Load(dir)
	if diff := cmp.Diff(Default(), config); diff != "" {
		t.Errorf("a folder (-want +got):\n%s", diff)
	}
	if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), dir+": cannot read the file: ") {
		t.Errorf("a folder: %v", problems)
	}

	write(t, path, strings.Repeat("// long\n", 64<<10))
	_, problems = Load(path)
	if len(problems) != 1 || problems[0].String() != path+": the file is larger than 256 KiB" {
		t.Errorf("a long file: %v", problems)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
