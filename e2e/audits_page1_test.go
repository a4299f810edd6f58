package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"oriel/internal/audit"
)

// auditSite is a proxy of the product before a server of the test's own.
func auditSite(t *testing.T, site http.Handler) string {
	t.Helper()
	target := httptest.NewServer(site)
	t.Cleanup(target.Close)
	s := newSession(t, t.TempDir())
	s.call("proxy", `{"action":"start","id":"audits","target_url":"`+target.URL+`"}`)
	return s.field("proxy", `{"action":"status"}`, "url")
}

// auditIn runs one audit of the page and reads its report as the tools do.
func auditIn(t *testing.T, page context.Context, helper string) audit.Report {
	t.Helper()
	text := eval[string](t, page, fmt.Sprintf(`__devtool.%s().then ? __devtool.%[1]s().then(JSON.stringify) : JSON.stringify(__devtool.%[1]s())`, helper))
	r, err := audit.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

// bigPage is a page of about 2,000 elements: cards with headings, text, links,
// images, forms, some of it at fault.
func bigPage() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Big</title>
<style>body{font:16px sans-serif;color:#222;background:#fff}.card{border:1px solid #ccc;padding:8px}.dim{color:#bbb}.grid{display:grid;grid-template-columns:repeat(4,1fr)}</style></head><body><main><h1>Big page</h1><div class="grid">`)
	for i := range 154 {
		fmt.Fprintf(&b, `<section class="card" aria-label="Card %d"><h2>Card %d</h2><p>Some text of the card with <a href="/item/%[1]d">a link to item %[1]d</a> and <em>stress</em>.</p>
<ul><li>one</li><li class="dim">two</li><li>three</li></ul><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="10" height="10"%[3]s><label>Name <input name="n%[1]d"></label><button type="button">Buy %[1]d</button></section>`,
			i, i, map[bool]string{true: ``, false: ` alt="a dot"`}[i%10 == 0])
	}
	b.WriteString(`</div></main></body></html>`)
	return b.String()
}

// TestAuditAllOfABigPage: every audit of 2,000 elements, what it costs, and
// that the page is afterwards what it was. The figures are logged, not judged.
func TestAuditAllOfABigPage(t *testing.T) {
	url := auditSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, bigPage())
	}))
	page := tab(t, browser(t), url+"/")
	awaitTrue(t, page, "document.readyState === 'complete'")
	got := eval[string](t, page, `(async () => {
		const names = () => Object.getOwnPropertyNames(window).sort().join();
		const html = () => document.documentElement.outerHTML;
		let tasks = [], start = 0;
		await __devtool.load("audits");
		await __devtool.load("axe");
		new PerformanceObserver((l) => tasks.push(...l.getEntries().map((e) => Math.round(e.duration) + "@" + Math.round(e.startTime - start)))).observe({type: "longtask"});
		await new Promise((r) => setTimeout(r, 200));
		const before = { html: html(), names: names(), calls: __devtool_api.getCalls().length, scroll: [scrollX, scrollY], active: document.activeElement };
		tasks = [];
		start = performance.now();
		const all = await __devtool.auditAll();
		const ms = performance.now() - start;
		await new Promise((r) => setTimeout(r, 200));
		return JSON.stringify({
			elements: document.querySelectorAll("*").length, ms: Math.round(ms), perAudit: all.ms, tasks, longest: all.longestTaskMs, failed: all.failed, score: all.score, grade: all.grade,
			measured: all.measured, unmeasured: all.unmeasured,
			same: before.html === html(), sameNames: before.names === names(), calls: __devtool_api.getCalls().length - before.calls,
			sameView: before.scroll[0] === scrollX && before.scroll[1] === scrollY && before.active === document.activeElement, axe: typeof window.axe,
			findings: all.audits.flatMap((r) => r.findings.map((f) => r.audit + "/" + f.type + " " + f.severity + " " + f.weight + " " + f.selector + " — " + f.message)),
		});
	})()`)
	var r struct {
		Elements, Ms, Calls, Longest   int
		Same, SameNames, SameView      bool
		Axe, Grade                     string
		Score                          *int
		PerAudit                       map[string]float64
		Tasks                          []string
		Failed                         []struct{ Audit, Error string }
		Findings, Measured, Unmeasured []string
	}
	if err := json.Unmarshal([]byte(got), &r); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d elements: %d ms in all, per audit %v, long tasks %v ms, score %v %s, measured %v", r.Elements, r.Ms, r.PerAudit, r.Tasks, *r.Score, r.Grade, r.Measured)
	for _, f := range r.Findings {
		t.Log(f)
	}
	if !r.Same || !r.SameNames || !r.SameView || r.Calls != 0 || r.Axe != "undefined" {
		t.Errorf("the page is not what it was: html %t, window's names %t, view %t, %d calls more, axe %s", r.Same, r.SameNames, r.SameView, r.Calls, r.Axe)
	}
	if len(r.Failed) > 0 {
		t.Errorf("failed: %v", r.Failed)
	}
	if r.Elements < 1900 || r.Elements > 2200 {
		t.Errorf("%d elements", r.Elements)
	}
	for _, want := range []string{"accessibility/image-alt critical", "accessibility/color-contrast warning"} {
		if !strings.Contains(strings.Join(r.Findings, "\n"), want) {
			t.Errorf("no %s", want)
		}
	}
}
