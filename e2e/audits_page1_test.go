package e2e

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/performancetimeline"
	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/txtar"

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

// auditIn runs one audit of the page, told what the proxy saw, and reads its
// report as the tools do.
func auditIn(t *testing.T, page context.Context, helper string, seen ...string) audit.Report {
	t.Helper()
	text := eval[string](t, page, fmt.Sprintf(`Promise.resolve(__devtool.%s(%s)).then((report) => JSON.stringify(report))`, helper, strings.Join(seen, "")))
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

// ruleFixture is one page of testdata/audits/<audit>/pages.txtar, named
// <rule>/bad[-more].html or <rule>/good[-more].html. What does not begin with
// <!doctype is put into a sound page: after `<!-- head -->` into its head. A
// page that is not ready when it has loaded has data-wait on <html>; its
// #click is clicked; `<!-- slow -->` comes late, `<!-- redirected -->` by a
// slow redirect, and `<!-- seen {…} -->` is what the audit is told.
type ruleFixture struct {
	name, rule string
	bad        bool
	html       string
}

func ruleFixtures(t *testing.T, name string) []ruleFixture {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "audits", name, "pages.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []ruleFixture
	for _, file := range archive.Files {
		rule, kind, ok := strings.Cut(strings.TrimSuffix(file.Name, ".html"), "/")
		if !ok || !strings.HasPrefix(kind, "bad") && !strings.HasPrefix(kind, "good") {
			t.Fatalf("%s is no page of a rule", file.Name)
		}
		html := string(file.Data)
		if !strings.HasPrefix(html, "<!doctype") {
			head, body := "", html
			if rest, ok := strings.CutPrefix(html, "<!-- head -->"); ok {
				head, body = rest, ""
			}
			html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">` +
				head + `</head><body><main><h1>A page</h1>` + body + `</main></body></html>`
		}
		pages = append(pages, ruleFixture{rule + "/" + kind, rule, strings.HasPrefix(kind, "bad"), html})
	}
	return pages
}

// auditFiles serves the pages, and what they load.
func auditFiles(pages []ruleFixture) http.Handler {
	mux := http.NewServeMux()
	delay := func(r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		wait(r.Context(), time.Duration(ms)*time.Millisecond)
	}
	size := func(r *http.Request, name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name))
		return min(n, 4<<20)
	}
	for _, p := range pages {
		mux.HandleFunc("/page/"+p.name, func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(p.html, "<!-- slow -->") {
				wait(r.Context(), 900*time.Millisecond)
			}
			if strings.Contains(p.html, "<!-- redirected -->") && r.URL.RawQuery == "" {
				wait(r.Context(), 300*time.Millisecond)
				http.Redirect(w, r, r.URL.Path+"?there", http.StatusFound)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, p.html)
		})
	}
	mux.HandleFunc("/slow.css", func(w http.ResponseWriter, r *http.Request) {
		delay(r)
		w.Header().Set("Content-Type", "text/css")
		io.WriteString(w, "p { margin: 1em }")
	})
	mux.HandleFunc("/picture.png", func(w http.ResponseWriter, r *http.Request) {
		delay(r)
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, noisePicture{size(r, "w"), size(r, "h")})
	})
	mux.HandleFunc("/dot.png", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		png.Encode(w, noisePicture{1, 1})
	})
	mux.HandleFunc("/bytes", func(w http.ResponseWriter, r *http.Request) {
		delay(r)
		w.Write(make([]byte, size(r, "n")))
	})
	mux.HandleFunc("/text.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		text := "/* " + strings.Repeat("words and words ", size(r, "n")/16) + "*/"
		if r.URL.Query().Has("gzip") && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			io.WriteString(z, text)
			return
		}
		io.WriteString(w, text)
	})
	mux.HandleFunc("/box.ttf", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join("testdata", "audits", "performance", "box.ttf"))
	})
	for _, script := range []string{"/app.js", "/@vite/client", "/src/module.ts"} {
		mux.HandleFunc(script, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, "/* nothing to do */")
		})
	}
	return mux
}

// noisePicture is an image that does not compress.
type noisePicture struct{ w, h int }

func (n noisePicture) ColorModel() color.Model { return color.GrayModel }
func (n noisePicture) Bounds() image.Rectangle { return image.Rect(0, 0, n.w, n.h) }
func (n noisePicture) At(x, y int) color.Color {
	v := uint32(x)*2654435761 ^ uint32(y)*2246822519
	v ^= v >> 15
	return color.Gray{uint8(v * 2654435761 >> 24)}
}

// TestAuditRules opens a bad and a good page for every rule: the bad one is
// found, on the good one the rule is silent. Where timing plays no part the good
// page has nothing to say at all.
func TestAuditRules(t *testing.T) {
	b := browser(t)
	for _, c := range []struct {
		audit, helper string
		strict        bool
	}{
		{"accessibility", "auditAccessibility", true},
		{"performance", "auditPerformance", false},
		{"loading", "auditLoading", true},
	} {
		t.Run(c.audit, func(t *testing.T) {
			pages := ruleFixtures(t, c.audit)
			url := auditSite(t, auditFiles(pages))
			for _, p := range pages {
				t.Run(p.name, func(t *testing.T) { auditRule(t, b, url, p, c.helper, c.strict) })
			}
		})
	}
}

