package audit

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistory(t *testing.T) {
	key := Key{Proxy: "dev", Path: PagePath("http://127.0.0.1:4000/shop?page=1#top"), Audit: "api"}
	fan := finding(nPlusOne, "260f73", Warning, "/api/users/{id}", "12× /api/users/{id} → batch")
	var h History

	first := page{score: 74, calls: 40, issues: 3, findings: append(duplicates(2), fan, note())}.report(t)
	h.Compare(key, &first)
	if first.SinceLast != nil || strings.Contains(first.Text(TextOptions{}), "since last audit") {
		t.Error("the first audit has something to compare with")
	}

	empty := page{score: 100}.report(t)
	h.Compare(key, &empty)
	if empty.SinceLast != nil {
		t.Error("an empty report was compared")
	}

	second := page{score: 84, calls: 29, issues: 2, findings: append(duplicates(2), note())}.report(t)
	h.Compare(Key{Proxy: "dev", Path: PagePath("http://127.0.0.1:4000/shop?page=2"), Audit: "api"}, &second)
	want := &Change{
		Since: "2026-11-15T10:00:00.000Z", AnalyzedThen: 40, AnalyzedNow: 29,
		Fixed: []Past{{"n-plus-one-260f73", "n-plus-one", "/api/users/{id}"}}, New: []string{}, Unchanged: []string{"duplicate-call-000000", "duplicate-call-000001"},
	}
	if diff := cmp.Diff(want, second.SinceLast); diff != "" {
		t.Error(diff)
	}
	golden(t, "history.txt", second.Text(TextOptions{}))

	third := page{score: 82, calls: 12, issues: 2, findings: append(duplicates(1), fan, note())}.report(t)
	h.Compare(key, &third)
	if c := third.SinceLast; len(c.Fixed) != 1 || len(c.New) != 1 || len(c.Unchanged) != 1 {
		t.Errorf("%+v", c)
	}
	if text := third.Text(TextOptions{}); !strings.Contains(text, "\nsince last audit: fixed 1, new 1, unchanged 1 (29 calls then, only 12 now: was the same flow exercised?)\n") {
		t.Errorf("a page that was not exercised looks repaired:\n%s", text)
	}

	for name, other := range map[string]Key{
		"proxy":   {Proxy: "other", Path: "/shop", Audit: "api"},
		"path":    {Proxy: "dev", Path: "/", Audit: "api"},
		"audit":   {Proxy: "dev", Path: "/shop", Audit: "loading"},
		"project": {Project: "p", Proxy: "dev", Path: "/shop", Audit: "api"},
	} {
		r := page{score: 90, calls: 3, issues: 1, findings: []Finding{fan}}.report(t)
		if h.Compare(other, &r); r.SinceLast != nil {
			t.Errorf("another %s was compared with", name)
		}
	}
}

func TestPagePath(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:1/a/b?q#f": "/a/b", "http://h": "/", "": "/", "http://h/a%2Fb": "/a%2Fb", "http://h/ä": "/%C3%A4", "://": "/",
	} {
		if got := PagePath(in); got != want {
			t.Errorf("PagePath(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestHistoryIsBounded(t *testing.T) {
	var h History
	r := page{score: 90, calls: 3, issues: 1, findings: duplicates(1)}.report(t)
	keyOf := func(i int) Key { return Key{Proxy: "dev", Path: fmt.Sprint("/", i), Audit: "api"} }
	for i := range maxPages + 10 {
		h.Compare(keyOf(i), &r)
	}
	if len(h.visits) != maxPages {
		t.Errorf("%d pages", len(h.visits))
	}
	for i, known := range map[int]bool{9: false, 10: true, maxPages + 9: true} {
		again := page{score: 90, calls: 3, issues: 1, findings: duplicates(1)}.report(t)
		probe := History{visits: append([]visit(nil), h.visits...)}
		if probe.Compare(keyOf(i), &again); (again.SinceLast != nil) != known {
			t.Errorf("page %d: known %v, want %v", i, !known, known)
		}
	}
	many := r
	many.Findings = nil
	for i := range maxPastFindings {
		many.Findings = append(many.Findings, finding(duplicate, fmt.Sprintf("%06x", i), Warning, "/x", "m"))
	}
	h.Compare(keyOf(-1), &many)
	if len(h.visits) != 1 {
		t.Errorf("%d pages remain beside one with %d findings", len(h.visits), maxPastFindings)
	}
}

func TestHistorySurvivesARestart(t *testing.T) {
	var h, restored History
	key := Key{Project: "p", Proxy: "dev", Path: "/", Audit: "api"}
	r := page{score: 90, calls: 3, issues: 1, findings: duplicates(1)}.report(t)
	h.Compare(key, &r)
	var file bytes.Buffer
	if err := h.Save(&file); err != nil {
		t.Fatal(err)
	}
	if err := restored.Load(bytes.NewReader(file.Bytes())); err != nil {
		t.Fatal(err)
	}
	if restored.Compare(key, &r); r.SinceLast == nil || len(r.SinceLast.Unchanged) != 1 {
		t.Errorf("after the restart: %+v", r.SinceLast)
	}
	for _, broken := range []string{"", "{", `{"version":2,"visits":[]}`, `[]`, file.String()[:20]} {
		if err := restored.Load(strings.NewReader(broken)); err == nil {
			t.Errorf("%q was loaded", broken)
		}
	}
	if len(restored.visits) != 1 {
		t.Error("a broken file emptied the history")
	}
	restored.Forget("other", "dev")
	if len(restored.visits) != 1 {
		t.Error("another project's proxy was forgotten")
	}
	if restored.Forget("p", "dev"); len(restored.visits) != 0 {
		t.Error("the proxy is still remembered")
	}
}

func TestHistoryFromManySides(t *testing.T) {
	var h History
	var wg sync.WaitGroup
	for i := range 8 {
		r := page{score: 90, calls: 3, issues: 1, findings: duplicates(1)}.report(t)
		wg.Go(func() {
			for range 50 {
				h.Compare(Key{Proxy: fmt.Sprint(i % 2)}, &r)
				if err := h.Save(&bytes.Buffer{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(h.visits) != 2 {
		t.Errorf("%d pages, want 2", len(h.visits))
	}
}
