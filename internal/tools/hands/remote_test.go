package hands

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"oriel/internal/browser"
	"oriel/internal/tool"
)

// grid starts a browser that listens, as one on a browser grid does, and
// returns the address it is reached at.
func grid(t *testing.T) string {
	t.Helper()
	path, err := browser.Find(os.Getenv)
	if err != nil {
		t.Fatalf("the tests of this house need a browser: %v", err)
	}
	dir, err := os.MkdirTemp("", "g")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0", "--user-data-dir=" + dir, "--disable-background-networking"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
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
		for deadline := time.Now().Add(10 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond) // its children write until they notice
		}
	})
	found := regexp.MustCompile(`DevTools listening on ws://([^/\s]+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := found.FindStringSubmatch(lines.Text()); m != nil {
			go func() { // so that it can go on writing; ends with the process
				for lines.Scan() {
				}
			}()
			return "http://" + m[1]
		}
	}
	t.Fatal("the browser does not listen")
	return ""
}

// TestBrowserElsewhere: with ORIEL_BROWSER_URL in the caller's environment, the
// same tool drives a browser that runs elsewhere, and leaves it running.
func TestBrowserElsewhere(t *testing.T) {
	h := newHouse(t)
	address := grid(t)
	from := func(url string) tool.Origin {
		return tool.Origin{Dir: h.dir, Env: append(os.Environ(), browser.URLEnv+"="+url, browser.PathEnv+"=/nowhere")}
	}
	do := func(url, args string) tool.Result {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return h.call.Call(ctx, tool.Call{Tool: "browser", Args: json.RawMessage(args), From: from(url)})
	}
	if r := do("http://127.0.0.1:2", `{"action":"open","url":"`+h.shop+`"}`); !r.IsError || !strings.Contains(r.Text, "attach to browser at http://127.0.0.1:2") {
		t.Errorf("nobody listens there: %s", r.Text)
	}
	if r := do(address, `{"action":"open","url":"`+h.shop+`"}`); r.IsError || !strings.Contains(r.Text, `"Shop"`) {
		t.Fatalf("open: %s", r.Text)
	}
	b := h.workspace().Browsers()
	if len(b) != 1 || b[0].Place() != address || b[0].PID() != 0 {
		t.Fatalf("browsers: %v", b)
	}
	if r := do(address, `{"action":"click","selector":"text=Ask"}`); r.IsError || !strings.Contains(r.Text, `alert "Out of stock" was answered with OK`) {
		t.Errorf("click: %s", r.Text)
	}
	if r := do(address, `{"action":"close"}`); r.IsError {
		t.Errorf("close: %s", r.Text)
	}
	// It is still there for the next one.
	if r := do(address, `{"action":"open","url":"`+h.shop+`/thanks"}`); r.IsError || !strings.Contains(r.Text, `"Thanks"`) {
		t.Errorf("again: %s", r.Text)
	}
}
