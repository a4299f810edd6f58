package profile

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	give(t, gone, owner{dead.Process.Pid, "1", gone.Temp})
	give(t, reused, owner{me, started(me) + "0", reused.Temp})
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
	t.Cleanup(func() { _ = broken.removeTemp() }) // nobody knows of it any more
	for path, want := range map[string]bool{
		mine.Dir: true, gone.Dir: false, reused.Dir: false, broken.Dir: false, foreign: true, young: true, old: false,
		mine.Temp: true, gone.Temp: false, reused.Temp: false,
	} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want there %t", filepath.Base(path), err, want)
		}
	}
	if err := mine.Remove(ctx); err != nil {
		t.Error(err)
	}
	for _, path := range []string{mine.Dir, mine.Temp} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
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

// TestTemp: the folder for what a browser leaves has a path that is short
// enough for a socket, and is one that may be deleted.
func TestTemp(t *testing.T) {
	short, err := os.MkdirTemp("", "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	inside := make(t, short)
	if want := filepath.Join(inside.Dir, tempName); inside.Temp != want {
		t.Errorf("the folder is %s, want %s", inside.Temp, want)
	}
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 20))
	outside := make(t, long)
	if runtime.GOOS != "windows" && (len(outside.Temp) > tempRoom || strings.HasPrefix(outside.Temp, long)) {
		t.Errorf("the folder is %s", outside.Temp)
	}
	for _, p := range []*Profile{inside, outside} {
		if info, err := os.Stat(p.Temp); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", p.Temp, err)
		}
		if err := p.Remove(context.Background()); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(p.Temp); err == nil {
			t.Errorf("%s is still there", p.Temp)
		}
	}
	// A file that names somebody else's folder deletes nothing.
	theirs := t.TempDir()
	for _, temp := range []string{theirs, "oriel-relative", filepath.Join(theirs, "..")} {
		if err := (&Profile{Temp: temp}).removeTemp(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
}
