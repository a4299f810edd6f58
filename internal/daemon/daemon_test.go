package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oriel/internal/daemon"
	"oriel/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake answers calls by tool name: echo, block (until cancelled), progress.
type fake struct {
	blocked   chan struct{}
	cancelled chan struct{}
}

func newFake() *fake { return &fake{make(chan struct{}, 9), make(chan struct{}, 9)} }

func (f *fake) Call(ctx context.Context, c tool.Call) tool.Result {
	switch c.Tool {
	case "block":
		f.blocked <- struct{}{}
		<-ctx.Done()
		f.cancelled <- struct{}{}
		return tool.Fail(ctx.Err())
	case "progress":
		tool.Report(ctx, tool.Progress{Done: 1, Total: 2})
		tool.Report(ctx, tool.Progress{Done: 2, Total: 2})
	}
	return tool.Result{Text: c.Tool + " " + string(c.Args) + " " + c.From.Dir, Data: c.Args}
}

type running struct {
	home daemon.Home
	done chan error
	stop context.CancelFunc
	load atomic.Pointer[daemon.Load]
}

// serve runs a daemon in this process, until the test ends, and waits until it answers.
func serve(t *testing.T, home daemon.Home, build daemon.Build, c tool.Caller, idle time.Duration) *running {
	t.Helper()
	r := launch(t, home, build, c, idle)
	waitFor(t, func() bool { _, err := (&daemon.Client{Home: home}).Status(t.Context()); return err == nil })
	return r
}

func launch(t *testing.T, home daemon.Home, build daemon.Build, c tool.Caller, idle time.Duration) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{home: home, done: make(chan error, 1), stop: cancel}
	r.load.Store(&daemon.Load{})
	go func() {
		release, err := daemon.Lock(ctx, home)
		if err == nil {
			err = daemon.Serve(ctx, daemon.Options{
				Home: home, Build: build, Caller: c, IdleFor: idle,
				Load: func() daemon.Load { return *r.load.Load() },
			})
			release()
		}
		r.done <- err
		close(r.done)
	}()
	t.Cleanup(func() { cancel(); <-r.done })
	return r
}

func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited for 10 seconds in vain")
		}
	}
}

func home(t *testing.T) daemon.Home {
	dir, err := os.MkdirTemp("", "od")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return daemon.Home{Dir: filepath.Join(dir, "h")}
}

func TestCallGoesThroughUnchanged(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	c := &daemon.Client{Home: r.home, Build: "b1"}
	got := c.Call(t.Context(), tool.Call{Tool: "echo", Args: json.RawMessage(`{"a":"<&>"}`), From: tool.Origin{Dir: "/p"}})
	if got.Text != `echo {"a":"<&>"} /p` || string(got.Data) != `{"a":"<&>"}` || got.IsError {
		t.Errorf("got %+v", got)
	}
}

func TestProgressComesBeforeTheResult(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	var seen []float64
	ctx := tool.WithProgress(t.Context(), func(p tool.Progress) { seen = append(seen, p.Done) })
	(&daemon.Client{Home: r.home, Build: "b1"}).Call(ctx, tool.Call{Tool: "progress"})
	if len(seen) != 2 || seen[1] != 2 {
		t.Errorf("progress %v", seen)
	}
}

func TestCancellationReachesTheTool(t *testing.T) {
	f := newFake()
	r := serve(t, home(t), "b1", f, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	res := make(chan tool.Result, 1)
	go func() { res <- (&daemon.Client{Home: r.home, Build: "b1"}).Call(ctx, tool.Call{Tool: "block"}) }()
	<-f.blocked
	cancel()
	<-f.cancelled
	if got := <-res; !got.IsError || !strings.Contains(got.Text, "cancelled by the client") {
		t.Errorf("got %+v", got)
	}
}

func TestDaemonThatEndsDuringACallFailsThatCallAlone(t *testing.T) {
	f := newFake()
	h := home(t)
	r := serve(t, h, "b1", f, time.Hour)
	spawned := 0
	c := &daemon.Client{Home: h, Build: "b1", Spawn: func() (<-chan error, error) {
		spawned++
		launch(t, h, "b1", f, time.Hour)
		return nil, nil
	}}
	res := make(chan tool.Result, 1)
	go func() { res <- c.Call(t.Context(), tool.Call{Tool: "block"}) }()
	<-f.blocked
	r.stop()
	if got := <-res; !got.IsError {
		t.Errorf("got %+v", got)
	}
	if got := c.Call(t.Context(), tool.Call{Tool: "echo"}); got.IsError || spawned != 1 {
		t.Errorf("after the restart: %+v, %d spawned", got, spawned)
	}
}

// TestDeadDaemonWithALivingSocket: a process that is being killed may still
// hold its socket; who connects then is cut off before the header.
func TestDeadDaemonWithALivingSocket(t *testing.T) {
	h := home(t)
	if err := h.Prepare(); err != nil {
		t.Fatal(err)
	}
	dying, err := net.Listen("unix", h.Socket())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		conn, err := dying.Accept()
		dying.Close()
		if err == nil {
			conn.Close()
		}
	}()
	c := &daemon.Client{Home: h, Build: "b1", Spawn: func() (<-chan error, error) {
		launch(t, h, "b1", newFake(), time.Hour)
		return nil, nil
	}}
	if got := c.Call(t.Context(), tool.Call{Tool: "echo"}); got.IsError {
		t.Errorf("got %s", got.Text)
	}
}

