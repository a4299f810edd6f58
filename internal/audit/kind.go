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
)

// kind is what the words of one audit depend on.
type kind struct {
	audit string
	tool  string
	title string
	// noun of what is analyzed; empty when the summary's form is the audit's own.
	noun string
	// quality is what the summary is about: "<quality> is good."
	quality string
	// empty is said when nothing was recorded.
	empty string
	// types in the order of their groups; others follow in the report's order.
	types []string
}

var kinds = []kind{
	{"security", "audit", "Security Audit", "", "", "", nil},
	{"accessibility", "audit", "Accessibility Audit", "", "", "", nil},
	{"performance", "audit", "Performance Audit", "", "", "", nil},
	{"seo", "audit", "SEO Audit", "", "", "", nil},
	{"dom", "audit", "DOM Audit", "", "", "", nil},
	{"css", "audit", "CSS Audit", "", "", "", nil},
	{
		"api", "api_audit", "API Efficiency Audit", "calls", "API efficiency",
		"no API calls recorded — reload page then re-run",
		[]string{waterfall, nPlusOne, duplicate, chattyLoad, overFetch},
	},
	{
		"loading", "loading_audit", "Loading UX Audit", "loaders", "Loading UX",
		"no loaders recorded — reload page then re-run",
		[]string{"spinner-cascade", "spinner-fragmentation"},
	},
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
	if k.noun == "" {
		return summary{line: s}, true
	}
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

// wordOf is the summary's word for a score.
func wordOf(score int) string {
	switch {
	case score >= 80:
		return "good"
	case score >= 60:
		return "moderate"
	}
	return "needs attention"
}

// gradeOf is the contract's table; a report whose grade differs is refused.
func gradeOf(score int) string {
	switch {
	case score >= 90:
		return "A"
	case score >= 80:
		return "B"
	case score >= 70:
		return "C"
	case score >= 60:
		return "D"
	}
	return "F"
}
