package tree

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mkdirs(t *testing.T, root string, dirs ...string) {
	t.Helper()
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(d)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFolderRead(t *testing.T) {
	dir := t.TempDir()
	mkdirs(t, dir, "folder")
	write(t, filepath.Join(dir, "small"), []byte("abcdef"))
	write(t, filepath.Join(dir, "empty"), nil)
	write(t, filepath.Join(dir, "exact"), bytes.Repeat([]byte("x"), MaxFile))
	write(t, filepath.Join(dir, "huge"), bytes.Repeat([]byte("x"), MaxFile+1))
	write(t, filepath.Join(dir, "folder", "inner"), []byte("in"))
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		size int // -1: nothing
		err  string
	}{
		{"small", 6, ""}, {"empty", 0, ""}, {"exact", MaxFile, ""}, {"folder/inner", 2, ""}, {"missing", -1, ""}, {"folder/missing", -1, ""},
		{"huge", -1, "larger than 2 MiB, not read"}, {"folder", -1, "not a regular file"}, {"SMALL", -1, ""},
	} {
		data, err := f.Read(c.name)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.err || (data == nil) != (c.size < 0) || c.size >= 0 && len(data) != c.size {
			t.Errorf("Read(%s) = %d bytes (nil %v), %q; want %d, %q", c.name, len(data), data == nil, got, c.size, c.err)
		}
	}
	if got := f.Head("small", 3); string(got) != "abc" {
		t.Errorf("Head = %q", got)
	}
	if f.HasFile("folder") || !f.HasDir("folder") || f.HasDir("small") || f.FirstFile("nope", "empty", "small") != "empty" {
		t.Error("HasFile, HasDir or FirstFile is wrong")
	}
	if _, err := Open(filepath.Join(dir, "missing")); err == nil {
		t.Error("Open of a missing folder succeeded")
	}
}

func TestFolderWithManyEntries(t *testing.T) {
	dir := t.TempDir()
	for i := range MaxEntries + 10 {
		write(t, filepath.Join(dir, fmt.Sprintf("f%05d", i)), nil)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Truncated() || len(f.Names()) != MaxEntries {
		t.Errorf("truncated %v with %d names", f.Truncated(), len(f.Names()))
	}
	for i := range MaxEntries + 10 {
		if !f.HasFile(fmt.Sprintf("f%05d", i)) {
			t.Fatalf("f%05d is not found in a truncated listing", i)
		}
	}
}

func TestExpand(t *testing.T) {
	root := t.TempDir()
	mkdirs(t, root, "apps/web", "apps/api", "apps/.hidden", "packages/ui/src", "packages/build", "packages/group/deep/er", "node_modules/x",
		"packages/ui/node_modules/dep", "tools", "a/b/c/d/e/f/g/h")
	write(t, filepath.Join(root, "apps", "README"), nil)
	for _, c := range []struct {
		name     string
		patterns []string
		want     Expansion
	}{
		{"star", []string{"apps/*"}, Expansion{Dirs: []string{"apps/api", "apps/web"}}},
		{"names like build are members", []string{"packages/*"}, Expansion{Dirs: []string{"packages/build", "packages/group", "packages/ui"}}},
		{"any depth", []string{"packages/**"}, Expansion{Dirs: []string{"packages", "packages/group", "packages/group/deep", "packages/group/deep/er", "packages/ui", "packages/ui/src"}}},
		{"literal, dot slash, trailing slash", []string{"./tools/", "apps/web"}, Expansion{Dirs: []string{"apps/web", "tools"}}},
		{"braces", []string{"{apps,packages}/{web,ui}"}, Expansion{Dirs: []string{"apps/web", "packages/ui"}}},
		{"excluded", []string{"apps/*", "!apps/api", "packages/**", "!**/group/**", "!**/src"}, Expansion{Dirs: []string{"apps/web", "packages", "packages/ui"}}},
		{"missing", []string{"gone", "none/*"}, Expansion{Missing: []string{"gone"}}},
		{"outside", []string{"../x", "/etc", "apps/../../y", "tools"}, Expansion{Dirs: []string{"tools"}, Outside: []string{"../x", "/etc", "apps/../../y"}}},
		{"root itself", []string{"."}, Expansion{Dirs: []string{"."}}},
		{"a file is no member", []string{"apps/README"}, Expansion{Missing: []string{"apps/README"}}},
		{"bad pattern", []string{"apps/[", "apps/[z-a]"}, Expansion{}},
		{"same twice", []string{"apps/web", "apps/*"}, Expansion{Dirs: []string{"apps/api", "apps/web"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Expand(root, c.patterns)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Folders that are no members are not counted as any: a pattern of all folders
// meets many more of them than there are members, and the near ones come first.
func TestExpandCountsMembers(t *testing.T) {
	root := t.TempDir()
	for i := range 40 {
		for j := range 10 {
			mkdirs(t, root, fmt.Sprintf("packages/d%02d/e%02d", i, j))
		}
	}
	for _, dir := range []string{"packages/d35", "packages/d38/e09", "packages/d00/e00"} {
		write(t, filepath.Join(root, dir, "package.json"), []byte("{}"))
	}
	got := Expand(root, []string{"packages/**"}, "package.json", "package.yaml")
	if want := []string{"packages/d00/e00", "packages/d35", "packages/d38/e09"}; !slices.Equal(got.Dirs, want) {
		t.Errorf("got %v", got.Dirs)
	}
	// A folder that is written out and is there is not missing.
	if got := Expand(root, []string{"packages/d01"}, "package.json"); len(got.Dirs) > 0 || len(got.Missing) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestExpandIsBounded(t *testing.T) {
	root := t.TempDir()
	for i := range MaxMatches + 50 {
		mkdirs(t, root, fmt.Sprintf("p/d%04d", i))
	}
	got := Expand(root, []string{"p/*"})
	if len(got.Dirs) != MaxMatches || !got.Cut {
		t.Errorf("%d folders, cut %v", len(got.Dirs), got.Cut)
	}
	// A pattern made to explode comes back all the same.
	Expand(root, []string{strings.Repeat("**/", 40) + "*", strings.Repeat("{a,b}", 40)})
	Match([]string{strings.Repeat("**/a/", 20) + "b"}, strings.Repeat("a/", 12)+"c")
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, dir string
		want         bool
	}{
		{"packages/*", "packages/a", true}, {"packages/*", "packages/a/b", false}, {"packages/**", "packages/a/b", true}, {"./apps/web/", "apps/web", true},
		{"**/x", "x", true}, {"**/x", "a/b/x", true}, {"**/x", "a/xy", false}, {"!apps/*", "apps/a", false}, {"a[", "a[", false},
	} {
		if got := Match([]string{c.pattern}, c.dir); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.pattern, c.dir, got)
		}
	}
}
