package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(tasks []Task) []string {
	var out []string
	for _, t := range tasks {
		out = append(out, t.Name)
	}
	return out
}

func texts(problems []Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.String())
	}
	return out
}

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestPackageJSON(t *testing.T) {
	p, problems := ParsePackageJSON([]byte("\xef\xbb\xbf" + `{
  "name": "shop", "packageManager": "pnpm@9.1.0+sha512.abc",
  "scripts": {"start": "node .", "dev": "vite", "a:b": "x", "dev": "vite --host"},
  "dependencies": {"react": "^19.0.0", "odd": {"version": 1}}, "devDependencies": {"vite": "6"},
  "workspaces": {"packages": ["apps/*"], "nohoist": ["**"]},
  "devEngines": {"packageManager": [{"name": "pnpm", "version": "^9"}]}
}`))
	check(t, "problems", texts(problems), []string(nil))
	check(t, "package", p, PackageJSON{
		Name: "shop", PackageManager: "pnpm@9.1.0+sha512.abc", DevManager: "pnpm@^9",
		Scripts:      []Task{{Name: "start", Command: "node ."}, {Name: "dev", Command: "vite --host"}, {Name: "a:b", Command: "x"}},
		Dependencies: Dependencies{{Name: "react", Version: "^19.0.0"}, {Name: "odd"}, {Name: "vite", Version: "6"}},
		Workspaces:   []string{"apps/*"}, HasWorkspaces: true,
	})
}

func TestPackageJSONBroken(t *testing.T) {
	for _, c := range []struct {
		name, in string
		scripts  []string
		problems []string
	}{
		{"syntax", "{\n  \"name\": \"x\",\n  \"scripts\": {,}\n}", nil, []string{"line 3: invalid character ',' looking for beginning of object key string"}},
		{"cut short", "{\n  \"name\": \"x\",\n", nil, []string{"line 2: unexpected end of JSON input"}},
		{"empty", " \n", nil, []string{"the file is empty"}},
		{"list", "[1]", nil, []string{"line 1: expected a JSON object, found an array"}},
		{"merge conflict", "{\n<<<<<<< HEAD\n}", nil, []string{"line 2: invalid character '<' looking for beginning of object key string"}},
		{"scripts as list", `{"scripts": ["dev"], "name": "x"}`, nil, []string{`"scripts": expected an object, found an array`}},
		{"one bad script", `{"scripts": {"dev": 1, "ok": "x", "nil": null}}`, []string{"ok"}, []string{`script "dev": expected a string, found a number`, `script "nil": expected a string, found null`}},
		{"name as number", `{"name": 3, "scripts": {"a": "b"}}`, []string{"a"}, []string{`"name": expected a string, found a number`}},
		{"workspaces as string", `{"workspaces": "apps/*"}`, nil, []string{`"workspaces": expected a list of strings, found a string`}},
		{"scripts null", `{"scripts": null}`, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, problems := ParsePackageJSON([]byte(c.in))
			check(t, "scripts", names(p.Scripts), c.scripts)
			check(t, "problems", texts(problems), c.problems)
		})
	}
}

func TestDeno(t *testing.T) {
	d, problems := ParseDeno([]byte(`{
  // line comment with "quotes"
  "tasks": { /* block */
    "dev": "deno run -A --watch=static/,routes/ dev.ts", // https://kept.example
    "url": "echo http://x//y /* not a comment */",
    "check": {"command": "deno fmt", "description": "format", "dependencies": ["dev"]},
    "all": {"dependencies": ["dev", "check"]},
  },
  "imports": {"$fresh/": "https://deno.land/x/fresh@1.6.1/", "@fresh/core": "jsr:@fresh/core@^2.0.0", "h": "npm:hono@4/tiny"},
  "workspace": ["./a", "./b",],
}`))
	check(t, "problems", texts(problems), []string(nil))
	check(t, "deno", d, Deno{
		Tasks: []Task{
			{Name: "dev", Command: "deno run -A --watch=static/,routes/ dev.ts"}, {Name: "url", Command: "echo http://x//y /* not a comment */"},
			{Name: "check", Command: "deno fmt", Description: "format"}, {Name: "all"},
		},
		Imports:   Dependencies{{Name: "$fresh"}, {Name: "@fresh/core", Version: "^2.0.0"}, {Name: "hono", Version: "4"}},
		Workspace: []string{"./a", "./b"},
	})
	_, problems = ParseDeno([]byte("{\n// fine\n\"tasks\": {\"a\": [1]},\n\"name\": 1}"))
	check(t, "problems", texts(problems), []string{`"name": expected a string, found a number`, `task "a": expected a string or an object, found an array`})
	_, problems = ParseDeno([]byte("{\n/* two\nlines */ \"tasks\": nope}"))
	check(t, "position behind a comment", texts(problems), []string{"line 3: invalid character 'o' in literal null (expecting 'u')"})
}

