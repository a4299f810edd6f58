//go:build unix

package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteKeepsModeAndFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "mcp.json")
	write(t, real, "{}")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "mcp.json")
	if err := os.Symlink(filepath.Join("dotfiles", "mcp.json"), link); err != nil {
		t.Fatal(err)
	}
	done, err := client(t, "cursor").Register(link, Serve("oriel"), Options{Private: true})
	if err != nil || done.Path != real {
		t.Fatalf("%+v, %v", done, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 || !strings.Contains(read(t, real), "oriel") {
		t.Errorf("%v, %v: %s", info, err, read(t, real))
	}
	if entries, _ := os.ReadDir(filepath.Dir(real)); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestWriteThroughADanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "mcp.json")
	if err := os.Symlink(filepath.Join(dir, "new", "real.json"), link); err != nil {
		t.Fatal(err)
	}
	if done, err := client(t, "cursor").Register(link, Serve("oriel"), Options{}); err != nil || done.Outcome != Created {
		t.Fatalf("%+v, %v", done, err)
	}
	if got := read(t, filepath.Join(dir, "new", "real.json")); got != mcpServersFile {
		t.Errorf("got %s", got)
	}
}

func TestNotAFileOfOurs(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	protected := filepath.Join(dir, "protected")
	write(t, protected, "{}")
	if err := os.Chmod(protected, 0o444); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "is no file", loop: "too many symbolic links", protected: "write-protected"} {
		if _, err := client(t, "cursor").Register(path, Serve("oriel"), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if read(t, protected) != "{}" {
		t.Error("a protected file was written")
	}
}

// TestChangedMeanwhile: what the client writes between our reading and our
// writing is not lost.
func TestChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	write(t, path, "{}")
	f, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, `{"new": 1}`)
	if err := f.replace([]byte("ours"), false); !errors.Is(err, errChanged) || read(t, path) != `{"new": 1}` {
		t.Errorf("%v: %s", err, read(t, path))
	}
	missing, err := open(path + "2")
	if err != nil {
		t.Fatal(err)
	}
	write(t, path+"2", "theirs")
	if err := missing.replace([]byte("ours"), false); !errors.Is(err, errChanged) || read(t, path+"2") != "theirs" {
		t.Errorf("%v: %s", err, read(t, path+"2"))
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "oriel")
	write(t, program, "#!/bin/sh\n")
	other := filepath.Join(dir, "other")
	write(t, other, "#!/bin/sh\n")
	for _, p := range []string{program, other} {
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	look := func(path string) func(string) (string, error) {
		return func(string) (string, error) {
			if path == "" {
				return "", errors.New("not found")
			}
			return path, nil
		}
	}
	tests := []struct{ found, want, note string }{
		{program, "oriel", ""},
		{link, "oriel", ""},
		{other, program, "another program (" + other + ")"},
		{"", program, "not in PATH"},
	}
	for _, tt := range tests {
		got := Machine{Look: look(tt.found)}.Self(program)
		if got.Path != tt.want || !strings.Contains(got.Note, tt.note) || (got.Note == "") != (tt.note == "") {
			t.Errorf("found %q: got %+v", tt.found, got)
		}
	}
	m := Machine{Look: look("")}
	if got, err := m.Named("oriel-next"); err != nil || got.Path != "oriel-next" || got.Note == "" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := m.Named(program); err != nil || got != (Command{Path: program}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := m.Named(filepath.Join(dir, "missing")); err == nil {
		t.Error("a program that is not there")
	}
	if m.Runs("oriel") || !m.Runs(program) || m.Runs(dir+"/missing") {
		t.Error("Runs")
	}
}
