package report

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"oriel/internal/audit"
	"oriel/internal/browser"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t *testing.T, file string) Data {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var d Data
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// shop is a recording, of which only the calls are known.
func shop(t *testing.T) Data {
	d := read(t, "shop.json")
	d.Title, d.Source = "Shop", "shop.har"
	return d
}

// eight is a page with every audit, one of which measured nothing.
func eight(t *testing.T) Data {
	d := read(t, "page.json")
	d.Title = "Fennel & Oak"
	return d
}

func render(t *testing.T, all ...Data) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for file, d := range map[string]Data{"shop.html": shop(t), "page.html": eight(t)} {
		got := render(t, d)
		file = filepath.Join("testdata", file)
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("the document differs from %s (go test -update writes it)", file)
		}
	}
}

// document is what a parser of a browser's kind sees.
type document struct {
	t     *testing.T
	ids   map[string]*html.Node
	nodes []*html.Node
}

func parse(t *testing.T, text []byte) document {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	d := document{t: t, ids: map[string]*html.Node{}}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		d.nodes = append(d.nodes, n)
		if id := attr(n, "id"); id != "" {
			if d.ids[id] != nil {
				t.Errorf("id %s occurs twice", id)
			}
			d.ids[id] = n
		}
	}
	return d
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// check holds what must be true of every report: nothing runs, nothing is
// fetched, every link leads somewhere.
func (d document) check() {
	d.t.Helper()
	links := 0
	for _, n := range d.nodes {
		switch n.Data {
		case "script", "img", "link", "iframe", "object", "embed", "base", "form", "input", "foreignObject", "use", "image", "animate", "set", "video", "audio", "source":
			d.t.Errorf("there is a <%s>", n.Data)
		}
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "srcset", a.Key == "action":
				d.t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			case a.Key == "href":
				links++
				if strings.HasPrefix(a.Val, "https://") && attr(n, "rel") == "noreferrer noopener" {
					continue // explains a rule; followed by a click alone
				}
				target, ok := strings.CutPrefix(a.Val, "#")
				if d.ids[target] == nil || !ok {
					d.t.Errorf("%q leads nowhere", a.Val)
				}
			case a.Key != "xmlns" && (strings.Contains(a.Val, "javascript:") || (strings.Contains(a.Val, "url(") && !strings.Contains(a.Val, "url(#"))):
				d.t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	if links == 0 {
		d.t.Error("there are no links")
	}
}

func TestDocument(t *testing.T) {
	d := parse(t, render(t, shop(t)))
	d.check()
	for _, f := range shop(t).Audits[0].Findings {
		if d.ids["finding-"+f.ID] == nil {
			t.Errorf("%s is not listed", f.ID)
		}
		for _, id := range f.Calls {
			if d.ids["call-"+id] == nil {
				t.Errorf("call %s of %s has no bar", id, f.ID)
			}
		}
	}
}

// TestEight: the verdict, a card for each audit, and every finding where the
// top fixes lead to.
func TestEight(t *testing.T) {
	text := render(t, eight(t))
	d := parse(t, text)
	d.check()
	cards, fixes := 0, 0
	for _, n := range d.nodes {
		if class := strings.Fields(attr(n, "class")); len(class) > 0 && class[0] == "card" {
			cards++
		}
		if n.Data == "ol" && attr(n, "class") == "fixes" {
			for range n.ChildNodes() {
				fixes++
			}
		}
	}
	if cards != 8 || fixes < 8 {
		t.Errorf("%d cards, %d fixes", cards, fixes)
	}
	for _, r := range eight(t).Audits {
		if d.ids["audit-"+r.Audit] == nil {
			t.Errorf("no section for %s", r.Audit)
		}
		for _, f := range r.Findings {
			if d.ids[anchor("", r.Audit, f.ID)] == nil || !bytes.Contains(text, []byte(f.Type)) {
				t.Errorf("%s: %s is not listed", r.Audit, f.ID)
			}
		}
	}
	for _, part := range []string{"7 of 8 audits measured", "not measured: no loaders recorded", "12 in all, also", "src/styles/base.css:48", `rel="noreferrer noopener"`} {
		if !bytes.Contains(text, []byte(part)) {
			t.Errorf("there is no %q", part)
		}
	}
}

// TestValuesAndSharedFixes: the metrics stand at their audit, and a fix that
// two audits ask for names both.
func TestValuesAndSharedFixes(t *testing.T) {
	report := func(name string, findings ...audit.Finding) audit.Report {
		r := audit.Report{Audit: name, Score: 90, Grade: "A", Summary: "x", Findings: findings, ChecksAnalyzed: new(int)}
		*r.ChecksAnalyzed = 3
		return r
	}
	weight := 4.0
	fast := report("performance")
	fast.Metrics = map[string]float64{"lcp": 812.4, "cls": 0.02}
	text := string(render(t, Data{Page: "http://127.0.0.1/", Audits: []audit.Report{
		fast,
		report("accessibility", audit.Finding{ID: "page-has-heading-one-0a0a0a", Type: "page-has-heading-one", Severity: audit.Warning, Selector: "html", Message: "add one <h1>", Weight: &weight}),
		report("seo", audit.Finding{ID: "h1-missing-0b0b0b", Type: "h1-missing", Severity: audit.Warning, Selector: "/", Message: "no h1", Weight: &weight}),
	}}))
	for _, part := range []string{"<dd>812 ms</dd><dt>LCP</dt>", "<dd>0.02</dd><dt>CLS</dt>", `<span class="from">Accessibility, SEO</span>`} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q", part)
		}
	}
	if n := strings.Count(text, `<span class="from">`); n != 1 {
		t.Errorf("%d fixes", n)
	}
}

