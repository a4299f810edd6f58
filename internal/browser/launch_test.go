package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

// limited is the most that one test may take.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// launch starts a browser that ends with the test. A machine without one
// fails the test: what it shows cannot be shown otherwise.
func launch(t *testing.T) *Browser {
	t.Helper()
	dir := t.TempDir()
	b, err := Launch(limited(t), Options{Headless: true, Dir: dir})
	if err != nil {
		t.Fatalf("the tests of this house need a browser: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("profiles left: %v, %v", left, err)
		}
	})
	return b
}

// site serves documents by path.
func site(t *testing.T, documents map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := documents[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if strings.HasSuffix(r.URL.Path, ".bin") {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func evaluate[T any](t *testing.T, tab *Tab, code string) T {
	t.Helper()
	var v T
	text, err := tab.Eval(limited(t), code)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatalf("evaluate %.80q: %v", code, err)
	}
	return v
}

func TestOpenAndClose(t *testing.T) {
	ctx, b := limited(t), launch(t)
	url := site(t, map[string]string{"/": "<title>One</title><p>1", "/two": "<title>Two</title>"})
	one, err := b.Open(ctx, url+"/", Look{})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := one.Info(ctx); err != nil || info.Title != "One" || info.URL != url+"/" || info.Status != 200 || !info.Loaded {
		t.Errorf("got %+v, %v", info, err)
	}
	two, err := b.Open(ctx, url+"/two", Look{})
	if err != nil {
		t.Fatal(err)
	}
	if tabs := b.Tabs(); len(tabs) != 2 || tabs[0] != one || tabs[1] != two || one.ID() == two.ID() {
		t.Errorf("tabs: %v", tabs)
	}
	if err := one.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Eval(ctx, "1"); !errors.Is(err, ErrTabClosed) {
		t.Errorf("a closed tab answers %v", err)
	}
	if err := two.Close(ctx); err != nil {
		t.Fatal(err)
	}
	// Without any tab the browser stays.
	three, err := b.Open(ctx, url+"/missing", Look{})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := three.Info(ctx); err != nil || info.Status != 404 {
		t.Errorf("got %+v, %v", info, err)
	}
	if _, err := b.Open(ctx, "http://127.0.0.1:1/", Look{}); err == nil || !strings.Contains(err.Error(), "ERR_") {
		t.Errorf("an unreachable page: %v", err)
	}
	if n := len(b.Tabs()); n != 1 {
		t.Errorf("%d tabs, want 1", n)
	}
}
