//go:build unix

package tree

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// shell starts a marked shell command in a session of its own and returns its
// tree and the process numbers on its first line of output.
func shell(t *testing.T, script string) (*Tree, []int) {
	t.Helper()
	marker := NewMarker()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = Mark(os.Environ(), marker)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	root, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	tr := New(root, marker)
	reaped := make(chan struct{})
	go func() { cmd.Wait(); close(reaped) }()
	t.Cleanup(func() {
		if _, err := tr.End(0, nil); err != nil {
			t.Error(err)
		}
		<-reaped
		out.Close()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	pids := []int{cmd.Process.Pid}
	for _, f := range strings.Fields(line) {
		var pid int
		if _, err := fmt.Sscan(f, &pid); err != nil {
			t.Fatalf("line %q", line)
		}
		pids = append(pids, pid)
	}
	return tr, pids
}

func pidsOf(members []Member) []int {
	var out []int
	for _, m := range members {
		out = append(out, m.PID)
	}
	slices.Sort(out)
	return out
}

// until polls a real condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func TestMembers(t *testing.T) {
	tests := []struct{ name, script string }{
		{"one", "echo; sleep 600"},
		{"child", "sleep 600 & echo $!; wait"},
		{"own session", "setsid sleep 600 & echo $!; wait"},
		{"double fork, own session", "(setsid sh -c 'echo $$; exec sleep 600' &) ; sleep 600"},
		{"double fork, no environment, same session", "(env -i sh -c 'echo $$; exec sleep 600' &) ; sleep 600"},
		{"no environment, own session, parent alive", "setsid env -i sh -c 'echo $$; exec sleep 600' & wait"},
		{"another marker, as of a supervisor within", "ORIEL_PROCESS=0123456789abcdef0123456789abcdef sh -c 'echo $$; exec sleep 600' & wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr, pids := shell(t, tt.script)
			members, err := tr.Members()
			if err != nil {
				t.Fatal(err)
			}
			for _, pid := range pids {
				if !slices.Contains(pidsOf(members), pid) {
					t.Errorf("%d is not among %v", pid, members)
				}
			}
			ended, err := tr.End(time.Minute, nil)
			if err != nil || len(ended) < len(pids) {
				t.Errorf("ended %v, %v", ended, err)
			}
			for _, m := range ended {
				if m.Alive() {
					t.Errorf("%d is still there", m.PID)
				}
			}
		})
	}
}

// A member that loses everything that ties it to the tree stays known once seen.
func TestSeenMembersStay(t *testing.T) {
	tr, pids := shell(t, "sh -c 'setsid env -i sh -c \"echo \\$\\$; exec sleep 600\" & read x < /dev/null; sleep 600' & wait")
	escapee, err := Identify(pids[1])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Members(); err != nil {
		t.Fatal(err)
	}
	// All but the escapee end, as by somebody else's hand.
	members, err := tr.Members()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if m.Identity != escapee {
			m.Kill()
		}
	}
	until(t, "only the escapee is left", func() bool {
		left, err := tr.Members()
		return err == nil && len(left) == 1
	})
	if _, err := tr.End(time.Minute, nil); err != nil || escapee.Alive() {
		t.Errorf("end: %v; alive: %v", err, escapee.Alive())
	}
}

func TestEndIsPoliteFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	tr, _ := shell(t, "trap 'echo bye > "+file+"; exit' TERM; echo; while :; do sleep 0.05; done")
	if _, err := tr.End(time.Minute, nil); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "bye\n" {
		t.Errorf("got %q, %v", b, err)
	}
	if ended, err := tr.End(time.Minute, nil); err != nil || len(ended) != 0 {
		t.Errorf("second end: %v, %v", ended, err)
	}
}

func TestEndReachesStoppedProcesses(t *testing.T) {
	tr, pids := shell(t, "sh -c 'echo $$; kill -STOP $$; sleep 600' & wait")
	until(t, "stopped", func() bool { p, err := lookup(pids[1]); return err == nil && p.stopped })
	if _, err := tr.End(time.Hour, nil); err != nil { // by TERM alone
		t.Fatal(err)
	}
}

func TestForceEndsTheGrace(t *testing.T) {
	tr, _ := shell(t, "trap '' TERM; echo; while :; do sleep 0.05; done")
	force := make(chan struct{})
	close(force)
	if _, err := tr.End(time.Hour, force); err != nil {
		t.Fatal(err)
	}
}

// A tree that claims the calling process spares it and all above it.
func TestNeverItself(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	parent, err := Identify(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []Identity{self, parent} {
		members, err := New(root, NewMarker()).Members()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			if m.PID == self.PID || m.PID == parent.PID {
				t.Errorf("tree of %d has %+v", root.PID, m)
			}
		}
	}
}

func TestIdentity(t *testing.T) {
	self, err := Self()
	if err != nil || !self.Alive() || self.Elsewhere() {
		t.Fatalf("self %+v, %v", self, err)
	}
	for name, change := range map[string]func(*Identity){
		"start": func(i *Identity) { i.Start++ },
		"boot":  func(i *Identity) { i.Boot = "other" },
		"pid":   func(i *Identity) { i.PID = 1 << 30 },
		"zero":  func(i *Identity) { *i = Identity{} },
	} {
		id := self
		change(&id)
		if id.Alive() {
			t.Errorf("%s: alive", name)
		}
		if err := id.Kill(); !errors.Is(err, ErrGone) {
			t.Errorf("%s: kill gives %v", name, err)
		}
	}
	if _, err := Identify(1 << 30); !errors.Is(err, ErrGone) {
		t.Errorf("got %v", err)
	}
}

func TestMark(t *testing.T) {
	env := Mark([]string{"A=1", MarkerEnv + "=old", "B=2"}, "new")
	if !slices.Equal(env, []string{"A=1", "B=2", MarkerEnv + "=new"}) {
		t.Errorf("got %v", env)
	}
	if a, b := NewMarker(), NewMarker(); a == b || len(a) < minMarker {
		t.Errorf("markers %s %s", a, b)
	}
}

func TestUsage(t *testing.T) {
	started := time.Now()
	tr, _ := shell(t, "echo; while :; do :; done")
	until(t, "processor time is seen", func() bool {
		u, err := tr.Usage(started)
		return err == nil && u.CPU > 1 && u.Window > 0 && u.RSS > 100<<10 && len(u.Members) == 1
	})
}
