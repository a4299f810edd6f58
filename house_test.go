// Package oriel holds the rules of the house as tests: which way imports flow,
// how big a room may be, what may stand at a seam.
package oriel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines    = 400
	maxPackageLines = 1500
	maxFuncLines    = 60
	maxRootEntries  = 20
)

// source is one Go file of the product, without tests.
type source struct {
	path  string // relative, with slashes
	pkg   string // its folder
	file  *ast.File
	set   *token.FileSet
	text  string
	lines int
}

func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"node_modules", "testdata", "dist", "bin"}, d.Name()) || (len(path) > 1 && strings.HasPrefix(d.Name(), "."))) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		all = append(all, source{path, filepath.ToSlash(filepath.Dir(path)), file, set, string(text), strings.Count(string(text), "\n")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("only %d Go files were found", len(all))
	}
	return all
}

// flow says what a room may import of ours; a room's own sub-rooms are always
// allowed. The reason stands beside each.
var flow = []struct {
	room    string
	imports []string
	why     string
}{
	{"cmd/oriel", []string{"internal/cli"}, "main wires nothing"},
	{"internal/nearest", nil, "a leaf"},
	{"internal/lazyre", nil, "a leaf"},
	{"internal/quote", nil, "a leaf"},
	{"internal/kdl", nil, "a parser knows no project"},
	{"internal/journal", nil, "facts flow into it, nothing flows out by import"},
	{"internal/process", nil, "it reports through functions it is given"},
	{"internal/browser", nil, "it reports through functions it is given"},
	{"internal/project", nil, "a folder's nature needs no engine"},
	{"internal/config", []string{"internal/kdl", "internal/nearest"}, "a file becomes a value"},
	{"internal/har", []string{"internal/journal", "web"}, "entries in, a file out"},
	{"internal/page", []string{"internal/journal", "internal/quote", "web"}, "a tab appends facts"},
	{"internal/proxy", []string{"internal/journal", "internal/page", "internal/quote", "web"}, "producers append to the journal"},
	{"internal/demo", nil, "a shop knows nothing of who looks at it"},
	{"internal/incident", []string{"internal/journal", "internal/process", "internal/quote"}, "facts become incidents"},
	{"internal/audit", []string{"internal/quote"}, "a report becomes words"},
	{"internal/sourcemap", []string{"internal/quote"}, "a place becomes a place"},
	{"internal/tool", []string{"internal/nearest"}, "the waist knows neither side"},
	{"internal/mcpserver", []string{"internal/tool"}, "a front end knows the Caller alone"},
	{"internal/daemon", []string{"internal/tool"}, "a front end knows the Caller alone"},
	{"web", nil, "embedded files"},
}

// below never import what is above them: an engine that knew a front end could
// behave differently in the two modes.
var above = []string{"internal/tool", "internal/tools", "internal/mcpserver", "internal/daemon", "internal/cli"}

func TestImportsFlowOneWay(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.file.Imports {
			path := strings.Trim(imp.Path.Value, `"`)
			ours, ok := strings.CutPrefix(path, "oriel/")
			if !ok {
				continue
			}
			checkImport(t, s, ours)
		}
	}
}

func checkImport(t *testing.T, s source, ours string) {
	for _, rule := range flow {
		if !within(s.pkg, rule.room) {
			continue
		}
		if !within(ours, rule.room) && ours != "internal/lazyre" && !slices.ContainsFunc(rule.imports, func(r string) bool { return within(ours, r) }) {
			t.Errorf("%s imports %s: %s", s.path, ours, rule.why)
		}
	}
	if within(s.pkg, "internal/engine") && slices.Contains(above, ours) {
		t.Errorf("%s imports %s: the engine does not know who asks", s.path, ours)
	}
	if ours == "internal/cli" && s.pkg != "cmd/oriel" {
		t.Errorf("%s imports the command line", s.path)
	}
	if within(s.pkg, "internal/tools") && slices.Contains([]string{"internal/mcpserver", "internal/daemon"}, ours) {
		t.Errorf("%s imports %s: tools do not know who asks", s.path, ours)
	}
}

