package browser

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// using lists the living processes that have dir in their command line.
func using(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && bytes.Contains(line, []byte("user-data-dir="+dir)) {
			list = append(list, entry.Name()+" "+strings.ReplaceAll(string(line[:min(len(line), 80)]), "\x00", " "))
		}
	}
	return list
}

func nobodyUses(t *testing.T, dir string) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := using(t, dir)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("processes left: %q", left)
		}
	}
}

// TestKilledOwnerLeavesNothing: of fifty times that a page is opened and closed,
// the owner is killed in the middle, and the next one does the rest.
func TestKilledOwnerLeavesNothing(t *testing.T) {
	t.Parallel()
	const middle, cycles = 25, 50
	dir, temp := t.TempDir(), shortDir(t)
	child, lines := owner(t, dir, temp)
	seen := counted(t, lines, middle)
	if len(using(t, dir)) == 0 && seen == middle {
		t.Error("no browser ran")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	nobodyUses(t, dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("%d profiles are left to be swept, %v", len(left), err)
	}
	child, lines = owner(t, dir, temp, cyclesEnv+"="+fmt.Sprint(cycles-middle))
	seen += counted(t, lines, cycles-middle)
	for lines.Scan() {
		t.Errorf("the owner says %q", lines.Text())
	}
	if err := child.Wait(); err != nil || seen != cycles {
		t.Errorf("%d cycles, %v", seen, err)
	}
	nobodyUses(t, dir)
	for _, place := range []string{dir, temp} {
		if left, err := os.ReadDir(place); err != nil || len(left) != 0 {
			t.Errorf("left in %s: %v, %v", place, left, err)
		}
	}
}

// owner starts a process that opens and closes pages, and returns what it says.
func owner(t *testing.T, dir, temp string, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(append(os.Environ(), childEnv+"="+dir, "TMPDIR="+temp), env...)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = child.Process.Kill() }) // when the test ends early
	return child, bufio.NewScanner(out)
}

// counted reads the cycles of an owner up to a number, and returns how many
// there were.
func counted(t *testing.T, lines *bufio.Scanner, most int) int {
	t.Helper()
	seen := 0
	for seen < most && lines.Scan() {
		if lines.Text() != fmt.Sprint(seen) {
			t.Errorf("the owner says %q", lines.Text())
			break
		}
		seen++
	}
	return seen
}

// shortDir is a folder with a path that leaves room for a socket's.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestKilledBrowserLeavesNothing: a browser that is killed cannot clear up
// after itself, so its owner does.
func TestKilledBrowserLeavesNothing(t *testing.T) {
	t.Parallel()
	ctx, dir, temp := limited(t), t.TempDir(), shortDir(t)
	b, err := Launch(ctx, Options{Headless: true, Dir: dir, Env: append(os.Environ(), "TMPDIR="+temp)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(ctx, "data:text/html,<p>x", Look{}); err != nil {
		t.Fatal(err)
	}
	own := b.profile.Temp
	if left, err := os.ReadDir(own); err != nil || len(left) == 0 {
		t.Errorf("the browser does not use the folder %s: %v", own, err)
	}
	process, err := os.FindProcess(b.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-b.Done()
	if err := b.Close(ctx); err != nil {
		t.Error(err)
	}
	nobodyUses(t, dir)
	for _, place := range []string{dir, temp} {
		if left, err := os.ReadDir(place); err != nil || len(left) != 0 {
			t.Errorf("left in %s: %v, %v", place, left, err)
		}
	}
	if _, err := os.Stat(own); err == nil {
		t.Errorf("%s is still there", own)
	}
}

func TestTabsAreClosed(t *testing.T) {
	t.Parallel()
	ctx, dir := limited(t), t.TempDir()
	b, err := Launch(ctx, Options{Headless: true, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	for n := range 25 {
		tab, err := b.Open(ctx, "data:text/html,<title>t</title>"+fmt.Sprint(n), Look{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.Close(ctx); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("25 cycles in %s", time.Since(begun))
	r, err := cdp.Call(ctx, b.chrome, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, info := range r.TargetInfos {
		if info.Type == "page" && info.URL != "about:blank" {
			pages++
		}
	}
	if pages > 0 || len(b.Tabs()) > 0 {
		t.Errorf("%d pages and %d tabs are left", pages, len(b.Tabs()))
	}
	begun = time.Now()
	if err := b.Close(ctx); err != nil {
		t.Error(err)
	}
	t.Logf("closed in %s", time.Since(begun))
	nobodyUses(t, dir)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
