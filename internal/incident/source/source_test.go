package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel/internal/incident/source"
)

func open(t *testing.T, files map[string]string) (*source.Tree, string) {
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
	}
	tree := source.Open(root)
	t.Cleanup(tree.Close)
	return tree, root
}

func TestLocate(t *testing.T) {
	tree, root := open(t, map[string]string{
		"src/a.js": "x", "web/src/b.js": "x", "web/src/c.js": "x", "api/src/c.js": "x", "a/x_test.go": "x", "b/x_test.go": "x",
		"node_modules/p/i.js": "x", "dist/only.js": "x", ".cache/h.js": "x",
	})
	for _, c := range []struct {
		file, pkg, want string
		own             bool
	}{
		{"src/a.js", "", "src/a.js", true},
		{"./src/a.js", "", "src/a.js", true},
		{root + "/src/a.js", "", "src/a.js", true},
		{"src/b.js", "", "web/src/b.js", true},    // printed from a part of the project
		{"src/c.js", "", "src/c.js", false},       // two could be meant
		{"x_test.go", "m/b", "b/x_test.go", true}, // the package tells which
		{"node_modules/p/i.js", "", "node_modules/p/i.js", false},
		{"only.js", "", "only.js", false},
		{"h.js", "", "h.js", false},
		{"../src/a.js", "", "../src/a.js", false},
		{"/etc/hosts", "", "/etc/hosts", false},
		{"", "", "", false},
	} {
		got := tree.Locate(source.Place{File: c.file, Line: 1}, c.pkg)
		if got.File != c.want || got.Own != c.own {
			t.Errorf("%q is %q, own %v", c.file, got.File, got.Own)
		}
	}
}

func TestFrame(t *testing.T) {
	tree, _ := open(t, map[string]string{"a.js": "1\n2\n3\n4\n5\n6\n7", "long.js": strings.Repeat("é", 5000) + "\nb"})
	for line, want := range map[int]string{1: "1 2 3 4 5", 2: "1 2 3 4 5", 4: "2 3 4 5 6", 7: "5 6 7", 8: "", 0: "", 99: ""} {
		var got []string
		for _, c := range tree.Frame(source.Place{File: "a.js", Line: line, Own: true}) {
			got = append(got, c.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("around %d: %v", line, got)
		}
	}
	if got := tree.Frame(source.Place{File: "long.js", Line: 1, Own: true}); len(got) != 2 || len(got[0].Text) > 200 {
		t.Errorf("a long line: %d", len(got))
	}
	if got := tree.Frame(source.Place{File: "a.js", Line: 1}); got != nil {
		t.Error("a file that is not the project's own was read")
	}
}

func TestMentions(t *testing.T) {
	tree, _ := open(t, map[string]string{
		"src/a.jsx":      "const x = 1;\nfetch(`/api/orders?x=${x}`)\n<img src=\"/img/tea.png\"/>\nimport url from './pot.svg'\n",
		"src/a.test.jsx": "fetch('/api/users')",
		"src/b.jsx":      "'/api/ordersets' '/api/users'",
	})
	got := tree.Mentions([]string{"/api/orders", "/img/tea.png", "/assets/pot.svg", "/api/users", "/api/none", "/api/order"})
	for address, want := range map[string]string{"/api/orders": "src/a.jsx:2", "/img/tea.png": "src/a.jsx:3", "/assets/pot.svg": "src/a.jsx:4", "/api/users": "src/b.jsx:1"} {
		p := got[address]
		if s := p.File + ":" + string(rune('0'+p.Line)); s != want || !p.Mentioned {
			t.Errorf("%s is named at %s", address, s)
		}
	}
	if len(got) != 4 {
		t.Errorf("too much was found: %v", got)
	}
}

func TestNoProject(t *testing.T) {
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "gone")} {
		tree := source.Open(dir)
		if p := tree.Locate(source.Place{File: "a.js", Line: 1}, ""); p.Own || tree.Frame(p) != nil || len(tree.Mentions([]string{"/a.js"})) != 0 {
			t.Errorf("%q has files", dir)
		}
		tree.Close()
	}
}
