package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A shell gets what the assistant gets: the tools that are kept from models are
// kept from it too.
func TestCallOfAHiddenTool(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", nil)
	for _, mode := range []string{"--no-daemon=false", "--no-daemon"} {
		answered := make(chan string, 1)
		go func() {
			out, code := w.oriel(root, "call", "attach", mode)
			if code != 1 {
				t.Errorf("%s: exit code %d", mode, code)
			}
			answered <- out
		}()
		select {
		case out := <-answered:
			if !strings.HasPrefix(out, `{"error":"unknown tool \"attach\" (valid: detect, run, proc,`) {
				t.Errorf("%s: %s", mode, out)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: stays attached", mode)
		}
	}
}

func TestCallWithADaemonThatCannotStart(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", nil)
	if err := os.MkdirAll(w.home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, "daemon.log"), []byte("an older line\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, "state"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	out, code := w.oriel(root, "call", "proc")
	if code != 1 || !strings.HasPrefix(out, `{"error":"the oriel daemon did not start: open the process ledger: `) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %s to say so", took)
	}
}

func TestWithoutHome(t *testing.T) {
	w := newWorld(t, "HOME=", "XDG_CONFIG_HOME=", "USERPROFILE=")
	root := w.project("p", nil)
	if out, code := w.oriel(root, "install", "cursor", "--project"); code != 0 || !strings.Contains(out, "registered oriel in Cursor") {
		t.Errorf("install: exit code %d: %s", code, out)
	}
	if out, code := w.oriel(root, "doctor"); !strings.Contains(out, "daemon's folder") {
		t.Errorf("doctor: exit code %d: %s", code, out)
	}
}