func TestOneDaemonForManyClients(t *testing.T) {
	h := home(t)
	var spawned atomic.Int32
	spawn := func() (<-chan error, error) {
		spawned.Add(1)
		launch(t, h, "b1", newFake(), time.Hour)
		return nil, nil
	}
	c := &daemon.Client{Home: h, Build: "b1", Spawn: spawn}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := c.Call(t.Context(), tool.Call{Tool: "echo"}); got.IsError {
				t.Errorf("got %+v", got)
			}
		})
	}
	wg.Wait()
	if n := spawned.Load(); n != 1 {
		t.Errorf("%d daemons were started", n)
	}
}

func TestSecondDaemonGivesUp(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	_, err := daemon.Lock(t.Context(), r.home)
	if !errors.Is(err, daemon.ErrRunning) {
		t.Errorf("got %v", err)
	}
}

func TestStaleSocketIsNoObstacle(t *testing.T) {
	h := home(t)
	if err := h.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Socket(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, h, "b1", newFake(), time.Hour)
}

func TestAnotherBuild(t *testing.T) {
	for _, c := range []struct {
		name string
		load daemon.Load
		want string
	}{
		{"an idle one is replaced", daemon.Load{Projects: 1}, "echo  "},
		{"one in use is left", daemon.Load{Projects: 1, Processes: 3}, "the running oriel daemon is old and this oriel is new; it keeps 1 project, 0 clients, 3 processes, 0 proxies: run `oriel daemon stop`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := home(t)
			r := serve(t, h, "old", newFake(), time.Hour)
			r.load.Store(&c.load)
			client := &daemon.Client{Home: h, Build: "new", Spawn: func() (<-chan error, error) {
				launch(t, h, "new", newFake(), time.Hour)
				return nil, nil
			}}
			if got := client.Call(t.Context(), tool.Call{Tool: "echo"}); !strings.Contains(got.Text, c.want) {
				t.Errorf("got %s", got.Text)
			}
		})
	}
}

func TestIdleDaemonEnds(t *testing.T) {
	h := home(t)
	f := newFake()
	r := serve(t, h, "b1", f, 50*time.Millisecond)
	r.load.Store(&daemon.Load{Processes: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	select {
	case <-r.done:
		t.Fatal("ended while it kept a process")
	case <-ctx.Done():
	}
	r.load.Store(&daemon.Load{})
	if err := <-r.done; err != nil {
		t.Error(err)
	}
}

func TestStopWaitsForTheEnd(t *testing.T) {
	r := serve(t, home(t), "b1", newFake(), time.Hour)
	c := &daemon.Client{Home: r.home, Build: "b1"}
	if err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Status(t.Context()); !errors.Is(err, daemon.ErrNotRunning) {
		t.Errorf("after stop: %v", err)
	}
	if err := c.Stop(t.Context()); !errors.Is(err, daemon.ErrNotRunning) {
		t.Errorf("second stop: %v", err)
	}
}

func TestFolderIsPrivate(t *testing.T) {
	h := home(t)
	if err := os.MkdirAll(h.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := h.Prepare(); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(h.Dir); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
	long := daemon.Home{Dir: "/tmp/" + strings.Repeat("x", 120)}
	if err := long.Prepare(); err == nil || !strings.Contains(err.Error(), "ORIEL_HOME") {
		t.Errorf("a long path: %v", err)
	}
}
