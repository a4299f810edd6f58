package keep

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSecretStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	first, err := Secret(path)
	if err != nil || len(first) != 32 {
		t.Fatalf("%x, %v", first, err)
	}
	if again, err := Secret(path); err != nil || !bytes.Equal(first, again) {
		t.Errorf("%x, then %x, %v", first, again, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// A damaged one is replaced.
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if other, err := Secret(path); err != nil || len(other) != 32 || bytes.Equal(first, other) {
		t.Errorf("%x, %v", other, err)
	}
	if _, err := Secret(filepath.Join(path, "below a file")); err == nil {
		t.Error("kept below a file")
	}
}
