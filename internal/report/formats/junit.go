package formats

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/report"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// junit writes a suite per page and a test case per detector. A case has one
// failure that lists all findings, since many readers take no second one; what
// cannot be measured is skipped.
func junit(w io.Writer, all []report.Data, o Options) error {
	out := junitSuites{Name: "oriel audit"}
	for _, d := range all {
		s := suite(d, o)
		out.Tests, out.Failures, out.Skipped = out.Tests+s.Tests, out.Failures+s.Failures, out.Skipped+s.Skipped
		out.Suites = append(out.Suites, s)
	}
	data, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return fmt.Errorf("write junit report: %w", err)
	}
	return put(w, "junit", xml.Header+string(data)+"\n")
}

func suite(d report.Data, o Options) junitSuite {
	s := junitSuite{Name: name(d)}
	if t := d.Time(); !t.IsZero() {
		s.Timestamp = t.UTC().Format("2006-01-02T15:04:05")
	}
	for _, r := range d.Overall().Audits {
		s.Cases = append(s.Cases, auditCases(r)...)
	}
	for _, u := range d.Failed {
		s.Cases = append(s.Cases, junitCase{Name: "measured", Class: "oriel." + u.Audit, Skipped: &junitSkipped{u.Why}})
	}
	if o.MinScore > 0 {
		s.Cases = append(s.Cases, scoreCase(d, o.MinScore))
	}
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		if c.Failure != nil {
			s.Failures++
		}
		if c.Skipped != nil {
			s.Skipped++
		}
	}
	return s
}

// scoreCase is the bar as a test.
func scoreCase(d report.Data, bar int) junitCase {
	grade, summary := verdict(d)
	class := "oriel.audit"
	if r, ok := d.Alone(); ok {
		class = "oriel." + r.Audit
	}
	c := junitCase{Name: fmt.Sprintf("score is at least %d", bar), Class: class, Out: grade}
	if d.Score() < bar {
		c.Failure = &junitFailure{Message: fmt.Sprintf("score %d is below %d", d.Score(), bar), Type: "score", Text: summary}
	}
	return c
}

// auditCases are an audit's rules: those of the API audit that there are, those
// of the others that are broken, and one that passed where none is.
func auditCases(r audit.Report) []junitCase {
	var cases []junitCase
	if r.Audit == "api" {
		for _, rule := range apiRules {
			cases = append(cases, ruleCase(r, rule))
		}
		return cases
	}
	if r.Empty() {
		return []junitCase{{Name: "measured", Class: "oriel." + r.Audit, Skipped: &junitSkipped{r.Summary}}}
	}
	seen := map[string]bool{}
	for _, f := range r.Findings {
		if !seen[f.Type] {
			seen[f.Type] = true
			cases = append(cases, ruleCase(r, ruleOf(r.Audit, f)))
		}
	}
	if len(cases) == 0 {
		cases = []junitCase{{Name: "no findings", Class: "oriel." + r.Audit, Out: r.Summary}}
	}
	return cases
}

func ruleCase(report audit.Report, r rule) junitCase {
	kind := strings.TrimPrefix(r.id, report.Audit+"/")
	c := junitCase{Name: kind, Class: "oriel." + report.Audit}
	var failed, aside []string
	for _, f := range report.Findings {
		if f.Type != kind {
			continue
		}
		line := fmt.Sprintf("[%s] %s", f.Severity, statement(f, true))
		if !f.Issue() {
			aside = append(aside, line)
			continue
		}
		if failed = append(failed, line); c.File == "" && sourceFile(f) != "" {
			c.File, c.Line = sourceFile(f), f.Initiator.Line
		}
	}
	if r.note {
		c.Skipped = &junitSkipped{r.title}
		c.Out = strings.Join(aside, "\n")
		return c
	}
	if len(failed) > 0 {
		message := failed[0]
		if len(failed) > 1 {
			message = fmt.Sprintf("%d findings: %s", len(failed), r.title)
		}
		c.Failure = &junitFailure{Message: message, Type: kind, Text: strings.Join(failed, "\n")}
	}
	c.Out = strings.Join(aside, "\n")
	return c
}
