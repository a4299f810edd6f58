package source_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"oriel/internal/incident/source"
)

func TestImported(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"import":                  {"import { A } from './A.jsx';", true},
		"without its ending":      {"import { A } from \"../src/A\"", true},
		"through an alias":        {"const A = lazy(() => import('@/A'))", true},
		"required":                {"const a = require('./A')", true},
		"with a query":            {"import raw from './A.jsx?raw'", true},
		"behind an address":       {"const u = 'http://x.test/'; import './A.jsx'", true},
		"behind an apostrophe":    {"<p>don't</p>\nimport './A.jsx'", true},
		"behind a glob in quotes": {"const g = 'src/**/*.css'\nimport './A.jsx'", true},
		"as a script":             {`<script type="module" src="/src/A.jsx"></script>`, true},
		"by a pattern":            {"import.meta.glob('./*.jsx')", true},
		"by a computed name":      {"import(`./${name}.jsx`)", true},
		"not at all":              {"import './B.jsx'", false},
		"another with its ending": {"import './AA.jsx'; import './A.module.css'", false},
		"in a comment":            {"x() // import './A.jsx'", false},
		"in a block":              {"/*\nimport './A.jsx'\n*/", false},
		"in a comment of JSX":     {"{/* <A src=\"./A.jsx\" /> */}", false},
		"in a comment of HTML":    {"<!-- <script src=\"/src/A.jsx\"></script> -->", false},
	} {
		root := t.TempDir()
		write(t, root, "src/A.jsx", "import './A.jsx'")
		write(t, root, "src/main.jsx", c.text)
		tree := source.Open(root)
		if got := tree.Imported("src/A.jsx"); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		tree.Close()
	}
}

// TestImportedUnknown: what is found by its place, or by no name, is taken to be
// asked for; an index goes by the name of its folder.
func TestImportedUnknown(t *testing.T) {
	root := t.TempDir()
	write(t, root, "src/main.jsx", "import './cart'")
	tree := source.Open(root)
	defer tree.Close()
	for file, want := range map[string]bool{
		"app/page.tsx": true, "src/pages/x.astro": true, "src/routes/+page.svelte": true, "src/_app.tsx": true, "api/cart.py": true, "main.go": true,
		"src/cart/index.ts": true, "src/shop/index.ts": false, "src/shop.ts": false,
	} {
		if got := tree.Imported(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

func TestNewest(t *testing.T) {
	root := t.TempDir()
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for name, after := range map[string]time.Duration{"a.js": 1, "b.css": 2, "node_modules/c/c.js": 3, "notes.txt": 4} {
		write(t, root, name, "x")
		if err := os.Chtimes(filepath.Join(root, name), at, at.Add(after*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	tree := source.Open(root)
	defer tree.Close()
	if file, script := tree.Newest(); !file.Equal(at.Add(2*time.Minute)) || !script.Equal(at.Add(time.Minute)) {
		t.Errorf("%v and %v", file, script)
	}
	if tree.ChangedSince(at.Add(2*time.Minute)) || !tree.ChangedSince(at.Add(90*time.Second)) {
		t.Error("changed since")
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
