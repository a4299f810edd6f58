package engine

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"oriel/internal/journal"
)

// eventually asks until the answer is yes, or the time is up.
func eventually(t *testing.T, what string, ask func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ask(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20s", what)
		}
	}
}

func serve(t *testing.T, status int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Tenant", "blue")
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func edit(t *testing.T, w *Workspace, file string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Root, ".oriel.kdl"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	w.refresh(false)
}

// A proxy of the file follows the file, on the port it has.
func TestProxyFollowsItsDefinition(t *testing.T) {
	one, two := serve(t, 201), serve(t, 202)
	file := `proxies { front { target %q; autostart true } }`
	w := open(t, fmt.Sprintf(file, one))
	url := started(t, w, "front").URL()
	if got := get(t, url); got != 201 {
		t.Fatalf("got %d", got)
	}
	edit(t, w, ``) // just being written
	edit(t, w, `proxies {`)
	edit(t, w, fmt.Sprintf(file, two))
	eventually(t, "the new target answers", func() bool {
		resp, err := http.Get(url)
		if err != nil {
			return false // between the two
		}
		resp.Body.Close()
		return resp.StatusCode == 202
	})
	if p := w.Problems(); len(p) > 0 {
		t.Errorf("problems: %q", p)
	}
}

// What was started by hand, or otherwise than the file says, is not the file's
// to change; nor is what the file no longer holds.
func TestProxyOfAnotherHandStays(t *testing.T) {
	one, two := serve(t, 201), serve(t, 202)
	w := open(t, fmt.Sprintf(`proxies { front { target %q } }`, two))
	p, err := w.StartProxy(t.Context(), ProxySpec{ID: "front", Target: one})
	if err != nil {
		t.Fatal(err)
	}
	edit(t, w, fmt.Sprintf(`proxies { front { target %q; insecure-tls true } }`, two))
	edit(t, w, `linger "1s"`)
	if now, err := w.Proxy("front"); err != nil || now != p {
		t.Errorf("the proxy was replaced: %v", err)
	}
}

// redact and body-limit count for proxies that run, too.
func TestRunningProxyRedactsWhatTheFileNames(t *testing.T) {
	target := serve(t, 200)
	w := open(t, fmt.Sprintf(`proxies { front { target %q; autostart true } }`, target))
	first := started(t, w, "front")
	url := first.URL()
	edit(t, w, fmt.Sprintf("redact \"x-tenant\"\nproxies { front { target %q; autostart true } }", target))
	eventually(t, "the proxy is another", func() bool { p, err := w.Proxy("front"); return err == nil && p != first })
	get(t, url+"/after")
	kept := func() []journal.Entry { return w.Journal.Select(journal.Query{Proxy: "front"}).Entries }
	eventually(t, "the answer is recorded", func() bool { return len(kept()) > 0 })
	if got := kept()[0].HTTP.ResponseHead.Get("X-Tenant"); got == "" || got == "blue" {
		t.Errorf("X-Tenant is kept as %q", got)
	}
	// A file that cannot be read, or is just being written, takes no protection away.
	second, _ := w.Proxy("front")
	edit(t, w, `redact "x-tenant`)
	edit(t, w, ``)
	if now, err := w.Proxy("front"); err != nil || now != second {
		t.Errorf("replaced because of a broken file: %v", err)
	}
}

// A task that others depend on is done once, however many they are.
func TestTaskOfTheAutostartRunsOnce(t *testing.T) {
	w := open(t, `scripts {
  migrate { run "echo ran >> ran"; }
  app { run "echo app up; sleep 100"; ready-pattern "app up"; depends-on "migrate"; autostart true; }
  worker { run "echo worker up; sleep 100"; ready-pattern "worker up"; depends-on "migrate"; autostart true; }
}`)
	for _, id := range []string{"app", "worker"} {
		if err := w.awaitAttempt(t.Context(), scriptKey(id)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Process(id); err != nil {
			t.Errorf("%v; problems: %q", err, w.Problems())
		}
	}
	if ran, err := os.ReadFile(filepath.Join(w.Root, "ran")); err != nil || string(ran) != "ran\n" {
		t.Errorf("it ran %q, %v", ran, err)
	}
}