func TestComposer(t *testing.T) {
	c, problems := ParseComposer([]byte(`{"name":"acme/shop","require":{"laravel/framework":"^11.0"},"scripts":{
		"dev":["Composer\\Config::disableProcessTimeout","npx concurrently \"php artisan serve\""],"test":"phpunit","auto-scripts":{"cache:clear":"symfony-cmd"},"bad":3},
		"scripts-descriptions":{"test":"runs tests"}}`))
	check(t, "scripts", c.Scripts, []Task{
		{Name: "dev", Command: "Composer\\Config::disableProcessTimeout\nnpx concurrently \"php artisan serve\""},
		{Name: "test", Command: "phpunit", Description: "runs tests"}, {Name: "auto-scripts", Command: "cache:clear"},
	})
	check(t, "problems", texts(problems), []string{`script "bad": expected a string or a list of strings, found a number`})
}

func TestAngularPort(t *testing.T) {
	for in, want := range map[string]int{
		`{"projects":{"a":{"architect":{"serve":{"options":{"port":4300}}}}}}`:                                                                 4300,
		`{"projects":{"a":{"targets":{"serve":{"options":{"port":4301}}}}}}`:                                                                   4301,
		`{"projects":{"a":{"architect":{"serve":{"options":{"port":1}}}},"b":{"architect":{"serve":{"options":{"port":2}}}}}}`:                 0,
		`{"projects":{"a":{"architect":{"serve":{"configurations":{"production":{"buildTarget":"a:build:production"}}}}}}, /* c */ "x": [1,]}`: 0,
	} {
		got, problems := AngularPort([]byte(in))
		if got != want || len(problems) > 0 {
			t.Errorf("AngularPort(%s) = %d, %v; want %d", in, got, problems, want)
		}
	}
}

const makefileSample = `# A comment with target: inside
SHELL := /bin/bash
BIN=bin/app
VERSION ?= $(shell git describe --tags: 2>/dev/null)
FLAGS += -x
NOW != date
POSIX ::= 1
export PATH := $(PWD)/bin:$(PATH)
include common.mk
-include .env
.DEFAULT_GOAL := help
.PHONY: dev build \
        test help

define BANNER
fake: target
endef

help: ## Show this help
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST)

## Start the server
dev: export PORT = 4000
dev: node_modules deps
	@echo starting; \
	  npx vite --port 4000
	-rm -f x
ifeq ($(OS),Windows_NT)
	echo windows
else
	echo unix
endif

build:: $(BIN)
test lint: ; go vet ./...
db\:migrate:
	./migrate
$(BIN): $(wildcard *.go)
	go build -o $@
bin/tool: x
	touch $@
main.o: main.c
%.o: %.c
	cc $<
%: %.in
.c.o:
	cc $<
ci: lint test build # no description here
generate-docs: docs # not ## really
export_data: build
export: build
	true
load: ; true
	# only a comment
`

func TestMakefile(t *testing.T) {
	tasks, problems := ParseMakefile([]byte(strings.ReplaceAll(makefileSample, "\n", "\r\n")))
	check(t, "problems", texts(problems), []string(nil))
	check(t, "tasks", tasks, []Task{
		{Name: "help", Command: "grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST)", Description: "Show this help"},
		{Name: "dev", Command: "echo starting; npx vite --port 4000\nrm -f x\necho windows\necho unix", Description: "Start the server"},
		{Name: "build"}, {Name: "test", Command: "go vet ./..."}, {Name: "lint", Command: "go vet ./..."},
		{Name: "db:migrate", Command: "./migrate"},
		{Name: "ci"}, {Name: "generate-docs", Description: "really"}, {Name: "export_data"}, {Name: "export", Command: "true"}, {Name: "load", Command: "true"},
	})
	_, problems = ParseMakefile([]byte("define X\na: b\n"))
	check(t, "problems", texts(problems), []string{`"define" without "endef"`})
}

// make refuses a whole file for one line that is neither rule nor variable.
func TestMakefileWithoutSeparator(t *testing.T) {
	for source, want := range map[string][]string{
		"dev: x \\\n  y\n\techo\n\ntest\n\techo\nlint\n":  {`line 5: missing separator: make reads "test" as neither a rule nor a variable`},
		"dev:\n    npm run dev\n":                         {`line 2: missing separator: make reads "npm run dev" as neither a rule nor a variable`},
		"$(call rules,a)\n${x}\n":                         nil,
		".RECIPEPREFIX = >\ndev:\n> echo\n":               nil,
		".include \"x.mk\"\n.if 1\n.endif\n":              nil,
		"include x.mk\nexport\nexport A\nvpath %.c src\n": nil,
		"A = 1\nB += 2\noverride C := 3\n":                nil,
	} {
		_, problems := ParseMakefile([]byte(source))
		check(t, source, texts(problems), want)
	}
}

