package tree

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestParseAddr(t *testing.T) {
	for in, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000:0050":                         "0.0.0.0:80",
		"00000000000000000000000001000000:1435": "[::1]:5173",
		"00000000000000000000000000000000:0BB8": "[::]:3000",
		"0000000000000000FFFF00000100007F:0BB8": "127.0.0.1:3000",
	} {
		if got, ok := parseAddr(in); !ok || got.String() != want {
			t.Errorf("%s: got %s", in, got)
		}
	}
	for _, in := range []string{"", ":", "xx:1", "0100007F", "0100007F:FFFFF", "0100:1F90"} {
		if got, ok := parseAddr(in); ok {
			t.Errorf("%q: got %s", in, got)
		}
	}
}

// A program's name may hold what the kernel's file uses to mark its end.
func TestAwkwardName(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a) S 1 (b")
	if err := os.WriteFile(name, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(name, "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	p, err := lookup(cmd.Process.Pid)
	if err != nil || p.name != "a) S 1 (b" || p.parent != os.Getpid() || p.start == 0 {
		t.Errorf("got %+v, %v", p, err)
	}
}

func BenchmarkMembers(b *testing.B) {
	tr := New(Identity{}, NewMarker())
	for b.Loop() {
		if _, err := tr.Members(); err != nil {
			b.Fatal(err)
		}
	}
}
