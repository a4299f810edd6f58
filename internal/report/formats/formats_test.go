package formats

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel/internal/audit"
	"oriel/internal/report"
)

var update = flag.Bool("update", false, "write the golden files")

func read(t *testing.T, file string) report.Data {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var d report.Data
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// shop is a recording, of which only the calls are known.
func shop(t *testing.T) report.Data {
	d := read(t, "shop.json")
	d.Source, d.Notes = "shop.har", []string{"2 of the archive's 31 entries cannot be understood"}
	return d
}

// eight is a page with every audit, one of which measured nothing.
func eight(t *testing.T) report.Data {
	d := read(t, "page.json")
	d.Title = "Fennel & Oak"
	return d
}

func clean() report.Data {
	n := 0
	return report.Data{Page: "https://shop.example/about?token=abc", Audits: []audit.Report{{
		Audit: "api", Score: 100, Grade: "A", Summary: "API efficiency is good. (0 calls analyzed). no API calls recorded — reload page then re-run",
		CheckedAt: "2026-11-15T12:00:00.000Z", Findings: []audit.Finding{}, FindingSelectors: []string{}, CallsAnalyzed: &n,
	}}}
}

func written(t *testing.T, name string, o Options, all ...report.Data) []byte {
	t.Helper()
	f, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, all, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	o := Options{Version: "1.2.3", MinScore: 70}
	for _, f := range All {
		if f.Name == "html" {
			continue // has one of its own
		}
		for name, all := range map[string][]report.Data{"one": {shop(t)}, "two": {shop(t), clean()}, "eight": {eight(t)}} {
			got := written(t, f.Name, o, all...)
			file := filepath.Join("testdata", name+"."+f.Name)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
			}
			if bytes.Contains(got, []byte("abc")) {
				t.Errorf("%s holds a token", file)
			}
		}
	}
}

// TestSARIF checks what the standard asks for, by names and types of its own.
func TestSARIF(t *testing.T) {
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID               string
						ShortDescription struct{ Text string }
					}
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           *struct{ StartLine, StartColumn int }
					}
				}
				Fingerprints, PartialFingerprints map[string]string
			}
		}
	}
	d := shop(t)
	d.Audits[0].Findings[1].Severity = audit.Critical
	d.Audits[0].Findings[2].Initiator.Compiled = true
	d.Audits[0].Findings[3].Initiator.File = "/src/über uns/a#b.ts"
	if err := json.Unmarshal(written(t, "sarif", Options{Version: "1"}, d), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.Name == "" {
		t.Fatalf("%+v", log)
	}
	run := log.Runs[0]
	if len(run.Results) != 5 {
		t.Fatalf("%d results", len(run.Results))
	}
	places := []string{"src/shop/boot.ts", "src/shop/card.tsx", "https://shop.example/products", "src/%C3%BCber%20uns/a%23b.ts", "https://shop.example/products"}
	levels := []string{"warning", "error", "warning", "warning", "note"}
	for i, r := range run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || run.Tool.Driver.Rules[r.RuleIndex].ShortDescription.Text == "" {
			t.Errorf("result %d has rule %d %s", i, r.RuleIndex, r.RuleID)
		}
		if r.Message.Text == "" || len(r.Locations) != 1 || r.Level != levels[i] {
			t.Errorf("result %d: %+v", i, r)
		}
		at := r.Locations[0].PhysicalLocation
		if at.ArtifactLocation.URI != places[i] || (at.Region != nil) != (at.ArtifactLocation.URIBaseID == "%SRCROOT%") || (at.Region != nil && at.Region.StartLine < 1) {
			t.Errorf("result %d is at %+v, want %s", i, at, places[i])
		}
		if want := d.Audits[0].Findings[i].ID; r.Fingerprints["orielFinding/v1"] != want || r.PartialFingerprints["orielFinding/v1"] != want {
			t.Errorf("result %d has fingerprints %v", i, r.Fingerprints)
		}
	}
	var empty struct {
		Runs []struct{ Results *[]json.RawMessage }
	}
	if err := json.Unmarshal(written(t, "sarif", Options{}, clean()), &empty); err != nil || empty.Runs[0].Results == nil {
		t.Errorf("without findings the results must be an empty list: %v", err)
	}
}

