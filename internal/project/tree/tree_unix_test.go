//go:build unix

package tree

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A pipe with no writer would block whoever opens it; a link loop would trap whoever follows it.
func TestSpecialFilesAndLinks(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	mkdirs(t, dir, "p/real")
	for name, target := range map[string]string{"dangling": "nowhere", "loop": "loop", "p/up": "..", "p/real/back": "../..", "linked": "p/real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read("pipe"); err == nil || err.Error() != "not a regular file" {
		t.Errorf("Read(pipe) = %v", err)
	}
	if _, err := f.Read("dangling"); err == nil || err.Error() != "a symbolic link that leads nowhere" {
		t.Errorf("Read(dangling) = %v", err)
	}
	if _, err := f.Read("loop"); err == nil {
		t.Error("Read(loop) succeeded")
	}
	if diff := cmp.Diff([]string{"linked", "p", "p/real"}, Expand(dir, []string{"**", "p/**", "linked"}).Dirs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
