//go:build unix

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"oriel/internal/process/ledger"
	"oriel/internal/process/tree"
)

// owner acts a supervisor with three children, each of which has a plain
// grandchild and one in a session of its own. It prints all their ids and waits
// to be killed.
func owner(dir string) {
	led, _, err := OpenLedger(dir)
	if err != nil {
		fmt.Println(err)
		os.Exit(96)
	}
	for i := range 3 {
		s := role("family")
		s.ID = fmt.Sprint("child", i)
		p, err := Start(s, Events{}, led)
		if err != nil {
			fmt.Println(err)
			os.Exit(96)
		}
		m, err := p.Wait(context.Background(), pattern("^family"))
		if err != nil {
			fmt.Println(err)
			os.Exit(96)
		}
		fmt.Println(m.Line.Text)
	}
	fmt.Println("all up")
	sleepForever()
}

// bystander is a process that must survive: no child of any ledger's.
func bystander(t *testing.T) Identity {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	id, err := tree.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// startOwner runs a supervisor process and returns it with the identities of the
// nine processes under it.
func startOwner(t *testing.T, dir string) (*exec.Cmd, []Identity) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ORIEL_TEST_CHILD=owner "+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var pids []int
	for sc := bufio.NewScanner(out); sc.Scan() && sc.Text() != "all up"; {
		if !strings.HasPrefix(sc.Text(), "family") {
			t.Fatalf("owner: %s", sc.Text())
		}
		pids = append(pids, pidsIn(t, sc.Text())...)
	}
	if len(pids) != 9 {
		t.Fatalf("owner has %d processes, want 9", len(pids))
	}
	return cmd, identify(t, pids)
}

func TestOrphansOfAKilledOwnerAreEnded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	dead, orphans := startOwner(t, dir)
	living, theirs := startOwner(t, dir)
	innocent := bystander(t)

	// A ledger of a dead owner that names the bystander's number, with another
	// start: as when the number was reused.
	other := innocent
	other.Start++
	forge(t, dir, ledger.Entry{ID: "forged", Root: other, Group: innocent.PID, Marker: tree.NewMarker()})
	forge(t, dir, ledger.Entry{ID: "forged without marker", Root: other, Group: innocent.PID})
	boot := innocent
	boot.Boot = "another boot"
	forge(t, dir, ledger.Entry{ID: "forged boot", Root: boot, Marker: tree.NewMarker()})

	dead.Process.Kill()
	dead.Wait()
	led, ended, err := OpenLedger(dir)
	if err != nil {
		t.Fatal(err)
	}
	assertGone(t, orphans)
	for _, id := range append(theirs, innocent) {
		if !id.Alive() {
			t.Errorf("process %d was ended and should not have been", id.PID)
		}
	}
	members := 0
	for _, o := range ended {
		if o.Err != nil || !strings.HasPrefix(o.ID, "child") || !strings.Contains(o.Command, filepath.Base(os.Args[0])) {
			t.Errorf("unexpected orphan %+v", o)
		}
		members += len(o.Ended)
	}
	if len(ended) != 3 || members != 9 {
		t.Errorf("told of %d orphans with %d processes, want 3 with 9", len(ended), members)
	}
	if n := len(led.Entries()); n != 0 {
		t.Errorf("new ledger has %d entries", n)
	}

	// The other owner's turn: it was alive until now.
	living.Process.Kill()
	living.Wait()
	if _, ended, err = OpenLedger(dir); err != nil || len(ended) != 3 {
		t.Errorf("second sweep: %d orphans, %v", len(ended), err)
	}
	assertGone(t, theirs)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 0 {
		t.Errorf("left in the folder: %v %v", files, err)
	}
}

