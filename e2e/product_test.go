package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel/internal/demo"
)

// TestProduct is the whole way of the main job: a page in Chromium, the proxy,
// the tools.
func TestProduct(t *testing.T) {
	shop := httptest.NewServer(demo.Handler(demo.Options{}))
	defer shop.Close()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, root)
	s.call("proxy", `{"action":"start","id":"shop","target_url":"`+shop.URL+`"}`)
	url := s.field("proxy", `{"action":"status"}`, "url")
	page := tab(t, browser(t), url+"/?token=s3cret")
	awaitTrue(t, page, "'ready' in document.documentElement.dataset && __devtool_api.getStats().inFlight === 0")

	// Load times are reported once the page has come to rest.
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(s.call("currentpage", `{"action":"get"}`), "dcl "); {
		if time.Now().After(deadline) {
			t.Fatal("no load times were reported")
		}
	}
	for _, want := range []struct {
		tool, args string
		has        []string
	}{
		{"proxy", `{"action":"status"}`, []string{"1 open page"}},
		{"proxy", `{"action":"exec","code":"document.querySelectorAll('[data-product]').length"}`, []string{"12"}},
		{"api_audit", `{"proxy_id":"shop"}`, []string{
			"=== API Efficiency Audit: ", "calls analyzed", "n-plus-one (1)\n  [warning] /api/products/{id}/stock — 12× /api/products/{id}/stock → batch\n    ↳ src/ProductList.ts:",
			"duplicate-call (2)", "src/cart.ts:", "over-fetch-unavailable (1)",
		}},
		{"currentpage", `{}`, []string{"on proxy shop: " + url + "/?token=[redacted]"}},
		{"currentpage", `{"action":"get"}`, []string{"measured: ", "dcl ", "visits, of 1:", "errors, of 2:", "last calls, of 26:", "api_audit"}},
		{"proxylog", `{"types":["console","error"]}`, []string{"console.error", "autumn-lookbook"}},
		{"proxylog", `{"action":"summary"}`, []string{"5xx 1", "/api/cart"}},
		{"proxylog", `{"types":["navigation"]}`, []string{"token=[redacted]"}},
	} {
		got := s.call(want.tool, want.args)
		for _, part := range want.has {
			if !strings.Contains(got, part) {
				t.Errorf("%s %s has no %q:\n%s", want.tool, want.args, part, got)
			}
		}
		if len(got) > 4<<10 {
			t.Errorf("%s %s takes %d bytes", want.tool, want.args, len(got))
		}
		if strings.Contains(got, "s3cret") {
			t.Errorf("%s %s shows a secret:\n%s", want.tool, want.args, got)
		}
	}
	// The second audit of the same page has nothing new to say.
	if got := s.call("api_audit", `{"proxy_id":"shop"}`); !strings.Contains(got, "fixed 0, new 0") {
		t.Errorf("the second audit: %s", got)
	}
	evidence(t, s)
	empty(t, s)
}

// evidence follows the call that an audit ends with.
func evidence(t *testing.T, s *session) {
	_, rest, ok := strings.Cut(s.call("api_audit", `{"proxy_id":"shop"}`), "duplicate-call")
	_, rest, ok2 := strings.Cut(rest, "→ proxylog ")
	args, _, _ := strings.Cut(rest, "\n")
	if !ok || !ok2 || !json.Valid([]byte(args)) {
		t.Fatalf("no call that digs deeper: %q", args)
	}
	if got := s.call("proxylog", args); !strings.Contains(got, "GET /api/cart 200") {
		t.Errorf("proxylog %s:\n%s", args, got)
	}
}

// empty is the seed's rule for a buffer without calls.
func empty(t *testing.T, s *session) {
	s.call("proxy", `{"action":"exec","code":"__devtool_api.clear()"}`)
	want := "=== API Efficiency Audit: A (100) ===\nAPI efficiency is good. (0 calls analyzed)\nno API calls recorded — reload page then re-run\n"
	if got := s.call("api_audit", `{"id":"shop"}`); !strings.HasPrefix(got, want) {
		t.Errorf("an empty buffer:\n%s", got)
	}
	var report struct {
		Score    int    `json:"score"`
		Summary  string `json:"summary"`
		Findings []any  `json:"findings"`
	}
	raw := s.call("api_audit", `{"id":"shop","raw":true}`)
	if err := json.Unmarshal([]byte(raw), &report); err != nil {
		t.Fatal(err)
	}
	if report.Score != 100 || len(report.Findings) != 0 || report.Summary != "API efficiency is good. (0 calls analyzed). no API calls recorded — reload page then re-run" {
		t.Errorf("an empty buffer, raw: %s", raw)
	}
}

// TestAuditThatCannotLoad: a connected page whose audit file is refused.
func TestAuditThatCannotLoad(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte("<!doctype html><title>x</title><p>x"))
	}))
	defer site.Close()
	s := newSession(t, t.TempDir())
	s.call("proxy", `{"action":"start","id":"x","target_url":"`+site.URL+`"}`)
	page := tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url"))
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.call("proxy", `{"action":"status"}`), "1 open page"); {
		if time.Now().After(deadline) {
			t.Fatal("the page never connected")
		}
	}
	do(t, page, "__devtool.load = () => Promise.reject(new Error('no'))")
	if got := s.fail("api_audit", `{"proxy_id":"x"}`); got != `{"error":"audit-api module not loaded"}` {
		t.Errorf("got %s", got)
	}
	if got := s.fail("api_audit", `{"proxy_id":"y"}`); got != `{"error":"proxy not found: y"}` {
		t.Errorf("got %s", got)
	}
	if got := s.fail("api_audit", `{}`); got != "{\"error\":\"proxy_id required (or `id` alias)\"}" {
		t.Errorf("got %s", got)
	}
}