func TestJUnit(t *testing.T) {
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Tests int `xml:"tests,attr"`
			Cases []struct {
				Name     string `xml:"name,attr"`
				Failures []struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	d := shop(t)
	d.Audits[0].Findings[2].StrictMode = true // React's doing is no failure
	d.Audits[0].Findings[3].StrictMode = true
	if err := xml.Unmarshal(written(t, "junit", Options{MinScore: 90}, d, clean()), &suites); err != nil {
		t.Fatal(err)
	}
	failed := map[string]bool{}
	for _, c := range suites.Suites[0].Cases {
		failed[c.Name] = len(c.Failures) == 1
		if (c.Skipped != nil) != (c.Name == "over-fetch-unavailable") {
			t.Errorf("%s: skipped %v", c.Name, c.Skipped)
		}
	}
	want := map[string]bool{"waterfall": true, "n-plus-one": true, "duplicate-call": false, "chatty-load": true, "over-fetch-unavailable": false, "score is at least 90": true}
	for name, f := range want {
		if got, ok := failed[name]; !ok || got != f {
			t.Errorf("%s: failed %v (there: %v), want %v", name, got, ok, f)
		}
	}
	if suites.Tests != 12 || suites.Failures != 4 || len(suites.Suites) != 2 {
		t.Errorf("%d tests, %d failures, %d suites", suites.Tests, suites.Failures, len(suites.Suites))
	}
}

func TestGitHubCommandsCannotBeForged(t *testing.T) {
	d := shop(t)
	d.Audits[0].Findings[0].Message = "a%\n::error::b"
	d.Audits[0].Findings[0].Initiator.File = "x,line=9::y\r\n.ts"
	d.Page = "https://a.test/\n::stop-commands::x"
	text := string(written(t, "github", Options{}, d))
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") {
			t.Errorf("line %q", line)
		}
	}
	if want := "::warning file=x%2Cline=9%3A%3Ay%0D%0A.ts,line=8,title=waterfall::/api/session — a%25%0A::error::b (in bootShop)\n"; !strings.HasPrefix(text, want) {
		t.Errorf("got %s", text)
	}
}

func TestHostileWords(t *testing.T) {
	const attack = "</failure><img onerror=x>\x00\x1b[2J]]>\u2028\"'&"
	d := shop(t)
	d.Page, d.Source, d.Title = "https://a.test/"+attack, attack, attack
	for _, r := range eight(t).Audits {
		if r.Audit != "api" {
			d.Audits = append(d.Audits, r)
		}
	}
	d.Failed = []audit.Unmeasured{{Audit: "dom", Why: attack}}
	for _, r := range d.Audits {
		for i := range r.Findings {
			r.Findings[i].Message, r.Findings[i].Selector = attack, attack
		}
	}
	for _, f := range All {
		out := written(t, f.Name, Options{}, d)
		switch f.Name {
		case "json", "sarif":
			if !json.Valid(out) {
				t.Errorf("%s is broken", f.Name)
			}
		case "junit":
			dec := xml.NewDecoder(bytes.NewReader(out))
			for {
				token, err := dec.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("junit is broken: %v", err)
				}
				if e, ok := token.(xml.StartElement); ok && e.Name.Local == "img" {
					t.Error("a page's words became an element")
				}
			}
		}
	}
}

func TestChoice(t *testing.T) {
	if _, err := Named("htm"); err == nil || !strings.Contains(err.Error(), `did you mean "html"? valid: text, json, html, sarif, junit, github`) {
		t.Errorf("error %v", err)
	}
	for file, want := range map[string]string{"a.html": "html", "b/c.SARIF": "sarif", "x.xml": "junit", "x.json": "json", "x.txt": "text", "x": "", "x.md": ""} {
		if f, ok := ForFile(file); f.Name != want || ok != (want != "") {
			t.Errorf("%s: %q", file, f.Name)
		}
	}
}
