//go:build unix

package process

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The folder may be relative to the supervisor's; the program, and PWD, are the
// child's own view.
func TestRelativeFolder(t *testing.T) {
	base := t.TempDir()
	t.Chdir(base)
	if err := os.MkdirAll("app/bin", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("app/bin/prog", []byte("#!/bin/sh\necho $PWD; /bin/pwd\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(base)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Spec{
		{Argv: []string{"./bin/prog"}, Dir: "app"},
		{Argv: []string{"bin/prog"}, Dir: filepath.Join(base, "app"), Env: []string{"PWD=/elsewhere"}},
		{Argv: []string{"prog"}, Dir: "app", Env: []string{"PATH=bin"}},
	} {
		res, err := Run(deadline(t), s, Events{}, nil)
		want := "stdout: " + filepath.Join(base, "app") + "\nstdout: " + filepath.Join(real, "app") + "\n"
		if err != nil || texts(res.Output) != want {
			t.Errorf("%v: got %q, want %q, %v", s.Argv, texts(res.Output), want, err)
		}
	}
}

// What a child leaves behind without an environment is known by its session,
// because the child is looked at before its number is given back.
func TestLeftoverWithoutMarker(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // elsewhere a child cannot be looked at between its exit and its reaping
	}
	p := launch(t, Spec{Shell: "env -i sh -c 'echo $$; exec sleep 600 >/dev/null 2>&1' & sleep 0.1; exit 0"}, Events{})
	m := await(t, p, Until{Exit: true})
	ids := identify(t, pidsIn(t, await(t, p, pattern(`^\d+$`)).Line.Text))
	if m.Status.State != StateExited || m.Status.Leftover != 1 {
		t.Errorf("got %+v", m.Status)
	}
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	assertGone(t, ids)
	if st := p.Status(); st.State != StateExited || st.Leftover != 0 {
		t.Errorf("got %+v", st)
	}
}

// A restart ends what the last start left behind before it begins anew.
func TestRestartEndsLeftovers(t *testing.T) {
	p := launch(t, Spec{Shell: "setsid sleep 600 & echo $!; exit 1", Restart: RestartOnFailure, Backoff: Backoff{Min: time.Millisecond, Max: time.Millisecond}}, Events{})
	number := regexp.MustCompile(`^\d+$`)
	first := await(t, p, Until{Pattern: number}).Line
	second := await(t, p, Until{Pattern: number, Since: first.Seq + 1}).Line
	if first.Text == second.Text || syscallExists(pidsIn(t, first.Text)[0]) {
		t.Errorf("%s is still there when %s runs", first.Text, second.Text)
	}
}

// A reader that falls behind is told how much it missed.
func TestReportSaysWhatWasMissed(t *testing.T) {
	s := Spec{Shell: "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done", OutputBytes: 4096}
	slow := make(chan struct{})
	var lines []Line
	p := launch(t, s, Events{Line: func(l Line) {
		if len(lines) == 0 {
			<-slow
		}
		lines = append(lines, l)
	}})
	await(t, p, Until{Exit: true})
	close(slow)
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	notes := 0
	for _, l := range lines {
		if l.Stream == Note && strings.HasSuffix(l.Text, "lines came too fast to be followed ---") {
			notes++
		}
	}
	if last := lines[len(lines)-1]; notes == 0 || last.Text != "line 1999" {
		t.Errorf("%d notes, last line %q", notes, last.Text)
	}
}

// A search through a flood ends with its context.
func TestWaitInAFlood(t *testing.T) {
	p := launch(t, Spec{Shell: "yes 'a line that does not match'"}, Events{})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := p.Wait(ctx, Until{Pattern: regexp.MustCompile(`z+$`)}); err == nil || !strings.Contains(err.Error(), "deadline exceeded") {
		t.Errorf("got %v", err)
	}
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
}

func TestStatsOfTheWholeTree(t *testing.T) {
	p := launch(t, role("family"), Events{})
	await(t, p, pattern("^family"))
	stats, err := p.Stats()
	if err != nil || len(stats.Members) != 3 || stats.RSS < 3<<20 {
		t.Errorf("got %+v, %v", stats, err)
	}
	if err := p.Stop(deadline(t), true); err != nil {
		t.Fatal(err)
	}
	if stats, err = p.Stats(); err != nil || len(stats.Members) != 0 || stats.RSS != 0 {
		t.Errorf("after stop: %+v, %v", stats, err)
	}
}