// TestTheBundlerStaysOut: it is built with tools.mod and never linked into the
// product.
func TestTheBundlerStaysOut(t *testing.T) {
	for _, s := range sources(t) {
		bundling := s.pkg == "web/bundle" || s.pkg == "internal/demo/bundle"
		for _, imp := range s.file.Imports {
			if strings.Contains(imp.Path.Value, "evanw/esbuild") && !bundling {
				t.Errorf("%s links the bundler into the product", s.path)
			}
		}
		if bundling && !strings.Contains(s.text, "//go:build bundle") {
			t.Errorf("%s has no build tag that keeps it out", s.path)
		}
	}
}

// TestNoTestSkips: a test that did not run would look like one that passed.
func TestNoTestSkips(t *testing.T) {
	skip := regexp.MustCompile(`\bt\.Skip(f|Now)?\(|\btest\.skip\(|\bit\.skip\(`)
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "*/*/*_test.go", "*/*/*/*_test.go", "web/agent/*.test.ts", "web/agent/*/*.test.ts", "web/agent/*/*/*.test.ts"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if file != "house_test.go" && skip.Match(text) {
				t.Errorf("%s skips a test", file)
			}
		}
	}
}

func within(pkg, room string) bool { return pkg == room || strings.HasPrefix(pkg, room+"/") }

func TestRoomsAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, s := range sources(t) {
		lines[s.pkg] += s.lines
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines, at most %d", s.path, s.lines, maxFileLines)
		}
		for _, decl := range s.file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := s.set.Position(fn.End()).Line - s.set.Position(fn.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, at most %d", s.path, fn.Name.Name, n, maxFuncLines)
			}
		}
	}
	for pkg, n := range lines {
		if n > maxPackageLines {
			t.Errorf("%s has %d lines, at most %d", pkg, n, maxPackageLines)
		}
	}
}

func TestRoomsSayWhatTheyAre(t *testing.T) {
	said := map[string]bool{}
	names := regexp.MustCompile(`(^|/)(util|utils|common|helper|helpers|manager|misc)(/|$)`)
	for _, s := range sources(t) {
		said[s.pkg] = said[s.pkg] || s.file.Doc != nil
		if names.MatchString(s.pkg) {
			t.Errorf("%s: a name that says nothing", s.pkg)
		}
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("package %s has no comment", pkg)
		}
	}
}

// TestSeamsAreTyped: no map[string]any and no bare any in exported signatures
// and fields.
func TestSeamsAreTyped(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch d := n.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() {
					checkTyped(t, s, d.Name.Name, d.Type)
				}
				return false
			case *ast.TypeSpec:
				if d.Name.IsExported() {
					checkTyped(t, s, d.Name.Name, d.Type)
				}
			}
			return true
		})
	}
}

func checkTyped(t *testing.T, s source, name string, in ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		if f, ok := n.(*ast.FieldList); ok && f == nil {
			return false
		}
		m, ok := n.(*ast.MapType)
		if !ok {
			return true
		}
		if v, ok := m.Value.(*ast.Ident); ok && v.Name == "any" {
			t.Errorf("%s: %s has a map to any at a seam", s.path, name)
		}
		return true
	})
}

// TestNothingIsLeftForLater: what is not done is not in the code as a promise.
func TestNothingIsLeftForLater(t *testing.T) {
	promise := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	for _, s := range sources(t) {
		if m := promise.FindString(s.text); m != "" {
			t.Errorf("%s says %q", s.path, m)
		}
	}
}

func TestTheRootIsShort(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != "bin" {
			n++
		}
	}
	if n > maxRootEntries {
		t.Errorf("%d entries at the root, at most %d", n, maxRootEntries)
	}
}
