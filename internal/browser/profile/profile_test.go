package profile

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func make(t *testing.T, dir string) *Profile {
	t.Helper()
	p, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// give makes a profile somebody else's.
func give(t *testing.T, p *Profile, o owner) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Dir, ownerFile), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSweep(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	dead := exec.Command(os.Args[0], "-test.run=^$")
	if err := dead.Run(); err != nil {
		t.Fatal(err)
	}
	me := os.Getpid()
	mine, gone, reused, broken := make(t, dir), make(t, dir), make(t, dir), make(t, dir)
	give(t, gone, owner{dead.Process.Pid, "1"})
	give(t, reused, owner{me, started(me) + "0"})
	if err := os.WriteFile(filepath.Join(broken.Dir, ownerFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	foreign, young, old := filepath.Join(dir, "keep"), filepath.Join(dir, "new-1"), filepath.Join(dir, "new-2")
	for _, path := range []string{foreign, young, old} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if n, err := Sweep(ctx, dir); err != nil || n != 4 {
		t.Errorf("swept %d, %v", n, err)
	}
	for path, want := range map[string]bool{mine.Dir: true, gone.Dir: false, reused.Dir: false, broken.Dir: false, foreign: true, young: true, old: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want there %t", filepath.Base(path), err, want)
		}
	}
	if err := mine.Remove(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(mine.Dir); err == nil {
		t.Error("the profile is still there")
	}
	if n, err := Sweep(ctx, filepath.Join(dir, "missing")); n != 0 || err != nil {
		t.Errorf("a folder that is not there: %d, %v", n, err)
	}
}

func TestStarted(t *testing.T) {
	first, again := started(os.Getpid()), started(os.Getpid())
	if first == "" || first != again {
		t.Errorf("this process has no start, or two: %q, %q", first, again)
	}
	if started(os.Getpid()) == started(os.Getppid()) {
		t.Error("two processes are one")
	}
	if started(1<<30) != "" {
		t.Error("a process that cannot be has a start")
	}
}
