package engine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"oriel/internal/journal"
	"oriel/internal/process"
)

// open makes a project with this file, and attaches a client to it.
func open(t *testing.T, file string) *Workspace {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	e, err := New(Options{State: t.TempDir(), Linger: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		e.Close(context.Background())
	})
	w, err := e.Enter(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	begun := make(chan struct{})
	go w.Attach(ctx, os.Environ(), func() { close(begun) })
	<-begun
	return w
}

// started waits for a proxy that starts by itself.
func started(t *testing.T, w *Workspace, id string) *Proxy {
	t.Helper()
	if err := w.awaitAttempt(t.Context(), proxyKey(id)); err != nil {
		t.Fatal(err)
	}
	p, err := w.Proxy(id)
	if err != nil {
		t.Fatalf("%v; problems: %q", err, w.Problems())
	}
	return p
}

func get(t *testing.T, url string) int {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// TestKeysOfAProxy: each key of a proxy changes what the proxy does.
func TestKeysOfAProxy(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "twelve bytes")
	})
	plain, secure := httptest.NewServer(answer), httptest.NewTLSServer(answer)
	defer plain.Close()
	defer secure.Close()
	spare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := spare.Addr().(*net.TCPAddr).Port
	spare.Close()
	w := open(t, fmt.Sprintf(`proxies {
  trusting { target %[1]q; insecure-tls true; autostart true; }
  strict { target %[1]q; autostart true; }
  placed { target %[2]q; port %[3]d; bind "localhost"; autostart true; }
  public { target %[2]q; public-url "http://dev.example"; autostart true; }
  waiting { target %[2]q; }
}
body-limit 6
`, secure.URL, plain.URL, port))

	if code := get(t, started(t, w, "trusting").URL()); code != http.StatusOK {
		t.Errorf("insecure-tls: %d", code)
	}
	if code := get(t, started(t, w, "strict").URL()); code != http.StatusBadGateway {
		t.Errorf("without insecure-tls: %d", code)
	}
	placed := started(t, w, "placed")
	if placed.Port() != port || placed.Spec.Bind != "localhost" {
		t.Errorf("port and bind: %d, %q", placed.Port(), placed.Spec.Bind)
	}
	if code := get(t, placed.URL()); code != http.StatusOK {
		t.Errorf("bind: %d", code)
	}
	if got := started(t, w, "public").URL(); got != "http://dev.example" {
		t.Errorf("public-url: %s", got)
	}
	if _, err := w.Proxy("waiting"); err == nil {
		t.Error("a proxy without autostart was started")
	}
	kept := func() []journal.Entry { return w.Journal.Select(journal.Query{Proxy: "placed"}).Entries }
	for deadline := time.Now().Add(10 * time.Second); len(kept()) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was recorded")
		}
	}
	if body := kept()[0].HTTP.ResponseBody; string(body.Data) != "twelve" || !body.Cut || body.Size != 12 {
		t.Errorf("body-limit: %q, cut %v, of %d", body.Data, body.Cut, body.Size)
	}
}

// TestKeysOfReadiness: a script is ready when its file says so, not before.
func TestKeysOfReadiness(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler())
	defer site.Close()
	spare, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := spare.Addr().(*net.TCPAddr)
	spare.Close()
	w := open(t, fmt.Sprintf(`scripts {
  by-url { run "sleep 100"; ready-url %q; autostart true; }
  by-port { run "sleep 100"; ready-port %d; autostart true; }
}
`, site.URL, addr.Port))
	p, err := w.AwaitProcess(t.Context(), "by-url")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := p.Wait(t.Context(), process.Until{Ready: true}); err != nil || m.Reason != process.ByReady {
		t.Errorf("ready-url: %+v, %v", m, err)
	}
	late, err := w.AwaitProcess(t.Context(), "by-port")
	if err != nil {
		t.Fatal(err)
	}
	if st := late.Status(); st.State != process.StateStarting {
		t.Errorf("ready-port: %s before anything listens", st.State)
	}
	l, err := net.Listen("tcp", addr.String())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if m, err := late.Wait(t.Context(), process.Until{Ready: true}); err != nil || m.Reason != process.ByReady {
		t.Errorf("ready-port: %+v, %v", m, err)
	}
}
