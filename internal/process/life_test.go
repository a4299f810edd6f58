//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestReadyByBanner(t *testing.T) {
	var rec recorder
	p := launch(t, role("serve"), rec.events())
	m := await(t, p, Until{Ready: true})
	st := m.Status
	if m.Reason != ByReady || !strings.HasPrefix(st.URL, "http://127.0.0.1:") || !slices.Equal(st.URLs, []string{st.URL}) || st.ReadyAt.IsZero() {
		t.Errorf("got %+v", m)
	}
	if resp, err := http.Get(st.URL); err != nil || resp.Body.Close() != nil || resp.StatusCode != 200 {
		t.Errorf("not there: %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
	stats, err := p.Stats()
	if err != nil {
		t.Fatal(err)
	}
	if len(stats.Ports) != 1 || !strings.HasSuffix(st.URL, fmt.Sprintf(":%d/", stats.Ports[0].Port)) || stats.RSS < 1<<20 || len(stats.Members) != 1 {
		t.Errorf("stats %+v", stats)
	}
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	states := slices.Compact(slices.Clone(rec.states))
	if !slices.Equal(states, []State{StateStarting, StateReady, StateStopped}) {
		t.Errorf("states %v", states)
	}
	if len(rec.lines) != 1 {
		t.Errorf("lines %q", rec.lines)
	}
}

func TestRunningWithoutBanner(t *testing.T) {
	s := role("sleep")
	s.Ready.Settle = 50 * time.Millisecond
	p := launch(t, s, Events{})
	if m := await(t, p, Until{Ready: true}); m.Reason != ByRunning || m.Status.State != StateRunning || m.Status.URL != "" {
		t.Errorf("got %+v", m)
	}
}

// A child that never stops printing still counts as running in the end.
func TestRunningWhileChatty(t *testing.T) {
	p := launch(t, Spec{Shell: "while :; do echo tick; sleep 0.02; done", Ready: Ready{Settle: 100 * time.Millisecond}}, Events{})
	if m := await(t, p, Until{Ready: true}); m.Reason != ByRunning {
		t.Errorf("got %+v", m)
	}
}

func TestReadyByPattern(t *testing.T) {
	p := launch(t, Spec{Shell: "echo compiling; sleep 0.1; printf 'compiled ok> '; sleep 600", Ready: Ready{Pattern: regexp.MustCompile(`compiled \w+`)}}, Events{})
	if m := await(t, p, Until{Ready: true}); m.Reason != ByReady {
		t.Errorf("got %+v", m)
	}
	out := p.Output(Query{Tail: 1})
	if len(out.Lines) != 1 || !out.Lines[0].Partial || out.Lines[0].Text != "compiled ok> " {
		t.Errorf("partial line: %+v", out.Lines)
	}
}

func TestReadyByPortAndURL(t *testing.T) {
	status := make(chan int, 1)
	status <- 503
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := <-status
		status <- s
		w.WriteHeader(s)
	}))
	defer srv.Close()
	s := role("sleep")
	s.Ready.URL = srv.URL
	p := launch(t, s, Events{})
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(short, Until{Ready: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ready by a 503: %v", err)
	}
	<-status
	status <- 404
	if m := await(t, p, Until{Ready: true}); m.Reason != ByReady {
		t.Errorf("got %+v", m)
	}
}