func TestProcfile(t *testing.T) {
	tasks, problems := ParseProcfile([]byte("# c\nweb: bundle exec puma -p ${PORT:-3000}\n\nworker:sidekiq\nnot a line\nrelease : x: y\n"))
	check(t, "tasks", tasks, []Task{{Name: "web", Command: "bundle exec puma -p ${PORT:-3000}"}, {Name: "worker", Command: "sidekiq"}, {Name: "release", Command: "x: y"}})
	check(t, "problems", texts(problems), []string{`line 5: expected "name: command", found "not a line"`})
}

func TestJustfile(t *testing.T) {
	tasks, _ := ParseJustfile([]byte("port := \"3000\"\nexport A := 'b'\nset shell := [\"bash\"]\nalias b := build\n\n# run it\ndev:\n  @vite --port 3000\n\nbuild target='x' *flags: dep\n  cargo build\n[private]\nhidden:\n  x\n_low:\n  y\nneeds arg:\n  z\n@quiet: dev\n"))
	check(t, "tasks", tasks, []Task{{Name: "dev", Command: "vite --port 3000", Description: "run it"}, {Name: "build", Command: "cargo build"}, {Name: "quiet"}})
}

func TestPnpmWorkspace(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
		problems []string
	}{
		{"block", "packages:\n  # apps\n  - 'apps/*' # c\n  - \"packages/**\"\n  - tools\n  - '!**/test/**'\ncatalog:\n  react: ^19\n  - no\n", []string{"apps/*", "packages/**", "tools", "!**/test/**"}, nil},
		{"block at margin", "catalog:\n  x: 1\npackages:\n- a\n- b/*\nother: 1\n", []string{"a", "b/*"}, nil},
		{"flow", "packages: ['a/*', \"b\", c]\n", []string{"a/*", "b", "c"}, nil},
		{"flow over lines", "packages: [\n  'a/*', # one\n  b,\n]\n", []string{"a/*", "b"}, nil},
		{"only settings", "onlyBuiltDependencies:\n  - esbuild\n", nil, nil},
		{"alias", "packages: *list\n", nil, []string{`line 1: packages: cannot read "*list"; expected a plain list of strings`}},
		{"bare star is an alias", "packages:\n  - */x\n  - ok\n", []string{"ok"}, []string{`line 2: packages: cannot read "*/x"; expected a plain list of strings`}},
		{"mapping", "packages:\n  a: b\n", nil, []string{`line 2: packages: cannot read "a: b"; expected a plain list of strings`}},
		{"unclosed", "packages: [a, b\n", nil, []string{`line 1: packages: cannot read "[a, b "; expected a plain list of strings`}},
		{"nested key of that name", "x:\n  packages:\n    - no\n", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, problems := ParsePnpmWorkspace([]byte(c.in))
			check(t, "packages", got, c.want)
			check(t, "problems", texts(problems), c.problems)
		})
	}
}

func TestPyproject(t *testing.T) {
	p, problems := ParsePyproject([]byte(`
[project]
name = "shop"
dependencies = ["FastAPI[standard] >=0.110 ; python_version > '3.8'", "SQL_Alchemy~=2.0"]
[project.scripts]
shop = "shop.cli:main"
[dependency-groups]
dev = ["pytest", {include-group = "x"}]
[tool.poe.tasks]
serve = "uvicorn shop:app --port 9000"
both = ["a", {cmd = "b"}]
check = {cmd = "ruff check", help = "lints"}
_hidden = "x"
[tool.pdm.scripts]
_.env_file = ".env"
start = {cmd = ["flask", "run"]}
[tool.taskipy.tasks]
t = "pytest"
[tool.hatch.envs.default.scripts]
h = "x"
[tool.hatch.envs.docs.scripts]
build = "mkdocs build"
[tool.uv.workspace]
members = ["packages/*"]
exclude = ["packages/old"]
`))
	check(t, "problems", texts(problems), []string(nil))
	check(t, "tasks", p.Tasks, []Task{
		{Name: "shop", Command: "shop.cli:main", Group: GroupEntry},
		{Name: "both", Command: "a\nb", Group: GroupPoe}, {Name: "check", Command: "ruff check", Description: "lints", Group: GroupPoe}, {Name: "serve", Command: "uvicorn shop:app --port 9000", Group: GroupPoe},
		{Name: "start", Command: "flask run", Group: GroupPDM}, {Name: "t", Command: "pytest", Group: GroupTaskip},
		{Name: "h", Command: "x", Group: GroupHatch}, {Name: "docs:build", Command: "mkdocs build", Group: GroupHatch},
	})
	check(t, "dependencies", p.Dependencies, Dependencies{{Name: "fastapi", Version: ">=0.110", Extras: []string{"standard"}}, {Name: "sql-alchemy", Version: "~=2.0"}, {Name: "pytest"}})
	check(t, "workspace", [][]string{p.Workspace, p.Exclude}, [][]string{{"packages/*"}, {"packages/old"}})
	if !p.Described || !p.HasWorkspace {
		t.Errorf("described %v, workspace %v", p.Described, p.HasWorkspace)
	}
}

