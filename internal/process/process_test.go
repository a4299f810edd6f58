//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"oriel/internal/process/tree"
)

// role is the Spec of this test binary in another role.
func role(r string) Spec {
	return Spec{ID: "t", Name: r, Argv: []string{os.Args[0]}, Env: append(os.Environ(), "ORIEL_TEST_CHILD="+r), Grace: 10 * time.Second}
}

// launch starts a Spec and stops it when the test ends.
func launch(t *testing.T, s Spec, e Events) *Process {
	t.Helper()
	p, err := Start(s, e, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background(), true); err != nil {
			t.Errorf("cleanup: %v", err)
		}
	})
	return p
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func await(t *testing.T, p *Process, u Until) Match {
	t.Helper()
	m, err := p.Wait(deadline(t), u)
	if err != nil {
		t.Fatalf("%v\noutput:\n%s", err, texts(p.Output(Query{})))
	}
	return m
}

func pattern(s string) Until { return Until{Pattern: regexp.MustCompile(s)} }

func texts(o Output) string {
	var b strings.Builder
	for _, l := range o.Lines {
		fmt.Fprintf(&b, "%s: %s\n", l.Stream, l.Text)
	}
	return b.String()
}

// pidsIn reads the numbers in a line.
func pidsIn(t *testing.T, text string) []int {
	t.Helper()
	var pids []int
	for _, f := range strings.Fields(text) {
		var pid int
		if _, err := fmt.Sscan(f, &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatalf("no process ids in %q", text)
	}
	return pids
}

func identify(t *testing.T, pids []int) []Identity {
	t.Helper()
	var ids []Identity
	for _, pid := range pids {
		id, err := tree.Identify(pid)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

func assertGone(t *testing.T, ids []Identity) {
	t.Helper()
	for _, id := range ids {
		if id.Alive() {
			t.Errorf("process %d is still there", id.PID)
			syscall.Kill(id.PID, syscall.SIGKILL)
		}
	}
}

func TestExit(t *testing.T) {
	tests := []struct {
		spec   Spec
		state  State
		code   int
		signal string
		output string
	}{
		{role("print hello"), StateExited, 0, "", "stdout: hello\n"},
		{role("exit 3"), StateFailed, 3, "", ""},
		{Spec{Shell: "echo a; echo b >&2; printf c"}, StateExited, 0, "", ""},
		{Spec{Shell: "kill -9 $$"}, StateFailed, -1, "SIGKILL", ""},
		{Spec{Argv: []string{"sh", "-c", "exit 7"}}, StateFailed, 7, "", ""},
	}
	for _, tt := range tests {
		p := launch(t, tt.spec, Events{})
		m := await(t, p, Until{Exit: true})
		if m.Reason != ByExit || m.Status.State != tt.state || m.Status.ExitCode != tt.code || m.Status.Signal != tt.signal {
			t.Errorf("%s: got %+v", p.Status().Name, m)
		}
		if got := texts(p.Output(Query{})); tt.output != "" && got != tt.output {
			t.Errorf("%s: output %q, want %q", p.Status().Name, got, tt.output)
		}
	}
}

func TestStopEndsTheWholeTree(t *testing.T) {
	for _, force := range []bool{false, true} {
		s := role("family")
		s.Grace = 200 * time.Millisecond
		p := launch(t, s, Events{})
		m := await(t, p, pattern("^family"))
		ids := identify(t, pidsIn(t, m.Line.Text))
		if err := p.Stop(deadline(t), force); err != nil {
			t.Fatal(err)
		}
		assertGone(t, ids)
		if st := p.Status(); st.State != StateStopped {
			t.Errorf("state %s", st.State)
		}
		if err := p.Stop(deadline(t), force); err != nil {
			t.Errorf("second stop: %v", err)
		}
	}
}

func TestForceOvertakesGrace(t *testing.T) {
	s := role("stubborn")
	s.Grace = time.Hour
	p := launch(t, s, Events{})
	await(t, p, pattern("ignoring"))
	short, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Stop(short, false); !errors.Is(err, context.Canceled) {
		t.Fatalf("stop with an ended context: %v", err)
	}
	if err := p.Stop(deadline(t), true); err != nil {
		t.Fatal(err)
	}
	if st := p.Status(); st.State != StateStopped || st.Signal != "SIGKILL" {
		t.Errorf("got %+v", st)
	}
}

func TestExitIsSeenWhileAGrandchildHoldsTheOutput(t *testing.T) {
	p := launch(t, role("leave 4"), Events{})
	m := await(t, p, Until{Exit: true})
	if m.Status.ExitCode != 4 || m.Status.Leftover != 1 {
		t.Errorf("got %+v", m.Status)
	}
	left := await(t, p, pattern("^left"))
	ids := identify(t, pidsIn(t, left.Line.Text))
	await(t, p, pattern("sleeping")) // its output still arrives
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	assertGone(t, ids)
	if st := p.Status(); st.State != StateFailed || st.Leftover != 0 {
		t.Errorf("after stop: %+v", st)
	}
}

func TestStreamsInOrder(t *testing.T) {
	p := launch(t, role("both"), Events{})
	await(t, p, Until{Exit: true})
	var want strings.Builder
	for i := range 5 {
		fmt.Fprintf(&want, "stdout: out %d\nstderr: err %d\n", i, i)
	}
	if got := texts(p.Output(Query{})); got != want.String() {
		t.Errorf("got\n%s", got)
	}
	if got := texts(p.Output(Query{Stream: Stderr, Tail: 1})); got != "stderr: err 4\n" {
		t.Errorf("got %q", got)
	}
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "node_modules", ".bin")
	os.MkdirAll(bin, 0o755)
	os.WriteFile(filepath.Join(bin, "vite"), []byte("#!/bin/sh\n"), 0o755)
	os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644)
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{Name: "web", Argv: []string{"no-such-program"}, Env: []string{"PATH=/nowhere"}}, `start "web": no-such-program: executable not found in PATH (/nowhere)`},
		{Spec{Argv: []string{"vite"}, Dir: dir, Env: []string{"PATH=/nowhere"}}, `start "vite": vite: executable not found in PATH; it is in node_modules/.bin: run it through the package manager (npx vite)`},
		{Spec{Argv: []string{"ls"}, Env: []string{}}, `start "ls": ls: executable not found: PATH is empty in the given environment`},
		{Spec{Name: "web", Argv: []string{"ls"}, Dir: dir + "/none"}, `start "web": directory ` + dir + `/none: no such file or directory`},
		{Spec{Name: "web", Argv: []string{"./plain"}, Dir: dir}, `start "web": ` + dir + `/plain: permission denied`},
		{Spec{Name: "web", Argv: []string{"./none"}, Dir: dir}, `start "web": ` + dir + `/none: no such file or directory`},
		{Spec{Name: "web"}, `start "web": no command given`},
		{Spec{Name: "web", Shell: "true", Restart: "sometimes"}, `start "web": unknown restart policy "sometimes" (valid: no, on-failure, always)`},
		{Spec{Name: "web", Shell: "true", Ready: Ready{URL: "localhost:3000"}}, `start "web": ready URL "localhost:3000" is not an http or https URL`},
	}
	for _, tt := range tests {
		p, err := Start(tt.spec, Events{}, nil)
		if err == nil {
			p.Stop(context.Background(), true)
			t.Errorf("%v: no error", tt.spec)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("got  %s\nwant %s", err, tt.want)
		}
	}
}

// recorder collects what is reported.
type recorder struct {
	mu     sync.Mutex
	lines  []string
	states []State
}

func (r *recorder) events() Events {
	return Events{
		Line:  func(l Line) { r.mu.Lock(); r.lines = append(r.lines, l.Text); r.mu.Unlock() },
		State: func(s Status) { r.mu.Lock(); r.states = append(r.states, s.State); r.mu.Unlock() },
	}
}
