package formats

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/report"
)

// The parts of SARIF 2.1.0 that are used. Names are the standard's.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID            string       `json:"id"`
	Name          string       `json:"name"`
	Short         sarifText    `json:"shortDescription"`
	Full          sarifText    `json:"fullDescription"`
	Help          sarifText    `json:"help"`
	HelpURI       string       `json:"helpUri,omitempty"`
	Configuration sarifDefault `json:"defaultConfiguration"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	Fingerprints        map[string]string `json:"fingerprints"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Properties          sarifProperties   `json:"properties"`
}

type sarifLocation struct {
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifProperties struct {
	Page     string   `json:"page"`
	Selector string   `json:"selector"`
	Severity string   `json:"severity"`
	Count    int      `json:"count,omitempty"`
	Calls    []string `json:"calls,omitempty"`
	WastedMs *float64 `json:"wastedMs,omitempty"`
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	fingerprint = "orielFinding/v1"
)

// sarif writes one run with every finding that is to be addressed; notes on
// what cannot be measured are not results.
func sarif(w io.Writer, all []report.Data, o Options) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "Oriel", Version: o.Version}}, Results: []sarifResult{}}
	index := map[string]int{}
	add := func(r rule) int {
		if i, there := index[r.id]; there {
			return i
		}
		index[r.id] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: r.id, Name: pascal(r.id), Short: sarifText{r.title}, Full: sarifText{r.help}, Help: sarifText{r.help}, HelpURI: r.uri, Configuration: sarifDefault{"warning"},
		})
		return index[r.id]
	}
	for _, r := range apiRules {
		if !r.note && judged(all, "api") {
			add(r)
		}
	}
	for _, d := range all {
		for _, report := range d.Overall().Audits {
			for _, f := range report.Findings {
				if r := ruleOf(report.Audit, f); !r.note {
					run.Results = append(run.Results, result(d, r.id, f, add(r)))
				}
			}
		}
	}
	return putJSON(w, "sarif", sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// judged says whether that audit was made of any page.
func judged(all []report.Data, name string) bool {
	return slices.ContainsFunc(all, func(d report.Data) bool {
		return slices.ContainsFunc(d.Audits, func(r audit.Report) bool { return r.Audit == name })
	})
}

func result(d report.Data, id string, f audit.Finding, rule int) sarifResult {
	return sarifResult{
		RuleID: id, RuleIndex: rule, Level: levelOf(f), Message: sarifText{statement(f, sourceFile(f) == "")},
		Locations:    []sarifLocation{location(d, f)},
		Fingerprints: map[string]string{fingerprint: f.ID}, PartialFingerprints: map[string]string{fingerprint: f.ID},
		Properties: sarifProperties{Page: page(d), Selector: f.Selector, Severity: string(f.Severity), Count: f.Count, Calls: f.Calls, WastedMs: f.WastedMs},
	}
}

// location is the source line to change; without one, the page.
func location(d report.Data, f audit.Finding) sarifLocation {
	file := sourceFile(f)
	if file == "" {
		return sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{URI: pageURI(d)}}}
	}
	l := sarifLocation{Physical: &sarifPhysical{Artifact: sarifArtifact{URI: escapePath(file), Base: "%SRCROOT%"}}}
	if f.Initiator.Line > 0 {
		l.Physical.Region = &sarifRegion{StartLine: f.Initiator.Line, StartColumn: f.Initiator.Column}
	}
	if f.Initiator.Function != "" {
		l.Logical = []sarifLogical{{f.Initiator.Function, "function"}}
	}
	return l
}

func escapePath(file string) string { return (&url.URL{Path: "/" + file}).EscapedPath()[1:] }

// pageURI is the page's address with nothing in it that a URI may not have.
func pageURI(d report.Data) string {
	u, err := url.Parse(page(d))
	if err != nil {
		return "about:blank"
	}
	u.RawQuery = strings.NewReplacer("[", "%5B", "]", "%5D", " ", "%20", "<", "%3C", ">", "%3E", `"`, "%22").Replace(u.RawQuery)
	return u.String()
}

func levelOf(f audit.Finding) string {
	switch {
	case f.Severity == audit.Critical:
		return "error"
	case f.Severity == audit.Info || !f.Issue():
		return "note"
	}
	return "warning"
}

// pascal is a rule's name as the standard wants it: NPlusOne.
func pascal(id string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '/' }) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
