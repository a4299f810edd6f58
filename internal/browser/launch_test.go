package browser

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
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

func TestLaunchFails(t *testing.T) {
	script := func(text string) string {
		path := filepath.Join(t.TempDir(), "browser")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, tt := range map[string]struct {
		options Options
		fits    func(error) bool
	}{
		"it ends at once": {Options{Headless: true, Path: script("echo no usable sandbox >&2; exit 3")}, func(err error) bool {
			_, ok := errors.AsType[*StartError](err)
			return ok && strings.Contains(err.Error(), "no usable sandbox") && strings.Contains(err.Error(), ArgsEnv)
		}},
		"it hangs":         {Options{Headless: true, Path: script("exec sleep 100")}, func(err error) bool { return errors.Is(err, context.DeadlineExceeded) }},
		"it is not there":  {Options{Headless: true, Path: filepath.Join(t.TempDir(), "none")}, func(err error) bool { return errors.Is(err, os.ErrNotExist) }},
		"it was misspelt":  {Options{Headless: true, Env: []string{PathEnv + "=/nowhere"}}, func(err error) bool { return strings.Contains(err.Error(), PathEnv) }},
		"it has no window": {Options{Env: []string{"PATH=" + os.Getenv("PATH")}}, func(err error) bool { return runtime.GOOS != "linux" || errors.Is(err, ErrNoDisplay) }},
	} {
		t.Run(name, func(t *testing.T) {
			tt.options.Dir = t.TempDir()
			ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
			defer cancel()
			if _, err := Launch(ctx, tt.options); err == nil || !tt.fits(err) {
				t.Errorf("got %v", err)
			}
			if left, err := os.ReadDir(tt.options.Dir); err != nil || len(left) > 0 {
				t.Errorf("profiles left: %v, %v", left, err)
			}
		})
	}
}
