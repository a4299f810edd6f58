package browser

import (
	"bufio"
	"bytes"
	"context"
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

func TestKilledOwnerLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	const middle = 25 // of 50 cycles
	lines, seen := bufio.NewScanner(out), 0
	for seen < middle && lines.Scan() {
		if lines.Text() != fmt.Sprint(seen) {
			t.Errorf("the owner says %q", lines.Text())
			break
		}
		seen++
	}
	if len(using(t, dir)) == 0 && seen == middle {
		t.Error("no browser ran")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	nobodyUses(t, dir)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d profiles are left to be swept, %v", len(left), err)
	}
	if n, err := Sweep(context.Background(), dir); err != nil || n != 1 {
		t.Errorf("swept %d, %v", n, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
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
