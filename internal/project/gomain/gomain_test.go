package gomain

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oriel/internal/project/tree"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []Program
	}{
		{"root", map[string]string{"a.go": "package main\n", "cmd/x/x.go": "package main\n"}, []Program{{Dir: "."}}},
		{"serves", map[string]string{"a.go": "// Command a.\npackage main\nfunc f() { http.ListenAndServe(\"localhost:8088\", nil) }\n"}, []Program{{Dir: ".", Serves: true, Port: 8088, PortFile: "a.go"}}},
		{"a client is no server", map[string]string{"a.go": "package main\nfunc f() { http.Get(\"http://x:8080\") }\n"}, []Program{{Dir: "."}}},
		{"cmd", map[string]string{"lib.go": "package lib\n", "cmd/b/main.go": "package main\n", "cmd/a/main.go": "package main\n", "cmd/c/c.go": "package c\n"}, []Program{{Dir: "cmd/a"}, {Dir: "cmd/b"}}},
		{"cmd itself", map[string]string{"cmd/main.go": "package main\nvar s = http.Server{}\n"}, []Program{{Dir: "cmd", Serves: true}}},
		{"tests do not count", map[string]string{"a_test.go": "package main\n", "_x.go": "package main\n"}, nil},
		{"ignored", map[string]string{"gen.go": "//go:build ignore\n\npackage main\n", "tools.go": "//go:build tools\n\npackage main\n"}, nil},
		{"other constraints do", map[string]string{"a.go": "//go:build linux && !ignore\n\npackage main\n"}, []Program{{Dir: "."}}},
		{"broken", map[string]string{"a.go": "pack", "b.go": "package main // fine\nfunc {"}, []Program{{Dir: "."}}},
		{"nothing", map[string]string{"x.txt": "package main\n"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range c.files {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := tree.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, Find(f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