// forge writes the ledger of an owner that does not exist.
func forge(t *testing.T, dir string, e ledger.Entry) {
	t.Helper()
	self, err := tree.Self()
	if err != nil {
		t.Fatal(err)
	}
	gone := self
	gone.Start--
	data, err := json.Marshal(map[string]any{"owner": gone, "entries": []ledger.Entry{e}})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "9-"+tree.NewMarker()[:8]+".ledger")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOrphanKnownByItsMarkerAlone(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return // no environment of other processes to read
	}
	// The owner died between entering the child and learning its number.
	dir := t.TempDir()
	marker := tree.NewMarker()
	cmd := exec.Command("sleep", "600")
	cmd.Env = tree.Mark(os.Environ(), marker)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	reaped := make(chan struct{})
	go func() { cmd.Wait(); close(reaped) }()
	forge(t, dir, ledger.Entry{ID: "web", Marker: marker})
	_, ended, err := OpenLedger(dir)
	if err != nil || len(ended) != 1 || len(ended[0].Ended) != 1 || ended[0].Ended[0].PID != cmd.Process.Pid {
		t.Errorf("got %+v, %v", ended, err)
		cmd.Process.Kill()
	}
	<-reaped
}

func TestLedgerFollowsTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	led, _, err := OpenLedger(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v %v", info.Mode(), err)
	}
	s := role("stubborn")
	s.ID, s.Grace = "web", 50*time.Millisecond
	p, err := Start(s, Events{}, led)
	if err != nil {
		t.Fatal(err)
	}
	entries := led.Entries()
	if len(entries) != 1 || entries[0].ID != "web" || entries[0].Root.PID != p.Status().PID || entries[0].Root.Start == 0 || len(entries[0].Marker) < 16 {
		t.Errorf("entries %+v", entries)
	}
	if err := p.Restart(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if again := led.Entries(); len(again) != 1 || again[0].Marker == entries[0].Marker {
		t.Errorf("after restart: %+v", again)
	}
	if err := p.Stop(deadline(t), false); err != nil {
		t.Fatal(err)
	}
	if n := len(led.Entries()); n != 0 {
		t.Errorf("%d entries after stop", n)
	}
	if _, err := Start(Spec{Argv: []string{"/no/such/program"}}, Events{}, led); err == nil {
		t.Error("no error")
	}
	if n := len(led.Entries()); n != 0 {
		t.Errorf("%d entries after a failed start", n)
	}
}

func syscallExists(pid int) bool {
	id, err := tree.Identify(pid)
	return err == nil && id.Alive()
}

func TestPortHolders(t *testing.T) {
	p := launch(t, role("serve"), Events{})
	u := await(t, p, Until{Ready: true}).Status.URL
	var port int
	if _, err := fmt.Sscanf(u, "http://127.0.0.1:%d/", &port); err != nil {
		t.Fatal(err)
	}
	holders, err := PortHolders(port)
	if err != nil || len(holders) != 1 {
		t.Fatalf("got %+v, %v", holders, err)
	}
	h := holders[0]
	if h.PID != p.Status().PID || !p.Owns(h) || h.Name == "" || h.Command == "" || len(h.Addresses) != 1 || h.Addresses[0] != "127.0.0.1" || h.Hidden {
		t.Errorf("got %+v", h)
	}
	other := launch(t, role("serve"), Events{})
	if other.Owns(h) {
		t.Error("owned by a stranger")
	}
	stale := h
	stale.Start++
	if err := EndHolder(deadline(t), stale, time.Second); err != nil || !h.Alive() {
		t.Errorf("a holder that is gone: %v; alive: %v", err, h.Alive())
	}
	if err := EndHolder(deadline(t), h, 10*time.Second); err != nil || h.Alive() {
		t.Errorf("end: %v", err)
	}
	await(t, p, Until{Exit: true})
	if holders, err = PortHolders(port); err != nil || len(holders) != 0 {
		t.Errorf("after: %+v, %v", holders, err)
	}
	if _, err := PortHolders(0); err == nil {
		t.Error("port 0: no error")
	}
}
