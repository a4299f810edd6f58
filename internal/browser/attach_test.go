package browser

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"oriel/internal/browser/profile"
)

// endpoint starts a browser that listens, as one on a grid does, and returns
// the address of its socket.
func endpoint(t *testing.T) string {
	t.Helper()
	path, err := Find(os.Getenv)
	if err != nil {
		t.Fatalf("the tests of this house need a browser: %v", err)
	}
	home, err := profile.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", "--user-data-dir=" + home.Dir, "--disable-background-networking", "data:text/html,<title>theirs</title>"}
	if os.Geteuid() == 0 {
		args = slices.Insert(args, 0, "--no-sandbox")
	}
	cmd := exec.Command(path, args...)
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		if err := home.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	found := regexp.MustCompile(`DevTools listening on (ws://\S+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := found.FindStringSubmatch(lines.Text()); m != nil {
			go func() { // so that it can go on writing; ends with the process
				for lines.Scan() {
				}
			}()
			return m[1]
		}
	}
	t.Fatal("the browser does not listen")
	return ""
}

// pages are the titles of what is open in a browser.
func pages(t *testing.T, b *Browser) []string {
	t.Helper()
	r, err := cdp.Call(limited(t), b.chrome, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, info := range r.TargetInfos {
		if info.Type == "page" {
			list = append(list, info.Title)
		}
	}
	slices.Sort(list)
	return list
}

func TestAttach(t *testing.T) {
	t.Parallel()
	ctx, socket := limited(t), endpoint(t)
	base := "http" + strings.TrimPrefix(socket[:strings.Index(socket, "/devtools")], "ws")
	watcher, err := Attach(ctx, socket, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close(ctx)
	for _, address := range []string{base, socket, strings.Replace(base, "http", "ws", 1)} {
		b, err := Attach(ctx, address, Options{})
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		tab := openIn(t, b, "<title>ours</title><button onclick='document.title = 1'>Go", Look{Width: 700, Height: 400})
		if _, err := tab.Click(ctx, "text=Go", 0); err != nil {
			t.Error(err)
		}
		if got := evaluate[string](t, tab, "document.title + innerWidth"); got != "1700" {
			t.Errorf("the page sees %s", got)
		}
		if n := len(b.Tabs()); n != 1 {
			t.Errorf("%d tabs are ours, want 1", n)
		}
		if got := pages(t, watcher); len(got) != 2 {
			t.Errorf("open: %q", got)
		}
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
		// Our tab goes, theirs stays.
		var got []string
		for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			if got = pages(t, watcher); len(got) == 1 {
				break
			}
		}
		if !slices.Equal(got, []string{"theirs"}) {
			t.Errorf("left: %q", got)
		}
	}
	empty := httptest.NewServer(http.NotFoundHandler())
	defer empty.Close()
	for _, wrong := range []string{"", "localhost:9222", "ftp://x", empty.URL, "http://127.0.0.1:2", strings.Replace(empty.URL, "http", "ws", 1)} {
		if _, err := Attach(ctx, wrong, Options{}); err == nil {
			t.Errorf("%q is no browser", wrong)
		}
	}
}
