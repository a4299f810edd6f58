package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// execEnv makes the test binary be oriel itself, so that tests spawn the real
// program, daemon included.
const execEnv = "ORIEL_TEST_EXEC"

func TestMain(m *testing.M) {
	if os.Getenv(execEnv) != "" {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	// A make that another make started says where it works.
	for _, name := range []string{"MAKELEVEL", "MAKEFLAGS", "MFLAGS"} {
		os.Unsetenv(name)
	}
	os.Exit(m.Run())
}

// world is one user's machine: a home of its own, and projects.
type world struct {
	t    *testing.T
	home string
	env  []string
}

func newWorld(t *testing.T, env ...string) *world {
	t.Helper()
	// Not t.TempDir: a socket's path must be short.
	dir, err := os.MkdirTemp("", "ow")
	if err != nil {
		t.Fatal(err)
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(dir, "h")}
	w.env = append(os.Environ(), execEnv+"=1", "ORIEL_HOME="+w.home, "NO_COLOR=1")
	w.env = append(w.env, env...)
	t.Cleanup(func() {
		w.oriel("", "daemon", "stop")
		os.RemoveAll(dir)
	})
	return w
}

// project makes a folder with these files.
func (w *world) project(name string, files map[string]string) string {
	w.t.Helper()
	root := filepath.Join(filepath.Dir(w.home), name)
	if err := os.MkdirAll(root, 0o755); err != nil {
		w.t.Fatal(err)
	}
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			w.t.Fatal(err)
		}
	}
	return root
}