func TestTOMLBroken(t *testing.T) {
	_, problems := ParsePyproject([]byte("[project]\nname = \"x\"\nversion = = 1\n"))
	if len(problems) != 1 || problems[0].Line != 3 {
		t.Errorf("problems = %v, want one on line 3", problems)
	}
	_, problems = ParsePyproject([]byte("[project]\nname = 4\n"))
	if len(problems) != 1 || problems[0].Line != 2 {
		t.Errorf("problems = %v, want one on line 2", problems)
	}
	_, problems = ParseCargo([]byte("[package\n"))
	if len(problems) != 1 || problems[0].Line != 1 {
		t.Errorf("problems = %v, want one on line 1", problems)
	}
}

func TestRequirements(t *testing.T) {
	deps, includes, problems := ParseRequirements([]byte("# c\nDjango==5.0.1  # web\nuvicorn[standard]>=0.20; python_version>'3'\n-r base.txt\n--requirement=dev.txt\n-e .\n./local\nhttps://x/y.whl\npkg @ git+https://x/y\n--hash=sha256:a\n<<<<\n"))
	check(t, "deps", deps, Dependencies{{Name: "django", Version: "==5.0.1"}, {Name: "uvicorn", Version: ">=0.20", Extras: []string{"standard"}}, {Name: "pkg"}})
	check(t, "includes", includes, []string{"base.txt", "dev.txt"})
	check(t, "problems", texts(problems), []string{`line 11: cannot read requirement "<<<<"`})
}

func TestCargoGoAndGems(t *testing.T) {
	c, _ := ParseCargo([]byte("[package]\nname='srv'\n[[bin]]\nname='one'\n[dependencies]\naxum={version='0.8',features=['ws']}\nserde.workspace=true\n[workspace]\nmembers=['crates/*']\nexclude=['crates/x']\n"))
	check(t, "cargo", c, Cargo{Name: "srv", Bins: []string{"one"}, Dependencies: Dependencies{{Name: "axum", Version: "0.8"}, {Name: "serde"}}, Workspace: []string{"crates/*"}, Exclude: []string{"crates/x"}, HasWorkspace: true})
	a, _ := ParseCargoAliases([]byte("[alias]\nxtask='run -p xtask --'\ndev=['watch','-x','run']\n"))
	check(t, "aliases", a, []Task{{Name: "dev", Command: "cargo watch -x run"}, {Name: "xtask", Command: "cargo run -p xtask --"}})
	m, problems := ParseGoMod([]byte("module example.com/a/v2\ngo 1.22\nrequire (\n\tgithub.com/gin-gonic/gin v1.9.1\n\tgithub.com/labstack/echo/v4 v4.1.0 // indirect\n)\n"))
	check(t, "go.mod", m, GoMod{Module: "example.com/a/v2", Dependencies: Dependencies{{Name: "github.com/gin-gonic/gin", Version: "v1.9.1"}}})
	check(t, "problems", texts(problems), []string(nil))
	m, problems = ParseGoMod([]byte("module example.com/a\n\nrequire (\n"))
	if m.Module != "example.com/a" || len(problems) == 0 || problems[0].Line == 0 {
		t.Errorf("broken go.mod = %+v, %v; want the module and a place", m, problems)
	}
	w, _ := ParseGoWork([]byte("go 1.22\nuse ./a\nuse (\n\t./b\n)\n"))
	check(t, "go.work", w, []string{"./a", "./b"})
	g := ParseGemfile([]byte("source 'https://x'\ngem \"rails\", \"~> 7.1\"\n# gem 'no'\n  gem('puma')\ngem 'sinatra', require: false\n"))
	check(t, "gems", g, Dependencies{{Name: "rails", Version: "~> 7.1"}, {Name: "puma"}, {Name: "sinatra"}})
}
