package project

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the want section of the fixtures anew")

// TestProjects runs every fixture in testdata: an archive of a project's files whose last file, want, is the description.
// A line "detect DIR" in the archive's comment asks for a sub-folder.
func TestProjects(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			base := filepath.Join(realTemp(t), "work")
			unpack(t, base, archive)
			dir := base
			for line := range strings.SplitSeq(string(archive.Comment), "\n") {
				if sub, ok := strings.CutPrefix(line, "detect "); ok {
					dir = filepath.Join(base, sub)
				}
			}
			p, err := Detect(dir)
			if err != nil {
				t.Fatal(err)
			}
			got := describe(p, base)
			last := &archive.Files[len(archive.Files)-1]
			if *update {
				last.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(last.Data), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// unpack writes all files but the last, which must be want.
func unpack(t *testing.T, base string, archive *txtar.Archive) {
	t.Helper()
	n := len(archive.Files) - 1
	if n < 0 || archive.Files[n].Name != "want" {
		t.Fatal("the last file of a fixture must be want")
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files[:n] {
		put(t, base, f.Name, string(f.Data))
	}
}

func put(t *testing.T, base, name, data string) {
	t.Helper()
	path := filepath.Join(base, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// describe writes a project as lines, paths relative to base, the same on every system.
func describe(p Project, base string) string {
	var b strings.Builder
	line := func(format string, args ...any) {
		text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
		b.WriteString(strings.ReplaceAll(text, "\n", "⏎") + "\n")
	}
	if p.Dir != base || p.Root != base {
		line("dir %s root %s", p.Dir, p.Root)
	}
	line("%s %v", p.Name, p.Types)
	if p.Framework.Name != "" {
		line("framework %s %s", p.Framework.Name, p.Framework.Version)
	}
	for _, f := range p.Also {
		line("also %s", f.Name)
	}
	if p.DevPort != 0 {
		line("port %d, %s", p.DevPort, p.DevPortFrom)
	}
	if m := p.PackageManager; m.Name != "" {
		line("manager %s", strings.Join(strings.Fields(fmt.Sprint(m.Name, " ", m.Version, " ", m.Flavor, " (", m.From, ")")), " "))
	}
	for _, m := range p.Monorepo {
		line("monorepo %s", m)
	}
	for _, s := range p.Scripts {
		line("script %s", scriptLine(s, p.Dir))
	}
	if dev, ok := p.Dev(); ok {
		line("dev %s", dev.Name)
	}
	for _, s := range p.Suggestions {
		line("suggest %s", scriptLine(s, p.Dir))
	}
	for _, m := range p.Members {
		line("member %s %s %s %s port %d by %s", m.Path, m.Name, m.Type, m.Framework.Name, m.DevPort, m.DeclaredBy)
		for _, s := range m.Scripts {
			line("  script %s", scriptLine(s, filepath.Join(p.Dir, filepath.FromSlash(m.Path))))
		}
	}
	for _, w := range p.Warnings {
		line("warning %s", w)
	}
	out := strings.ReplaceAll(b.String(), base, "$BASE")
	out = strings.ReplaceAll(out, `$BASE\`, "$BASE/")
	out = strings.ReplaceAll(out, "[ruby bin/", "[bin/")
	return strings.ReplaceAll(out, "python3 ", "python ")
}

func scriptLine(s Script, dir string) string {
	parts := []string{s.Name}
	if s.Shell != "" {
		parts = append(parts, "sh", fmt.Sprintf("%q", s.Shell))
	} else {
		parts = append(parts, fmt.Sprintf("%v", s.Argv))
	}
	if s.Source != "" {
		parts = append(parts, s.Source)
	}
	if s.Port != 0 {
		parts = append(parts, fmt.Sprintf(":%d", s.Port))
	}
	if s.Hook {
		parts = append(parts, "hook")
	}
	if s.Shadowed {
		parts = append(parts, "shadowed")
	}
	if s.Description != "" && s.Source != "" {
		parts = append(parts, "# "+s.Description)
	}
	if s.Dir != dir {
		parts = append(parts, "in "+s.Dir)
	}
	return strings.Join(parts, " ")
}

func TestDetectErrors(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file", "x")
	if _, err := Detect(filepath.Join(dir, "missing")); err == nil || !strings.HasPrefix(err.Error(), "detect project: ") {
		t.Errorf("missing folder: %v", err)
	}
	if _, err := Detect(filepath.Join(dir, "file")); err == nil || !strings.HasSuffix(err.Error(), "not a folder") {
		t.Errorf("a file: %v", err)
	}
}

func TestRoot(t *testing.T) {
	base := realTemp(t)
	for _, f := range []string{
		"repo/.git/HEAD", "repo/a/b/x", "repo/sub/.git", "repo/sub/deep/x", "own/.oriel.kdl", "own/repo/.git/HEAD", "own/repo/src/x", "own/inner/.oriel.kdl",
		"own/inner/x/y", "plain/a/x", "folder/.oriel.kdl/x", "folder/.git/HEAD",
	} {
		put(t, base, f, "")
	}
	for dir, want := range map[string]string{
		"repo": "repo", "repo/a/b": "repo", "repo/sub/deep": "repo/sub", // .git is a file in a submodule
		"own/repo/src": "own", "own/inner/x/y": "own/inner", // the project file wins over a nearer repository
		"plain/a": "plain/a", "folder": "folder", "repo/missing": "repo",
	} {
		if got := Root(filepath.Join(base, dir)); got != filepath.Join(base, want) {
			t.Errorf("Root(%s) = %s, want %s", dir, got, want)
		}
	}
	if err := os.Symlink(filepath.Join(base, "repo", "a"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	if got := Root(filepath.Join(base, "link")); got != filepath.Join(base, "repo") {
		t.Errorf("Root(link) = %s", got)
	}
	t.Chdir(filepath.Join(base, "repo", "a"))
	if got := Root("."); got != filepath.Join(base, "repo") {
		t.Errorf("Root(.) = %s", got)
	}
}

func TestScriptLookup(t *testing.T) {
	dir := realTemp(t)
	put(t, dir, "package.json", `{"scripts":{"dev":"vite","make:dev":"trick","only":"x"}}`)
	put(t, dir, "Makefile", "dev:\n\tgo run .\nmine:\n\ttrue\n")
	put(t, dir, "Procfile", "dev: foo\n")
	p, err := Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"dev": "npm run dev", "npm:dev": "npm run dev", "make:dev": "npm run make:dev", "Makefile:dev": "make dev", "procfile:dev": "foo",
		"mine": "make mine", "make:mine": "make mine", "only": "npm run only", "nope": "", "make:only": "",
	} {
		s, ok := p.Script(name)
		if ok != (want != "") || s.Line() != want {
			t.Errorf("Script(%q) = %q, %v; want %q", name, s.Line(), ok, want)
		}
	}
	seen := map[string]bool{}
	for _, s := range p.Scripts {
		if seen[s.Name] {
			t.Errorf("two scripts are called %q", s.Name)
		}
		seen[s.Name] = true
	}
}

func TestLineQuotes(t *testing.T) {
	got := Script{Argv: []string{"npm", "run", "it's $x", ""}}.Line()
	if want := `npm run 'it'\''s $x' ''`; got != want {
		t.Errorf("Line() = %s, want %s", got, want)
	}
}

// A folder full of awkward things still gives an answer, with one warning for each.
func TestNeverFails(t *testing.T) {
	dir := realTemp(t)
	put(t, dir, "package.json/x", "a folder in place of a file")
	put(t, dir, "go.mod", strings.Repeat("x", 3<<20))
	put(t, dir, "Cargo.toml", "\x00\xff")
	put(t, dir, "deno.json", "nonsense")
	put(t, dir, "composer.json", "[]")
	put(t, dir, "pyproject.toml", "= 1")
	put(t, dir, "Procfile", "\x1b[31mno")
	put(t, dir, "Makefile", "\x00\x01\tx: y")
	p, err := Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, w := range p.Warnings {
		seen[w.File] = true
		if strings.ContainsAny(w.Message, "\x00\x1b") {
			t.Errorf("control characters in %q", w)
		}
	}
	for _, f := range []string{"package.json", "go.mod", "Cargo.toml", "deno.json", "composer.json", "pyproject.toml", "Procfile"} {
		if !seen[f] {
			t.Errorf("no warning for %s in %v", f, p.Warnings)
		}
	}
	want := []Type{Deno, PHP, Python, Go, Rust}
	if diff := cmp.Diff(want, p.Types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// The number of warnings is bounded, and what is left out is counted.
func TestWarningsAreBounded(t *testing.T) {
	dir := realTemp(t)
	put(t, dir, "package.json", `{"workspaces":["p/*"]}`)
	for i := range maxWarnings + 20 {
		put(t, dir, fmt.Sprintf("p/m%03d/package.json", i), "{")
	}
	p, err := Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Warnings); n != maxWarnings+1 || p.Warnings[n-1].Message != "20 more warnings" {
		t.Errorf("%d warnings, the last %q", n, p.Warnings[n-1])
	}
	if len(p.Members) != maxWarnings+20 {
		t.Errorf("%d members", len(p.Members))
	}
}

// FuzzDetect puts the same bytes under every name that is read.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{"", "{}", `{"workspaces":["*"]}`, "[workspace]\nmembers=['**']", "packages: ['**']", "use ./a", "dev:\n\tx", "-r requirements.txt", "package main\n//go:build x"} {
		f.Add([]byte(s))
	}
	names := []string{
		"package.json", "pnpm-workspace.yaml", "lerna.json", "angular.json", "vite.config.ts", "deno.jsonc", "composer.json", "pyproject.toml", "Pipfile", "requirements.txt",
		"manage.py", "main.py", "go.mod", "go.work", "main.go", "Cargo.toml", ".cargo/config.toml", "Gemfile", "Makefile", "justfile", "Procfile", "yarn.lock", "a/package.json",
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		for _, name := range names {
			put(t, dir, name, string(data))
		}
		p, err := Detect(dir)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, s := range p.Scripts {
			if seen[s.Name] || s.Name == "" || (len(s.Argv) == 0) == (s.Shell == "") {
				t.Errorf("script %+v: no unique name, or not exactly one way to run it", s)
			}
			seen[s.Name] = true
		}
	})
}
