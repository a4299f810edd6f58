package formats

import (
	"fmt"
	"slices"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/quote"
	"oriel/internal/report"
	"oriel/internal/report/chart"
)

// rule is a detector as rule-based formats know it.
type rule struct {
	id, title, help string
	// uri explains it.
	uri string
	// note: it says what cannot be measured, and is never a fault.
	note bool
}

// apiRules in the order of the audit's own groups. They are all named, so that
// a test that passes is seen to have run; those of the other audits are too
// many for that, and are named where they are broken.
var apiRules = []rule{
	{id: "waterfall", title: "Calls run one after the other", help: "A request starts only when the one before it has ended. Start requests that do not need each other's answers together (Promise.all), or let one endpoint answer all of them."},
	{id: "n-plus-one", title: "One call per item", help: "The same endpoint is asked once per item. Ask for all items in one request."},
	{id: "duplicate-call", title: "The same call again", help: "Identical requests within two seconds. Share one request or its cached answer between the places that need it."},
	{id: "chatty-load", title: "Many calls while the page loads", help: "Too many requests in the first three seconds. Combine them, or put off what is not needed at once."},
	{id: "over-fetch-unavailable", title: "Response sizes are not measured", help: "The call buffer has no response sizes, so payloads that are too large cannot be found.", note: true},
}

// ruleOf is the rule behind a finding. Outside the API audit the id begins with
// the audit's name: two audits may call a rule the same.
func ruleOf(name string, f audit.Finding) rule {
	if i := slices.IndexFunc(apiRules, func(r rule) bool { return r.id == f.Type }); name == "api" && i >= 0 {
		return apiRules[i]
	}
	words := strings.ReplaceAll(f.Type, "-", " ")
	return rule{id: name + "/" + f.Type, title: audit.Quality(name) + ": " + words, help: f.Message, uri: f.Help, note: !f.Issue()}
}

// verdict is the page's grade and score in a word or two, and its summary.
func verdict(d report.Data) (grade, summary string) {
	if r, ok := d.Alone(); ok {
		return fmt.Sprintf("%s %s (%d)", audit.Quality(r.Audit), r.Grade, r.Score), r.Summary
	}
	o := d.Overall()
	if !o.Verdict() {
		return "Audit: no verdict", o.Summary
	}
	return fmt.Sprintf("Audit %s (%d)", o.Grade, o.Score), o.Summary
}

// page is the address of a report's page, without secrets, on one line.
func page(d report.Data) string { return quote.Text(chart.Redacted(d.Page), 300) }

// name is what a report is called where there are several.
func name(d report.Data) string {
	if d.Source != "" {
		return quote.Text(d.Source, 200) + ": " + page(d)
	}
	return page(d)
}

// sourceFile is the file of the project to be changed; empty when only a place
// in compiled code is known, which no checkout has.
func sourceFile(f audit.Finding) string {
	if f.Initiator == nil || f.Initiator.Compiled {
		return ""
	}
	return trimSlash(f.Initiator.File)
}

func trimSlash(file string) string {
	for len(file) > 0 && file[0] == '/' {
		file = file[1:]
	}
	return file
}

// statement is a finding in one line, with its place when no format's own
// field carries it.
func statement(f audit.Finding, withPlace bool) string {
	s := f.Selector + " — " + f.Message
	if where := f.Where(); withPlace && where != "" {
		s += " (" + where + ")"
	}
	return s
}