// TestBannerOfAForeignServer: a server that prints its address before it binds
// is not ready because somebody else answers there.
func TestBannerOfAForeignServer(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	s := Spec{ID: "late", Shell: "echo Starting development server at " + other.URL + "/; sleep 0.5; echo port in use >&2; exit 1"}
	p := launch(t, s, Events{})
	if m, err := p.Wait(t.Context(), Until{Ready: true}); !errors.Is(err, ErrExited) {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestReadyByPort(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		addr := l.Addr().String()
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		s := role("sleep")
		s.Ready.Port = port
		p := launch(t, s, Events{})
		await(t, p, pattern("sleeping"))
		if st := p.Status(); st.State != StateStarting {
			t.Errorf("state %s before anything listens", st.State)
		}
		if l, err = net.Listen("tcp", addr); err != nil {
			t.Fatal(err)
		}
		if m := await(t, p, Until{Ready: true}); m.Reason != ByReady {
			t.Errorf("got %+v", m)
		}
		l.Close()
	}
}

// A port that somebody else holds says nothing about the child.
func TestReadyPortTakenBefore(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := role("sleep")
	s.Ready.Port = l.Addr().(*net.TCPAddr).Port
	p := launch(t, s, Events{})
	short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	m, err := p.Wait(short, Until{Ready: true})
	if err == nil || !strings.Contains(m.Status.LastError, "in use by another process") {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestWaitEndsWithTheProcess(t *testing.T) {
	p := launch(t, Spec{Name: "web", Shell: "echo no config >&2; exit 2"}, Events{})
	m, err := p.Wait(deadline(t), Until{Ready: true})
	if !errors.Is(err, ErrExited) || err.Error() != `wait for readiness of "web": process ended first: exited with code 2` || m.Reason != ByExit || m.Status.ExitCode != 2 {
		t.Errorf("got %+v, %v", m, err)
	}
	if m := await(t, p, pattern("no config")); m.Reason != ByPattern || m.Line.Stream != Stderr {
		t.Errorf("a line already there: %+v", m)
	}
	if _, err := p.Wait(deadline(t), pattern("never")); !errors.Is(err, ErrExited) {
		t.Errorf("got %v", err)
	}
	if _, err := p.Wait(deadline(t), Until{Pattern: regexp.MustCompile("no config"), Since: m.Line.Seq + 100}); !errors.Is(err, ErrExited) {
		t.Errorf("since: got %v", err)
	}
}

func TestRestartPolicies(t *testing.T) {
	fast := Backoff{Min: 5 * time.Millisecond, Max: 20 * time.Millisecond, Stable: time.Hour}
	dir := t.TempDir()
	// Fails twice, then ends well.
	script := fmt.Sprintf("echo x >> %s/n; echo run; [ $(wc -l < %[1]s/n) -ge 3 ]", dir)
	p := launch(t, Spec{Shell: script, Restart: RestartOnFailure, Backoff: fast}, Events{})
	m := await(t, p, Until{Exit: true})
	if m.Status.State != StateExited || m.Status.Restarts != 2 {
		t.Errorf("on-failure: %+v\n%s", m.Status, texts(p.Output(Query{})))
	}
	want := "stdout: run\nnote: --- exited with code 1; restart 1 in 5ms ---\nstdout: run\nnote: --- exited with code 1; restart 2 in 10ms ---\nstdout: run\n"
	if got := texts(p.Output(Query{})); got != want {
		t.Errorf("output\n%s", got)
	}
	p = launch(t, Spec{Shell: "echo run", Restart: RestartAlways, Backoff: fast}, Events{})
	await(t, p, Until{Pattern: regexp.MustCompile("run"), Since: 6})
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	if st := p.Status(); st.State != StateStopped || st.Restarts < 3 {
		t.Errorf("always: %+v", st)
	}
	p = launch(t, Spec{Shell: "exit 1", Restart: RestartNo}, Events{})
	if m := await(t, p, Until{Exit: true}); m.Status.Restarts != 0 || m.Status.State != StateFailed {
		t.Errorf("no: %+v", m.Status)
	}
}

// A program that vanishes between two starts is a failure like any other.
func TestRestartOfAVanishedProgram(t *testing.T) {
	bin := t.TempDir() + "/prog"
	if err := os.WriteFile(bin, []byte("#!/bin/sh\nrm "+bin+"\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := launch(t, Spec{Name: "prog", Argv: []string{bin}, Restart: RestartOnFailure, Backoff: Backoff{Min: time.Millisecond, Max: time.Millisecond}}, Events{})
	for p.Status().Restarts < 3 {
		<-p.onChange()
	}
	if st := p.Status(); !strings.Contains(st.LastError, "no such file") && !strings.Contains(st.LastError, "exited") {
		t.Errorf("got %+v", st)
	}
}

func TestBackoff(t *testing.T) {
	b := Spec{Shell: "x"}.withDefaults().Backoff
	want := []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second}
	for i, w := range want {
		if got := b.pause(i + 1); got != w {
			t.Errorf("pause %d: %s, want %s", i+1, got, w)
		}
	}
	if got := b.pause(1 << 20); got != 30*time.Second {
		t.Errorf("got %s", got)
	}
}

func TestRestartByRequest(t *testing.T) {
	s := role("serve")
	p := launch(t, s, Events{})
	first := await(t, p, Until{Ready: true}).Status
	if err := p.Restart(deadline(t)); err != nil {
		t.Fatal(err)
	}
	second := await(t, p, Until{Ready: true}).Status
	if second.PID == first.PID || second.Restarts != 1 || second.URL == "" || len(second.URLs) != 1 || second.ID != first.ID {
		t.Errorf("first %+v\nsecond %+v", first, second)
	}
	out := p.Output(Query{Stream: Note})
	if len(out.Lines) != 1 || !strings.Contains(out.Lines[0].Text, "restarted by request (restart 1)") {
		t.Errorf("marks: %+v", out.Lines)
	}
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	if err := p.Restart(deadline(t)); err != nil { // from the dead
		t.Fatal(err)
	}
	await(t, p, Until{Ready: true})
}

// However stops and restarts meet, after the last stop nothing runs.
func TestStopAgainstRestart(t *testing.T) {
	s := role("stubborn")
	s.Grace = time.Millisecond
	p := launch(t, s, Events{})
	for range 10 {
		done := make(chan error, 2)
		go func() { done <- p.Restart(deadline(t)) }()
		go func() { done <- p.Stop(deadline(t), true) }()
		<-done
		<-done
		if err := p.Stop(deadline(t), true); err != nil {
			t.Fatal(err)
		}
		if members, err := p.child.Tree.Members(); err != nil || len(members) != 0 || !p.Status().State.Final() {
			t.Fatalf("after stop: %v %v %s", members, err, p.Status().State)
		}
	}
}

func TestRun(t *testing.T) {
	res, err := Run(deadline(t), Spec{Shell: "cat; echo out; echo err >&2; exit 3"}, Events{}, nil)
	if err != nil || res.Cut || res.Status.ExitCode != 3 || res.Output.Matched != 2 {
		t.Errorf("got %+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := role("family")
	s.Grace = 100 * time.Millisecond
	var pids []int
	res, err = Run(ctx, s, Events{Line: func(l Line) {
		if strings.HasPrefix(l.Text, "family") {
			pids = pidsIn(t, l.Text)
			cancel()
		}
	}}, nil)
	if err != nil || !res.Cut || res.Status.State != StateStopped {
		t.Errorf("got %+v, %v", res, err)
	}
	for _, pid := range pids {
		if syscallExists(pid) {
			t.Errorf("%d is still there", pid)
		}
	}
	// What a command leaves behind ends with it.
	if res, err = Run(deadline(t), s2("family leave"), Events{}, nil); err != nil || res.Cut || res.Status.State != StateExited || res.Status.Leftover != 0 {
		t.Errorf("got %+v, %v", res.Status, err)
	}
	for _, pid := range pidsIn(t, texts(res.Output))[1:] {
		if syscallExists(pid) {
			t.Errorf("%d is still there", pid)
		}
	}
	if _, err := Run(deadline(t), Spec{Argv: []string{"/none"}}, Events{}, nil); err == nil {
		t.Error("no error")
	}
}

func s2(r string) Spec {
	s := role(r)
	s.Grace = 100 * time.Millisecond
	return s
}

func TestHeldInput(t *testing.T) {
	p := launch(t, Spec{Shell: "cat; echo input ended", HoldStdin: true, Ready: Ready{Settle: 100 * time.Millisecond}}, Events{})
	if m := await(t, p, Until{Ready: true}); m.Reason != ByRunning {
		t.Errorf("got %+v", m)
	}
}

// A flood of output must neither stall the child nor stay in memory, with a reader that
// never returns from its first line until the end.
func TestFlood(t *testing.T) {
	const mb = floodMB
	release := make(chan struct{})
	s := role("flood " + strconv.Itoa(mb))
	began := time.Now()
	p := launch(t, s, Events{Line: func(Line) { <-release }})
	t.Cleanup(sync.OnceFunc(func() { close(release) }))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	await(t, p, Until{Exit: true})
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	t.Logf("%.0f MB/s; heap grew by %.1f MB", mb/took.Seconds(), float64(int64(after.HeapInuse)-int64(before.HeapInuse))/1e6)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 32<<20 {
		t.Errorf("heap grew by %d bytes", grown)
	}
	out := p.Output(Query{Tail: 1})
	if len(out.Lines) != 1 || out.Lines[0].Text != "the end" || out.DroppedBytes < mb<<20*97/100-2<<20 || out.DroppedLines == 0 {
		t.Errorf("got %+v", out)
	}
}
