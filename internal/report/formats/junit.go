package formats

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

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
	for _, r := range rules {
		s.Cases = append(s.Cases, detectorCase(d, r))
	}
	if o.MinScore > 0 {
		c := junitCase{Name: fmt.Sprintf("score is at least %d", o.MinScore), Class: "oriel.api", Out: fmt.Sprintf("score %d, grade %s", d.Report.Score, d.Report.Grade)}
		if d.Report.Score < o.MinScore {
			c.Failure = &junitFailure{Message: fmt.Sprintf("score %d is below %d", d.Report.Score, o.MinScore), Type: "score", Text: d.Report.Summary}
		}
		s.Cases = append(s.Cases, c)
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

func detectorCase(d report.Data, r rule) junitCase {
	c := junitCase{Name: r.id, Class: "oriel.api"}
	var failed, aside []string
	for _, f := range d.Report.Findings {
		if f.Type != r.id {
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
		c.Failure = &junitFailure{Message: message, Type: r.id, Text: strings.Join(failed, "\n")}
	}
	c.Out = strings.Join(aside, "\n")
	return c
}
