package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/txtar"
)

// rulePage is one page of testdata/audits/<audit>/pages.txtar, named
// <rule>/<bad or good>[-more].html. Lines before the first one that is no
// `# key: value` say how it is served and what is expected:
//
//	# header: Name: value     sent with the page
//	# cookie: Set-Cookie line
//	# status: 404
//	# target: https://host    what the audit is told that the proxy fronts
//	# also: rule, rule        found besides the page's own rule
//	# severity: info          of the page's own rule
//	# place: src/a.css:3      where the source is, as the page can know it
//	# failed: /assets/a.css   what the audit is told that did not load
//
// OTHER_ORIGIN stands for another site that serves stylesheets.
// A page that does not begin with <!doctype or <html is put into a sound one.
type rulePage struct {
	rule     string
	bad      bool
	html     string
	header   http.Header
	status   int
	target   string
	also     []string
	severity string
	place    string
	failed   []string
}

const soundHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A sound page about bread</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="How bread is made at home, from flour and water to the loaf on the table.">
<meta property="og:title" content="Bread"><meta property="og:description" content="How bread is made"><meta property="og:image" content="https://shop.example/bread.png">
<link rel="icon" href="data:,">
<style>body { font-family: sans-serif; font-size: 16px; margin: 1rem }</style>`

const soundText = `<h1>Bread</h1><p>Mix flour, water and salt in a bowl and leave them for half an hour. Fold the dough four times, with twenty minutes between
two folds. Let it rise until it has doubled, shape it, and let it rise once more in a basket. Heat the oven as high as it goes, cut the loaf
and bake it for forty minutes, the first twenty under a lid.</p>`

// whole is the page as it is served.
func (p rulePage) whole() string {
	start := strings.ToLower(strings.TrimSpace(p.html))
	if strings.HasPrefix(start, "<!doctype") || strings.HasPrefix(start, "<html") {
		return p.html
	}
	head, body, ok := strings.Cut(p.html, "<body>")
	if !ok {
		head, body = "", p.html
	}
	return soundHead + head + "</head><body>" + soundText + body + "</body></html>"
}

func readRulePages(t *testing.T, audit, other string) (map[string]rulePage, map[string][]byte) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "audits", audit, "pages.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	pages, assets := map[string]rulePage{}, map[string][]byte{}
	for _, file := range archive.Files {
		rule, name, _ := strings.Cut(file.Name, "/")
		bad := strings.HasPrefix(name, "bad")
		if rule == "assets" || (!bad && !strings.HasPrefix(name, "good")) {
			assets["/"+file.Name] = file.Data
			continue
		}
		p := rulePage{rule: rule, bad: bad, header: http.Header{}, status: 200}
		p.read(t, file.Name, strings.ReplaceAll(string(file.Data), "OTHER_ORIGIN", other))
		pages[file.Name] = p
	}
	return pages, assets
}

func (p *rulePage) read(t *testing.T, name, text string) {
	t.Helper()
	for {
		line, rest, _ := strings.Cut(text, "\n")
		key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), ": ")
		if !strings.HasPrefix(line, "# ") || !ok {
			p.html = text
			return
		}
		text = rest
		switch key {
		case "header":
			header, content, _ := strings.Cut(value, ": ")
			p.header.Add(header, content)
		case "cookie":
			p.header.Add("Set-Cookie", value)
		case "status":
			p.status, _ = strconv.Atoi(value)
		case "target":
			p.target = value
		case "also":
			p.also = strings.Split(value, ", ")
		case "severity":
			p.severity = value
		case "place":
			p.place = value
		case "failed":
			p.failed = append(p.failed, value)
		default:
			t.Fatalf("%s: unknown line %q", name, line)
		}
	}
}

// seen is what the proxy at base would tell about the page.
func (p rulePage) seen(site, base string) string {
	type cookie struct {
		Name     string `json:"name"`
		Secure   bool   `json:"secure"`
		HTTPOnly bool   `json:"httpOnly"`
		SameSite string `json:"sameSite"`
		Path     string `json:"path"`
		Domain   string `json:"domain"`
	}
	headers, cookies := [][2]string{}, []cookie{}
	for name, values := range p.header {
		for _, value := range values {
			headers = append(headers, [2]string{name, value})
		}
	}
	for _, line := range p.header.Values("Set-Cookie") {
		c, err := http.ParseSetCookie(line)
		if err != nil {
			continue
		}
		same := map[http.SameSite]string{http.SameSiteLaxMode: "Lax", http.SameSiteStrictMode: "Strict", http.SameSiteNoneMode: "None"}
		cookies = append(cookies, cookie{c.Name, c.Secure, c.HttpOnly, same[c.SameSite], c.Path, c.Domain})
	}
	failed := []string{}
	for _, address := range p.failed {
		if strings.HasPrefix(address, "/") {
			address = base + address
		}
		failed = append(failed, address)
	}
	target := p.target
	if target == "" {
		target = site
	}
	out, _ := json.Marshal(map[string]any{"seen": map[string]any{
		"documentHeaders": headers, "cookies": cookies, "status": p.status, "targetOrigin": target, "tls": strings.HasPrefix(target, "https:"), "failed": failed,
	}})
	return string(out)
}

// pageReport is the part of an audit's report that these tests look at.
type pageReport struct {
	Audit    string  `json:"audit"`
	Score    int     `json:"score"`
	Summary  string  `json:"summary"`
	Findings []found `json:"findings"`
}

type found struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Severity string   `json:"severity"`
	Selector string   `json:"selector"`
	Message  string   `json:"message"`
	Examples []string `json:"examples"`
	Weight   int      `json:"weight"`
	Count    int      `json:"count"`
	Place    *struct {
		File string `json:"file"`
		Line int    `json:"line"`
	} `json:"place"`
}

// told are notes that any page may get and that take nothing off.
var told = []string{"production-headers", "permissions-policy", "canonical-missing"}

// TestRulesOfThePage: for every rule of four audits a page that breaks it and
// one that keeps it, in Chromium, through the proxy. The bad one is found, and
// nothing else is; on the good one the audit is silent.
func TestRulesOfThePage(t *testing.T) {
	t.Parallel() // it waits more than it works
	b := browser(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		_, _ = w.Write([]byte("p { color: red }"))
	}))
	defer other.Close()
	for audit, helper := range map[string]string{"security": "auditSecurity", "seo": "auditSeo", "dom": "auditDom", "css": "auditCss"} {
		t.Run(audit, func(t *testing.T) {
			pages, assets := readRulePages(t, audit, other.URL)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				serveRulePage(w, r, pages, assets)
			}))
			defer site.Close()
			s := newSession(t, t.TempDir())
			s.call("proxy", `{"action":"start","id":"rules","target_url":"`+site.URL+`"}`)
			base := s.field("proxy", `{"action":"status"}`, "url")
			page := tab(t, b, base+"/blank")
			rules := map[string][2]bool{}
			for name, p := range pages {
				r := auditRulePage(t, page, base+"/"+name, "__devtool."+helper, p.seen(site.URL, base))
				judgePage(t, page, name, p, r)
				sides := rules[p.rule]
				sides[map[bool]int{true: 1}[p.bad]] = true
				rules[p.rule] = sides
			}
			for rule, sides := range rules {
				if !sides[0] || !sides[1] {
					t.Errorf("%s: has a good page: %v, a bad one: %v", rule, sides[0], sides[1])
				}
			}
		})
	}
}

func serveRulePage(w http.ResponseWriter, r *http.Request, pages map[string]rulePage, assets map[string][]byte) {
	if data, ok := assets[r.URL.Path]; ok {
		switch filepath.Ext(r.URL.Path) {
		case ".css":
			w.Header().Set("Content-Type", "text/css")
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		}
		_, _ = w.Write(data)
		return
	}
	name, _ := url.PathUnescape(strings.TrimPrefix(r.URL.Path, "/"))
	p, ok := pages[name]
	if !ok {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>blank</title>"))
		return
	}
	for header, values := range p.header {
		w.Header()[header] = values
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/html")
	}
	w.WriteHeader(p.status)
	_, _ = w.Write([]byte(p.whole()))
}

// auditRulePage opens an address and runs an audit there. It checks what holds for
// every audit: the page is as it was, and the call buffer as well. Cookies are
// taken away: pages of one host share them.
func auditRulePage(t *testing.T, page context.Context, address, helper, input string) pageReport {
	t.Helper()
	if err := chromedp.Do(page, chromedp.Navigate(address)); err != nil {
		t.Fatalf("open %s: %v", address, err)
	}
	awaitTrue(t, page, `document.readyState === "complete" && "__devtool" in window`)
	code := `(async () => {
		const before = document.documentElement.outerHTML, calls = __devtool_api.getStats().total;
		const report = await ` + helper + `(` + input + `);
		for (const pair of document.cookie.split(";")) {
			for (const rest of ["path=/", "path=/; secure", "path=" + location.pathname]) document.cookie = pair.split("=")[0].trim() + "=; max-age=0; " + rest;
		}
		return JSON.stringify({report, same: before === document.documentElement.outerHTML, calls: __devtool_api.getStats().total - calls});
	})()`
	var out struct {
		Report pageReport `json:"report"`
		Same   bool       `json:"same"`
		Calls  int        `json:"calls"`
	}
	if err := json.Unmarshal([]byte(eval[string](t, page, code)), &out); err != nil {
		t.Fatal(err)
	}
	if !out.Same || out.Calls != 0 {
		t.Errorf("%s: %s left the page unchanged: %v, calls added: %d", address, helper, out.Same, out.Calls)
	}
	return out.Report
}

func judgePage(t *testing.T, page context.Context, name string, p rulePage, r pageReport) {
	t.Helper()
	got := map[string]found{}
	for _, f := range r.Findings {
		if _, twice := got[f.Type]; !twice {
			got[f.Type] = f
		}
		if len(f.Message) == 0 || len([]rune(f.Message)) > 160 || !strings.Contains(f.Message, "→") {
			t.Errorf("%s: message of %s: %q", name, f.Type, f.Message)
		}
		for _, selector := range append([]string{f.Selector}, f.Examples...) {
			if !strings.HasPrefix(selector, "/") && !strings.Contains(selector, " >>> ") && eval[int](t, page, fmt.Sprintf("document.querySelectorAll(%q).length", selector)) != 1 {
				t.Errorf("%s: %q of %s does not fit one element", name, selector, f.Type)
			}
		}
	}
	want := slices.Clone(p.also)
	if p.bad {
		want = append(want, p.rule)
	}
	for _, rule := range want {
		if _, ok := got[rule]; !ok {
			t.Errorf("%s: %s was not found", name, rule)
		}
	}
	if f, ok := got[p.rule]; ok && p.bad && p.severity != "" && f.Severity != p.severity {
		t.Errorf("%s: severity %s, want %s", name, f.Severity, p.severity)
	}
	if f := got[p.rule]; p.place != "" && (f.Place == nil || fmt.Sprintf("%s:%d", f.Place.File, f.Place.Line) != p.place) {
		t.Errorf("%s: place %v, want %s", name, f.Place, p.place)
	}
	for rule, f := range got {
		if !slices.Contains(want, rule) && (rule == p.rule || !slices.Contains(told, rule)) {
			t.Errorf("%s: %s was found as well: %s %s", name, rule, f.Selector, f.Message)
		}
	}
	if os.Getenv("ORIEL_SHOW_FINDINGS") != "" {
		for _, f := range r.Findings {
			t.Logf("%s: [%s %d] %s %s — %s %v", name, f.Severity, f.Weight, f.Type, f.Selector, f.Message, f.Place)
		}
	}
}
