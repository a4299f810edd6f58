package ledger

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that somebody cleaned away is made again: without it nothing could
// be started any more.
func TestFolderThatVanished(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	l, _, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := l.Enter(Entry{ID: "a", Marker: "0123456789abcdef0123"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v", info, err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)); len(files) != 1 {
		t.Errorf("kept in %v", files)
	}
}