func auditRule(t *testing.T, b context.Context, url string, p ruleFixture, helper string, strict bool) {
	ctx, cancel := chromedp.NewContext(b)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(url+"/page/"+p.name)); err != nil {
		t.Fatal(err)
	}
	awaitTrue(t, ctx, "document.readyState === 'complete' && !('wait' in document.documentElement.dataset)")
	if strings.Contains(p.html, `id="click"`) {
		if err := chromedp.Do(ctx, chromedp.Click("#click")); err != nil {
			t.Fatal(err)
		}
		awaitTrue(t, ctx, "document.querySelector('#click').textContent === 'done'")
	}
	var seen string
	if _, rest, ok := strings.Cut(p.html, "<!-- seen "); ok {
		rest, _, _ = strings.Cut(rest, " -->")
		seen = `{"seen":` + rest + `}`
	}
	r := auditIn(t, ctx, helper, seen)
	var found, issues []string
	for _, f := range r.Findings {
		found = append(found, fmt.Sprintf("%s [%s, %v] %s — %s", f.Type, f.Severity, *f.Weight, f.Selector, f.Message))
		fitsOne(t, ctx, f.Selector)
		if helper == "auditAccessibility" {
			for _, example := range f.Examples {
				fitsOne(t, ctx, example)
			}
		}
		if *f.Weight > 0 {
			issues = append(issues, f.Type)
		}
	}
	has := slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Type == p.rule })
	switch {
	case p.bad && !has:
		t.Errorf("%s was not found; found: %q", p.rule, found)
	case p.bad:
		t.Logf("%q", found)
	case slices.Contains(issues, p.rule) || strict && len(issues) > 0:
		t.Errorf("the good page is blamed: %q", found)
	}
}

// fitsOne checks that a selector fits one element; a path is none.
func fitsOne(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	if strings.HasPrefix(selector, "/") || strings.HasPrefix(selector, "http") {
		return
	}
	code := fmt.Sprintf(`%q.split(" >>> ").reduce((found, part) => found.flatMap((at) => [...(at.shadowRoot ?? at).querySelectorAll(part)]), [document]).length`, selector)
	if n := eval[int](t, ctx, code); n != 1 {
		t.Errorf("selector %q fits %d elements", selector, n)
	}
}

// TestAxeSideBySide runs axe-core as its makers ship it on the same pages: what
// it finds the audit finds, with as many elements.
func TestAxeSideBySide(t *testing.T) {
	t.Parallel() // it waits more than it works
	source, err := os.ReadFile(filepath.Join("..", "web", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("install the packages of web/ first: %v", err)
	}
	pages := append(ruleFixtures(t, "accessibility"), ruleFixture{name: "big", html: bigPage()})
	url := auditSite(t, auditFiles(pages))
	b := browser(t)
	rules := 0
	for _, p := range pages {
		if p.name != "big" && !p.bad {
			continue
		}
		page := tab(t, b, url+"/page/"+p.name)
		awaitTrue(t, page, "document.readyState === 'complete'")
		ours := map[string]int{}
		for _, f := range auditIn(t, page, "auditAccessibility").Findings {
			ours[f.Type] = f.Count
		}
		eval[bool](t, page, "(() => {"+string(source)+"})() || true")
		theirs := eval[map[string]int](t, page, `axe.run(document, { iframes: false }).then((r) => Object.fromEntries(r.violations.map((v) => [v.id, v.nodes.length])))`)
		for rule, elements := range theirs {
			rules++
			if ours[rule] != elements {
				t.Errorf("%s: axe-core finds %s in %d elements, the audit in %d", p.name, rule, elements, ours[rule])
			}
		}
	}
	if rules < 20 {
		t.Errorf("only %d rules were compared", rules)
	}
	t.Logf("%d broken rules compared", rules)
}

// TestVitalsBesideTheBrowser compares what the audit measures with what the
// browser tells the DevTools protocol about the same visit.
func TestVitalsBesideTheBrowser(t *testing.T) {
	url := auditSite(t, auditFiles([]ruleFixture{{name: "vitals", html: `<!doctype html><html lang="en"><head><title>x</title></head><body data-wait><h1>Words</h1><div id="late"></div>
<img src="/picture.png?w=600&amp;h=400&amp;ms=700" width="600" height="400" alt="x"><p>more</p>
<script>document.documentElement.dataset.wait = ""; onload = () => setTimeout(() => { late.style.height = "120px"; setTimeout(() => delete document.documentElement.dataset.wait, 500) }, 100)</script></body></html>`}}))
	page := tab(t, browser(t), url+"/page/vitals")
	awaitTrue(t, page, "document.readyState === 'complete' && !('wait' in document.documentElement.dataset)")
	got := eval[struct {
		Origin  float64
		Metrics map[string]float64
	}](t, page, `__devtool.auditPerformance().then((r) => ({ Origin: performance.timeOrigin, Metrics: r.metrics }))`)

	// What was kept is told before the command returns.
	events := chromedp.Events(page, performancetimeline.TimelineEventAdded)
	if _, err := chromedp.Call(page, performancetimeline.Enable, performancetimeline.EnableParams{EventTypes: []string{"largest-contentful-paint", "layout-shift"}}); err != nil {
		t.Fatal(err)
	}
	var lcp, cls float64
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if d := e.Event.LcpDetails; d != nil {
			lcp = float64(d.RenderTime)*1000 - got.Origin
		}
		if d := e.Event.LayoutShiftDetails; d != nil && !d.HadRecentInput {
			cls += d.Value
		}
		if lcp > 600 && cls > 0 {
			break
		}
	}
	t.Logf("LCP %.1f ms, by the protocol %.1f; CLS %.4f, by the protocol %.4f", got.Metrics["lcp"], lcp, got.Metrics["cls"], cls)
	if diff := got.Metrics["lcp"] - lcp; diff < -8 || diff > 8 {
		t.Errorf("LCP %.1f ms, by the protocol %.1f", got.Metrics["lcp"], lcp)
	}
	if diff := got.Metrics["cls"] - cls; diff < -0.001 || diff > 0.001 {
		t.Errorf("CLS %.4f, by the protocol %.4f", got.Metrics["cls"], cls)
	}
}

