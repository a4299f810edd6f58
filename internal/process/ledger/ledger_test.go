//go:build unix

package ledger

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"oriel/internal/process/tree"
)

// TestMain lets the test binary be an owner that changes its ledger without end.
func TestMain(m *testing.M) {
	dir := os.Getenv("ORIEL_TEST_LEDGER")
	if dir == "" {
		os.Exit(m.Run())
	}
	l, _, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	for i := 0; ; i++ {
		e := Entry{ID: fmt.Sprint(i), Command: strings.Repeat("x", i%5000), Marker: tree.NewMarker()}
		if err := l.Enter(e); err != nil {
			os.Exit(1)
		}
		if i%3 > 0 {
			if err := l.Leave(e.Marker); err != nil {
				os.Exit(1)
			}
		}
		if i == 200 {
			fmt.Println("busy")
		}
		if i%300 == 0 {
			for _, e := range l.Entries() {
				l.Leave(e.Marker)
			}
		}
	}
}

// Killed at any moment, an owner leaves a file that can be read, or none.
func TestKilledWhileWriting(t *testing.T) {
	dir := t.TempDir()
	for range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ORIEL_TEST_LEDGER="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for sc := bufio.NewScanner(out); sc.Scan() && sc.Text() != "busy"; {
		}
		cmd.Process.Kill()
		cmd.Wait()
		files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if p, err := read(f); err != nil || p.Owner.PID != cmd.Process.Pid {
				t.Errorf("%s: %+v, %v", f, p.Owner, err)
			}
		}
		if _, orphans, err := Open(dir); err != nil || len(orphans) != 0 {
			t.Errorf("open: %v, %v", orphans, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)); len(left) != 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	self, err := tree.Self()
	if err != nil {
		t.Fatal(err)
	}
	boot, _, _ := strings.Cut(self.Boot, "/")
	write := func(name string, p page) {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	gone := self
	gone.Start--
	container := gone
	container.Boot = boot + "/another namespace"
	before := gone
	before.Boot = "an earlier boot/" + self.Boot
	entry := []Entry{{ID: "web", Root: self, Marker: tree.NewMarker()}} // ourselves, of all processes
	write("living"+suffix, page{Owner: self, Entries: entry})
	write("container"+suffix, page{Owner: container, Entries: entry})
	write("earlier"+suffix, page{Owner: before, Entries: entry})
	write("gone"+suffix, page{Owner: gone, Entries: entry})
	write("noowner"+suffix, page{Entries: entry})
	write("notes.txt", page{Owner: gone, Entries: entry})
	if err := os.WriteFile(filepath.Join(dir, "damaged"+suffix), []byte(`{"owner":{"pid":`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, orphans, err := Open(dir)
	if err != nil || len(orphans) != 0 {
		t.Errorf("got %+v, %v", orphans, err)
	}
	var left []string
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		left = append(left, f.Name())
	}
	want := "container.ledger damaged.ledger living.ledger noowner.ledger notes.txt"
	if strings.Contains(self.Boot, "/") && strings.Join(left, " ") != want {
		t.Errorf("left %v", left)
	}
}

func TestEnterAndLeave(t *testing.T) {
	l, _, err := Open(filepath.Join(t.TempDir(), "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			m := tree.NewMarker()
			for range 2 { // the second replaces the first
				if err := l.Enter(Entry{ID: fmt.Sprint(i), Marker: m}); err != nil {
					t.Error(err)
				}
			}
			if i%2 == 0 {
				if err := l.Leave(m); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	p, err := read(l.path)
	if err != nil || len(p.Entries) != 10 || len(l.Entries()) != 10 {
		t.Errorf("%d entries on disk, %d in memory, %v", len(p.Entries), len(l.Entries()), err)
	}
	for _, e := range l.Entries() {
		if err := l.Leave(e.Marker); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(l.path); !os.IsNotExist(err) {
		t.Errorf("an empty ledger leaves a file: %v", err)
	}
	if err := l.Leave("unknown"); err != nil {
		t.Error(err)
	}
}

func TestFolderIsMadePrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(file); err == nil {
		t.Error("a file in place of the folder: no error")
	}
}
