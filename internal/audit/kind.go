package audit

import (
	"slices"

	"oriel/internal/lazyre"
)

// Types of findings that this package treats differently from others.
const (
	waterfall  = "waterfall"
	nPlusOne   = "n-plus-one"
	duplicate  = "duplicate-call"
	chattyLoad = "chatty-load"
	overFetch  = "over-fetch-unavailable"

	spinnerCascade = "spinner-cascade"
)

// kind is what the words of one audit depend on.
type kind struct {
	audit string
	tool  string
	title string
	// tenths is its weight in the mean of all, in tenths: whole numbers add up
	// the same on both sides of the wire.
	tenths int
	// noun of what is analyzed.
	noun string
	// quality is what the summary is about: "<quality> is good."
	quality string
	// empty is said when nothing was recorded.
	empty string
	// types in the order of their groups; others follow in the report's order.
	types []string
}

// kinds in the order in which they are run.
var kinds = []kind{
	{"security", "audit", "Security Audit", 15, "checks", "Security", "", nil},
	{"accessibility", "audit", "Accessibility Audit", 13, "elements", "Accessibility", "", nil},
	{"performance", "audit", "Performance Audit", 12, "metrics", "Performance", "", nil},
	{"seo", "audit", "SEO Audit", 10, "checks", "SEO", "", nil},
	{"dom", "audit", "DOM Audit", 8, "elements", "DOM", "", nil},
	{"css", "audit", "CSS Audit", 7, "rules", "CSS", "", nil},
	{
		"api", "api_audit", "API Efficiency Audit", 11, "calls", "API efficiency",
		"no API calls recorded — reload page then re-run",
		[]string{waterfall, nPlusOne, duplicate, chattyLoad, overFetch},
	},
	{
		"loading", "loading_audit", "Loading UX Audit", 11, "loaders", "Loading UX",
		"no loaders recorded — reload page then re-run",
		[]string{spinnerCascade, "spinner-fragmentation"},
	},
}

// Names of all audits, in the order in which they are run.
func Names() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.audit
	}
	return names
}

// Title is what the audit of that name is called; the name itself when there is
// none.
func Title(name string) string {
	if k, ok := kindOf(name); ok {
		return k.title
	}
	return name
}

// Quality is what the audit of that name judges, in a word or two.
func Quality(name string) string {
	if k, ok := kindOf(name); ok {
		return k.quality
	}
	return name
}

// kindOf finds the audit by the name in its report.
func kindOf(audit string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.audit == audit })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// summaryForm takes a summary apart: the sentence up to the count, the count,
// its noun, and what follows. The page words the summary, but it stands where
// Oriel speaks, so nothing that is not of this form is let through.
var summaryForm = lazyre.New(`^([A-Z][A-Za-z]*(?: [A-Za-z]+)*) is (good|moderate|needs attention)\. \(([0-9]{1,9}) ([a-z]+) analyzed\)(?:\. (.+))?$`)

var issuesForm = lazyre.New(`^(?:1 issue|[0-9]{1,6} issues) to address$`)

// summary is a summary taken apart.
type summary struct {
	line string // without the note of an empty report
	word string
	note string
}

// readSummary checks s against the form of the audit's summaries.
func (k kind) readSummary(s string) (summary, bool) {
	m := summaryForm.FindStringSubmatch(s)
	if m == nil || m[1] != k.quality || m[4] != k.noun {
		return summary{}, false
	}
	switch tail := m[5]; {
	case tail == "":
		return summary{line: s, word: m[2]}, true
	case tail == k.empty && m[3] == "0":
		return summary{line: s[:len(s)-len(tail)-len(". ")], word: m[2], note: tail}, true
	case issuesForm.MatchString(tail):
		return summary{line: s, word: m[2]}, true
	}
	return summary{}, false
}
