package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oriel/internal/audit/grade"
)

// verdict is a report with a score, and what it analyzed.
func verdict(name string, score, analyzed int, findings ...Finding) Report {
	r := Report{Audit: name, Score: score, Grade: grade.Of(score), CheckedAt: "2026-11-15T10:00:00.000Z", Findings: findings, FindingSelectors: []string{}}
	k, _ := kindOf(name)
	r.Summary = fmt.Sprintf("%s is %s. (%d %s analyzed)", k.quality, grade.Word(score), analyzed, k.noun)
	for noun, into := range map[string]**int{
		"calls": &r.CallsAnalyzed, "loaders": &r.LoadersAnalyzed, "checks": &r.ChecksAnalyzed,
		"elements": &r.ElementsAnalyzed, "metrics": &r.MetricsAnalyzed, "rules": &r.RulesAnalyzed,
	} {
		if noun == k.noun {
			*into = &analyzed
		}
	}
	return r
}

func weighing(f Finding, weight float64) Finding {
	f.Weight = &weight
	return f
}

// TestOverallContract: the number is the same on both sides of the wire.
func TestOverallContract(t *testing.T) {
	data, err := os.ReadFile("../../contract/overall.json")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Cases []struct {
			Name   string
			Audits []struct {
				Audit           string
				Score, Analyzed int
			}
			Want struct {
				Score                *int
				Grade                *string
				Measured, Unmeasured []string
			}
		}
	}
	if err := json.Unmarshal(data, &contract); err != nil {
		t.Fatal(err)
	}
	if len(contract.Cases) < 5 {
		t.Fatalf("only %d cases", len(contract.Cases))
	}
	for _, c := range contract.Cases {
		var reports []Report
		for _, a := range c.Audits {
			reports = append(reports, verdict(a.Audit, a.Score, a.Analyzed))
		}
		out, err := json.Marshal(Aggregate(reports, nil))
		if err != nil {
			t.Fatal(err)
		}
		var kept struct {
			Score    *int
			Grade    *string
			Measured []string
		}
		if err := json.Unmarshal(out, &kept); err != nil {
			t.Fatal(err)
		}
		got := c.Want
		got.Score, got.Grade, got.Measured = kept.Score, kept.Grade, kept.Measured
		got.Unmeasured = slices.DeleteFunc(Names(), func(name string) bool { return slices.Contains(got.Measured, name) })
		if diff := cmp.Diff(c.Want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
}

// eight is a page with something to say in each audit.
func eight() []Report {
	alt := weighing(finding("image-alt", "0a1b2c", Critical, "main > img.hero", "12 images have no text alternative → add alt"), 12)
	alt.Count, alt.Examples = 12, []string{"main > img:nth-of-type(2)", "main > img:nth-of-type(3)", "main > img:nth-of-type(4)"}
	contrast := weighing(finding("color-contrast", "1b2c3d", Warning, "p.fine", "contrast 2.1:1 of text is below 4.5:1 → darken the text"), 6)
	contrast.Place = &Place{File: "src/app.css", Line: 48}
	csp := weighing(finding("csp-missing", "2c3d4e", Warning, "/", "no Content-Security-Policy → send one that names the sources of scripts"), 10)
	fan := finding(nPlusOne, "260f73", Warning, "/api/users/{id}", "12× /api/users/{id} → batch", "c5", "c6")
	fan.Initiator = &Initiator{File: "src/UserList.tsx", Line: 48, Function: "loadUsers"}
	cascade := weighing(finding(spinnerCascade, "00aa11", Critical, "#delivery > .spinner", "3 loaders in a row over 1400ms → load together"), 18)
	cascade.Container = "#delivery"
	return []Report{
		verdict("security", 90, 14, csp), verdict("accessibility", 82, 120, alt, contrast), verdict("performance", 100, 5),
		verdict("seo", 95, 12, weighing(finding("meta-description", "3d4e5f", Warning, "/", "no description → add one"), 5)),
		verdict("dom", 100, 300), verdict("css", 97, 80, weighing(finding("important", "4e5f60", Info, "/app.css", "40 !important → raise specificity less"), 3)),
		verdict("api", 90, 26, fan, note()), verdict("loading", 82, 4, cascade),
	}
}

func TestOverallText(t *testing.T) {
	golden(t, "overall.txt", Aggregate(eight(), nil).Text(TextOptions{}))
	reports := eight()[:6]
	reports = append(reports, verdict("api", 100, 0), verdict("loading", 100, 0))
	reports[0].SinceLast = &Change{Fixed: []Past{{}, {}}, New: []string{"a"}}
	reports[1].SinceLast = &Change{Unchanged: []string{"b", "c"}}
	golden(t, "overall-several-proxies.txt", Aggregate(reports, nil).Text(TextOptions{Proxy: "dev", ID: "dev"}))
	golden(t, "overall-clean.txt", Aggregate([]Report{verdict("security", 100, 3), verdict("css", 100, 2)}, nil).Text(TextOptions{}))
	golden(t, "overall-failed.txt", Aggregate([]Report{verdict("api", 100, 0)}, []Unmeasured{{"accessibility", "the audit failed in the page:\n=== Audit: A (100) ==="}}).Text(TextOptions{}))
}

// TestOneChangeIsOneFix: what two audits say about the same thing is told once,
// with what both gain by it; what only sounds alike stays apart.
func TestOneChangeIsOneFix(t *testing.T) {
	heading := weighing(finding("page-has-heading-one", "0a0a0a", Warning, "html", "Page should contain a level-one heading → add one <h1>"), 3)
	title := weighing(finding("document-title", "0b0b0b", Warning, "html", "Documents must have <title> → add <title>"), 7)
	o := Aggregate([]Report{
		verdict("accessibility", 90, 10, heading, title),
		verdict("seo", 84, 10, weighing(finding("h1-missing", "1a1a1a", Warning, "/", "no h1 → one that says what the page is about"), 4),
			weighing(finding("title-missing", "1b1b1b", Critical, "/", "no title → <title>"), 12), weighing(finding("title-length", "1c1c1c", Info, "title", "3 characters → 10"), 1)),
	}, nil)
	want := []Fix{
		{Audit: "accessibility", ID: "document-title-0b0b0b", Type: "document-title", Severity: Critical, Selector: "html", Message: title.Message, Gain: 21.1, Also: []Settled{{"seo", "title-missing-1b1b1b"}}},
		{Audit: "accessibility", ID: "page-has-heading-one-0a0a0a", Type: "page-has-heading-one", Severity: Warning, Selector: "html", Message: heading.Message, Gain: 7.9, Also: []Settled{{"seo", "h1-missing-1a1a1a"}}},
		{Audit: "seo", ID: "title-length-1c1c1c", Type: "title-length", Severity: Info, Selector: "title", Message: "3 characters → 10", Gain: 1},
	}
	if diff := cmp.Diff(want, o.TopFixes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text := o.Text(TextOptions{}); !strings.Contains(text, "  [critical] accessibility, seo: html — Documents") || strings.Contains(text, "no h1") {
		t.Errorf("got\n%s", text)
	}
}

// TestOverallFits: a page with long words everywhere stays short, and what is
// shown is what gains the most.
func TestOverallFits(t *testing.T) {
	var reports []Report
	for _, name := range Names() {
		var list []Finding
		for i := range 40 {
			list = append(list, weighing(finding("some-rule", fmt.Sprintf("%06x", i), Critical, strings.Repeat("div.ünï > ", 29), strings.Repeat("много слов ", 45)), float64(i)))
		}
		reports = append(reports, verdict(name, 0, 10, list...))
	}
	o := Aggregate(reports, []Unmeasured{{"dom", strings.Repeat("x", 9999)}})
	if text := o.Text(TextOptions{}); len(text) > 2560 || !strings.Contains(text, "\n→ audit {\"name\":\"security\"}\n") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if len(o.TopFixes) != maxFixes || o.TopFixes[0].Audit != "security" || o.TopFixes[0].Gain != 58.5 {
		t.Errorf("fixes %+v", o.TopFixes)
	}
}

// TestPageAuditText: the six that look at the page as a whole.
func TestPageAuditText(t *testing.T) {
	all := eight()
	for name, r := range map[string]Report{"accessibility.txt": all[1], "security.txt": all[0], "performance.txt": all[2]} {
		golden(t, name, r.Text(TextOptions{ID: "dev"}))
	}
	golden(t, "loading-digs.txt", all[7].Text(TextOptions{ID: "dev"}))
	var many []Finding
	for i := range 60 {
		f := weighing(finding(fmt.Sprintf("rule-%d", i), "00000a", Warning, "#main > div:nth-of-type(3) > p", strings.Repeat("words ", 20)), float64(i))
		many = append(many, f)
	}
	text := verdict("seo", 0, 60, many...).Text(TextOptions{ID: "dev", Proxy: "dev"})
	if len(text) > 4<<10 || !strings.Contains(text, "rule-59 (1)\n") || strings.Contains(text, "rule-1 (1)\n") || !strings.Contains(text, " more of ") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if shown := strings.Count(text, "[warning]"); !strings.Contains(text, fmt.Sprintf("\n… and %d more of %d types (raw: true)\n", 60-shown, 60-shown)) {
		t.Errorf("what is left out is not said:\n%s", text)
	}
}

func TestNewFieldsAreBounded(t *testing.T) {
	data := `{"audit":"css","score":97,"grade":"A","summary":"CSS is good. (8 rules analyzed). 1 issue to address","checkedAt":"2026-11-15T10:00:00Z","rulesAnalyzed":8,"callsAnalyzed":3,
	"findings":[{"id":"a-b","type":"a","severity":"info","selector":".x","message":"m","weight":%s,"count":%s,"help":%q,"place":%s,"examples":["a\n=== b"]}],"findingSelectors":[".x"]}`
	for _, c := range []struct {
		weight, count, help, place string
		want                       Finding
	}{
		{"3", "4", "https://web.dev/x?a=1#b", `{"file":"/a.css","line":7}`, Finding{Count: 4, Help: "https://web.dev/x?a=1#b", Place: &Place{"/a.css", 7}}},
		{"1e9", "-1", "javascript:alert(1)", `{"file":"a\nb","line":-2}`, Finding{Help: "", Place: &Place{"a b", 0}}},
		{"-5", "99", "https://a.test/ === x", `{"line":3}`, Finding{Count: 99}},
		{`"x"`, "1", "http://a.test/", `7`, Finding{Count: 1}},
	} {
		r, err := Parse(fmt.Appendf(nil, data, c.weight, c.count, c.help, c.place))
		if err != nil {
			t.Fatal(err)
		}
		f := r.Findings[0]
		if f.Weight != nil && (*f.Weight < 0 || *f.Weight > maxWeight) {
			t.Errorf("weight %v", *f.Weight)
		}
		got := Finding{Count: f.Count, Help: f.Help, Place: f.Place}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
		if f.Examples[0] != "a === b" || r.CallsAnalyzed != nil || *r.RulesAnalyzed != 8 {
			t.Errorf("%+v", r)
		}
	}
}

func TestTrace(t *testing.T) {
	r := verdict("css", 90, 4, Finding{ID: "a-1", Place: &Place{File: "http://h/app.css", Line: 3}}, Finding{ID: "b-1", Initiator: &Initiator{File: "x"}, Place: &Place{File: "y"}}, Finding{ID: "c-1"})
	r.Trace(func(p Place) Initiator { return Initiator{File: "src/\n" + p.File[len("http://h/"):], Line: p.Line} })
	got := []string{r.Findings[0].Where(), r.Findings[1].Where(), r.Findings[2].Where()}
	if diff := cmp.Diff([]string{"src/ app.css:3", "x", ""}, got); diff != "" || r.Findings[0].Place != nil || r.Findings[1].Place != nil {
		t.Error(diff)
	}
}