// TestAuditsUnderAPolicy: a page with a strict policy and Trusted Types, with a
// module loader and an axe of its own. Every audit works, nothing is reported,
// and what was the page's is still the page's.
func TestAuditsUnderAPolicy(t *testing.T) {
	url := auditSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/own.js" {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, `var defined = 0; function define() { defined++ } define.amd = {}; window.axe = "mine"; var reported = [], messages = 0;
addEventListener("securitypolicyviolation", (e) => reported.push(e.violatedDirective + " " + e.blockedURI)); addEventListener("error", (e) => reported.push(e.message));`)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'")
		io.WriteString(w, `<!doctype html><html lang="en"><head><title>Strict</title><script src="/own.js"></script></head><body><main><h1>Strict</h1><img src="data:,"><iframe title="x"></iframe></main></body></html>`)
	}))
	page := tab(t, browser(t), url+"/")
	awaitTrue(t, page, "document.readyState === 'complete'")
	got := eval[struct {
		Before, After, Reported, Failed, Found []string
		Defined                                int
		Axe                                    string
	}](t, page, `(async () => {
		reported.length = 0;
		const names = () => Object.getOwnPropertyNames(window).sort();
		const Before = names();
		// Two at once are no trouble either.
		const [all] = await Promise.all([__devtool.auditAll(), __devtool.auditAccessibility()]);
		return { Before, After: names(), Reported: reported, Failed: all.failed.map((f) => f.audit + ": " + f.error), Found: all.audits.flatMap((r) => r.findings.map((f) => f.type)), Defined: defined, Axe: window.axe };
	})()`)
	if len(got.Failed) > 0 || len(got.Reported) > 0 {
		t.Errorf("failed %q, reported %q", got.Failed, got.Reported)
	}
	if !slices.Contains(got.Found, "image-alt") {
		t.Errorf("no image-alt in %q", got.Found)
	}
	if got.Defined != 0 || got.Axe != "mine" || !slices.Equal(got.Before, got.After) {
		t.Errorf("the page's own: define called %d times, axe %q, names %v, then %v", got.Defined, got.Axe, got.Before, got.After)
	}
}

// TestAxeLoadsInSilence: no exception is made while axe-core loads. In a tab
// that is driven from outside each would cost a parse of the whole library.
func TestAxeLoadsInSilence(t *testing.T) {
	url := auditSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>quiet</title>")
	}))
	page := tab(t, browser(t), url+"/")
	var thrown atomic.Int32
	paused := chromedp.Events(page, debugger.Paused)
	go func() {
		for range paused {
			thrown.Add(1)
			_, _ = chromedp.Call(page, debugger.Resume, debugger.ResumeParams{})
		}
	}()
	if _, err := chromedp.Call(page, debugger.Enable, debugger.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(page, debugger.SetPauseOnExceptions, debugger.SetPauseOnExceptionsParams{State: "all"}); err != nil {
		t.Fatal(err)
	}
	eval[bool](t, page, `try { null.x } catch {} true`)
	if thrown.Load() != 1 {
		t.Fatalf("an exception of the page's was seen %d times", thrown.Load())
	}
	if !eval[bool](t, page, `__devtool.load("axe").then(() => typeof __devtool.axe.run === "function")`) {
		t.Fatal("axe-core is not there")
	}
	if n := thrown.Load() - 1; n != 0 {
		t.Errorf("%d exceptions while axe-core loaded", n)
	}
}
