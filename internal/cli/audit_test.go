package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// auditedSite has a page with a fan-out, and one that asks once.
func auditedSite(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/many", "/one":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%s</title><script src=%s.js></script>", r.URL.Path, r.URL.Path)
		case "/many.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "function loadItem(id) {\n  return fetch('/api/items/' + id);\n}\nfor (const id of [11, 25, 31, 47, 52, 68]) loadItem(id);\n")
		case "/one.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, "fetch('/api/all');\n")
		default:
			if !strings.HasPrefix(r.URL.Path, "/api/") {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, "{}")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestAuditOfPages(t *testing.T) {
	w := newWorld(t)
	dir := w.project("shop", map[string]string{".oriel.kdl": "", "many.js": "function loadItem(id) {\n  return fetch('/api/items/' + id);\n}\nfor (const id of [11, 25, 31, 47, 52, 68]) loadItem(id);\n"})
	site := auditedSite(t)

	out, code := w.oriel(dir, "audit", site+"/many", "--only", "api", "--wait", "300ms", "--min-score", "95", "--format", "text,html,sarif", "--output", "r.html", "--output", "r.sarif")
	if code != 1 || !strings.Contains(out, "=== API Efficiency Audit: A (90) ===") || !strings.Contains(out, "6× /api/items/{id} → batch\n    ↳ many.js:2 in loadItem") || !strings.Contains(out, "score 90 is below 95") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	html, err := os.ReadFile(filepath.Join(dir, "r.html"))
	if err != nil || !strings.Contains(string(html), "many.js:2 in loadItem") || !strings.Contains(string(html), site+"/many") {
		t.Errorf("html report: %v, %d bytes", err, len(html))
	}
	sarif, err := os.ReadFile(filepath.Join(dir, "r.sarif"))
	if err != nil || !json.Valid(sarif) || !strings.Contains(string(sarif), `"uri": "many.js"`) {
		t.Errorf("sarif report: %v\n%s", err, sarif)
	}

	out, code = w.oriel(dir, "audit", site+"/one", site+"/many", "--only", "api", "--wait", "300ms", "--min-score", "90", "--format", "json")
	var all struct {
		Score int
		Pages []struct {
			Page   string
			Score  int
			Audits []struct {
				Audit         string
				CallsAnalyzed int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || code != 0 || all.Score != 90 || len(all.Pages) != 2 || all.Pages[0].Score != 100 || all.Pages[0].Audits[0].CallsAnalyzed != 1 || all.Pages[1].Page != site+"/many" {
		t.Errorf("exit %d, %v:\n%s", code, err, out)
	}

	out, code = w.oriel(dir, "audit", site+"/nowhere")
	if code != 2 || !strings.Contains(out, "/nowhere answered 404: there is no page to audit") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// TestAllAuditsOfAPage: what the page scores, what is below the bar, and a
// document with all of it.
func TestAllAuditsOfAPage(t *testing.T) {
	w := newWorld(t)
	dir, site := w.project("shop", map[string]string{".oriel.kdl": ""}), auditedSite(t)
	out, code := w.oriel(dir, "audit", site+"/many", "--wait", "300ms", "--min-score", "100", "--format", "text,html,junit", "--output", "r.html", "--output", "r.xml")
	for _, want := range []string{
		"=== Audit: ", " of 8 audits measured. ", "  -   -  loading: not measured, no loaders recorded", "=== API Efficiency Audit: A (90) ===", "=== SEO Audit: ", "=== Accessibility Audit: ",
		"html-has-lang", "description-missing", " is below 100 (", "api 90", "6× /api/items/{id} → batch",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if code != 1 || t.Failed() {
		t.Errorf("exit %d:\n%s", code, out)
	}
	html, err := os.ReadFile(filepath.Join(dir, "r.html"))
	if err != nil || strings.Count(string(html), `class="card `) != 8 || !strings.Contains(string(html), "Change this first") || !strings.Contains(string(html), "html-has-lang") {
		t.Errorf("html report: %v, %d bytes", err, len(html))
	}
	junit, err := os.ReadFile(filepath.Join(dir, "r.xml"))
	if err != nil || !strings.Contains(string(junit), `classname="oriel.accessibility"`) || !strings.Contains(string(junit), `<testcase name="score is at least 100" classname="oriel.audit">`) {
		t.Errorf("junit report: %v\n%s", err, junit)
	}

	out, code = w.oriel(dir, "audit", site+"/one", "--only", "seo,dom", "--wait", "300ms")
	if code != 0 || !strings.Contains(out, "2 audits. ") || strings.Contains(out, "security") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func TestAuditOfAServerThatIsDown(t *testing.T) {
	w := newWorld(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	out, code := w.oriel(w.project("p", nil), "audit", gone.URL+"/")
	if code != 2 || !strings.Contains(out, "does not answer (502): is its server running?") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

func TestAuditOfARecording(t *testing.T) {
	recording, err := filepath.Abs("../har/testdata/chrome.har")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	dir := w.project("p", map[string]string{".oriel.kdl": "", "broken.har": `{"log":{"entries":[{`})
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"passes", []string{"--har", recording, "--min-score", "72"}, 0, "=== API Efficiency Audit: C (72) ==="},
		{"below", []string{"--har", recording, "--min-score", "73"}, 1, "score 72 is below 73"},
		{"github", []string{"--har", recording, "--format", "github"}, 0, "::warning title=n-plus-one::/api/products/{id} — 7×"},
		{"junit", []string{"--har", recording, "--format", "junit"}, 0, `<testcase name="n-plus-one" classname="oriel.api">`},
		{"any file name", []string{"--har", recording, "--format", "sarif", "--output", "odd.name"}, 0, ""},
		{"text too", []string{"--har", recording, "--output", "r.html"}, 0, "waterfall (1)"},
		{"broken", []string{"--har", "broken.har"}, 2, "oriel audit: broken.har: read HAR: the file ends too early"},
		{"missing", []string{"--har", "none.har"}, 2, "none.har"},
		{"nothing", nil, 2, "nothing to audit"},
		{"both", []string{"http://a.test/", "--har", recording}, 2, "not both"},
		{"no address", []string{"a.test"}, 2, "must begin with http:// or https://"},
		{"format", []string{"--har", recording, "--format", "htlm"}, 2, `unknown format "htlm" (did you mean "html"?`},
		{"audit", []string{"--har", recording, "--only", "api,colour"}, 2, `unknown audit "colour" (valid: api)`},
		{"audit that needs a page", []string{"--har", recording, "--only", "seo"}, 2, `unknown audit "seo" (valid: api)`},
		{"audit of a page", []string{"http://a.test/", "--only", "api,colour"}, 2, `unknown audit "colour" (valid: security, accessibility,`},
		{"no audit", []string{"http://a.test/", "--only", ""}, 2, "--only names no audit"},
		{"bar", []string{"--har", recording, "--min-score", "101"}, 2, "a score is 0 to 100"},
		{"wait", []string{"--har", recording, "--wait", "1h"}, 2, "at most 20s"},
		{"flag", []string{"--harr", recording}, 2, "unknown flag: --harr"},
		{"two on one", []string{"--har", recording, "--format", "json,junit"}, 2, "json and junit cannot both go to standard output"},
		{"whose file", []string{"--har", recording, "--format", "json,html", "--output", "x.xml"}, 2, "asks for junit, which --format does not name"},
		{"no ending", []string{"--har", recording, "--output", "x"}, 2, "which format?"},
		{"folder", []string{"--har", recording, "--output", "no/such/x.html"}, 2, "write the html report"},
		{"browser", []string{"http://127.0.0.1:1/", "--browser", "/no/such/chromium"}, 2, "/no/such/chromium"},
	} {
		out, code := w.oriel(dir, append([]string{"audit"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, want %d with %q:\n%s", c.name, code, c.code, c.want, out)
		}
	}
	odd, err := os.ReadFile(filepath.Join(dir, "odd.name"))
	if err != nil || !strings.Contains(string(odd), `"version": "2.1.0"`) {
		t.Errorf("odd.name: %v", err)
	}
}