func TestSeveralPages(t *testing.T) {
	text := render(t, shop(t), shop(t), Data{Audits: []audit.Report{{Audit: "api", Grade: "A", Score: 100}}})
	parse(t, text).check()
	if !bytes.Contains(text, []byte("API efficiency of 3 pages")) {
		t.Error("no overview")
	}
	if Worst([]Data{shop(t), {Audits: []audit.Report{{Audit: "api", Score: 12}}}}) != 12 || Worst(nil) != 100 {
		t.Error("the worst is another")
	}
}

const attack = `"></title></style></script><img src=x onerror=alert(1)><svg onload=alert(2)>{{.}}` + "\x00\u2028javascript:alert(3)"

func hostile() Data {
	end := 60.0
	f := audit.Finding{
		ID: "waterfall-1", Type: "waterfall", Severity: "warning", Selector: attack, Message: attack, Evidence: []string{attack}, Calls: []string{"c1", attack},
		Initiator: &audit.Initiator{File: attack, Function: attack, Compiled: true}, Parallelizable: "yes", URLs: []string{attack},
	}
	return Data{
		Audits: []audit.Report{{Audit: "api", Grade: "F", Score: 1, Summary: attack, Findings: []audit.Finding{f}, Thresholds: map[string]float64{attack: 1}, Dropped: 3},
			{Audit: "seo", Grade: "F", Score: 1, Summary: attack, Findings: []audit.Finding{{ID: "a-1", Type: "a", Severity: "info", Selector: attack, Message: attack, Examples: []string{attack}, Count: 2, Place: &audit.Place{File: attack}}}},
		},
		Failed: []audit.Unmeasured{{Audit: "dom", Why: attack}},
		Calls:  []Call{{ID: "c1", Method: attack, URL: "https://a.test/" + attack, Start: 2, End: &end, Error: attack}, {ID: attack, Method: "GET", URL: attack, Start: 4}},
		Page:   "javascript:" + attack, Title: attack, Source: attack, Notes: []string{attack},
	}
}

func TestHostileWords(t *testing.T) {
	text := render(t, hostile())
	parse(t, text).check()
	if !bytes.Contains(text, []byte("3 older calls had left the buffer")) {
		t.Error("what was dropped is not said")
	}
}

func TestBounded(t *testing.T) {
	d := Data{Page: "https://a.test/", Audits: []audit.Report{{Audit: "api", Findings: []audit.Finding{{ID: "n-plus-one-1", Type: "n-plus-one"}}}}}
	fan := &d.Audits[0].Findings[0]
	end := 10.0
	for i := range 5000 {
		d.Calls = append(d.Calls, Call{ID: fmt.Sprintf("c%d", i), Method: "GET", URL: "https://a.test/" + strings.Repeat("x", 5000), Start: 1, End: &end, Status: 200})
		fan.Calls = append(fan.Calls, fmt.Sprintf("c%d", i))
	}
	text := render(t, d)
	if len(text) > 3<<20 || !bytes.Contains(text, []byte("3000 more calls are not listed")) || !bytes.Contains(text, []byte("calls are drawn together in shared rows")) {
		t.Errorf("%d bytes", len(text))
	}
	parse(t, text).check() // no link to a call that was folded away
}

// TestInChromium opens reports where people do: nothing complains, nothing is
// fetched, and the attacks do nothing.
func TestInChromium(t *testing.T) {
	path, err := browser.Find(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]Data{"shop": shop(t), "eight": eight(t), "hostile": hostile()} {
		dir := t.TempDir()
		file := filepath.Join(dir, "report.html")
		if err := os.WriteFile(file, render(t, d), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
			"--disable-sync", "--enable-logging=stderr", "--log-level=0", "--user-data-dir="+filepath.Join(dir, "profile"), "--dump-dom", (&url.URL{Scheme: "file", Path: file}).String())
		var out, log bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &log
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, log.String())
		}
		for line := range strings.Lines(log.String()) {
			if strings.Contains(line, "CONSOLE") {
				t.Errorf("%s: the console says %s", name, line)
			}
		}
		dom := parse(t, out.Bytes())
		dom.check()
		api := d.Audits[slices.IndexFunc(d.Audits, func(r audit.Report) bool { return r.Audit == "api" })]
		for _, f := range api.Findings {
			if f.Type != "over-fetch-unavailable" && dom.ids["mark-"+f.ID] == nil {
				t.Errorf("%s: %s is not in the chart", name, f.ID)
			}
		}
	}
}
