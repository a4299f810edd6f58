package daemon_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel/internal/daemon"
	"oriel/internal/tool"
)

// A daemon whose socket is gone, with its folder or by a cleaner of temporary
// files, can be reached by nobody. It ends what it keeps instead of holding its
// ports for ever.
func TestUnreachableDaemonEnds(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), 100*time.Millisecond)
	r.load.Store(&daemon.Load{Processes: 3, Clients: 1})
	if err := os.RemoveAll(r.home.Dir); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-r.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("still there")
	}
}

// One that ends does not take its successor's socket with it.
func TestEndingDaemonLeavesAnothersSocket(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	if err := os.Remove(r.home.Socket()); err != nil {
		t.Fatal(err)
	}
	successor, err := net.Listen("unix", r.home.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer successor.Close()
	r.stop()
	<-r.done
	if _, err := os.Stat(r.home.Socket()); err != nil {
		t.Errorf("the successor cannot be reached: %v", err)
	}
}

func TestSocketGoesWithItsDaemon(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	r.stop()
	<-r.done
	if _, err := os.Lstat(r.home.Socket()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v", err)
	}
}

// A daemon that cannot start says why, at once.
func TestDaemonThatCannotStart(t *testing.T) {
	h := home(t)
	c := &daemon.Client{Home: h, Build: "b1", Spawn: func() (<-chan error, error) {
		ended := make(chan error, 1)
		ended <- errors.New("open the ledger: disk full")
		return ended, nil
	}}
	began := time.Now()
	got := c.Call(t.Context(), tool.Call{Tool: "echo"})
	if want := `{"error":"the oriel daemon did not start: open the ledger: disk full"}`; got.Text != want {
		t.Errorf("got %s", got.Text)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

// One that ends well has found another: that one is waited for.
func TestDaemonThatWasNotTheFirst(t *testing.T) {
	h := home(t)
	c := &daemon.Client{Home: h, Build: "b1", Spawn: func() (<-chan error, error) {
		launch(t, h, "b1", newFake(), time.Hour)
		ended := make(chan error, 1)
		ended <- nil
		return ended, nil
	}}
	if got := c.Call(t.Context(), tool.Call{Tool: "echo"}); got.IsError {
		t.Errorf("got %s", got.Text)
	}
}

// The runtime directory counts only if it can: after su and sudo it is often
// another user's, or was never made.
func TestHomeWithoutAUsableRuntimeDirectory(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("ORIEL_HOME", "")
	runtime := t.TempDir()
	file := filepath.Join(runtime, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(runtime, strings.Repeat("x", 100))
	if err := os.Mkdir(long, 0o700); err != nil {
		t.Fatal(err)
	}
	for dir, inside := range map[string]bool{
		runtime: true, filepath.Join(runtime, "missing"): false, "relative": false, "": false, file: false, long: false,
	} {
		t.Setenv("XDG_RUNTIME_DIR", dir)
		got := daemon.DefaultHome().Dir
		if strings.HasPrefix(got, runtime) != inside {
			t.Errorf("XDG_RUNTIME_DIR=%s: %s", dir, got)
		}
	}
	t.Setenv("ORIEL_HOME", long) // what a person names is taken, or refused with a reason
	if got := daemon.DefaultHome().Dir; got != long {
		t.Errorf("ORIEL_HOME: %s", got)
	}
}

type keeping chan tool.Call

func (k keeping) Call(_ context.Context, c tool.Call) tool.Result {
	k <- c
	return tool.Result{Text: "kept"}
}

// Names of folders and values of variables are bytes, not always text.
func TestOriginArrivesByteForByte(t *testing.T) {
	k := make(keeping, 1)
	r := serve(t, home(t), "b1", k, time.Hour)
	from := tool.Origin{Dir: "/srv/caf\xe9/<&>", Env: []string{"A=\xff\x00\xfe", "B=ü", ""}}
	(&daemon.Client{Home: r.home, Build: "b1"}).Call(t.Context(), tool.Call{Tool: "x", From: from})
	if got := (<-k).From; got.Dir != from.Dir || !slices.Equal(got.Env, from.Env) {
		t.Errorf("got %q", got)
	}
}
