// Package report makes one self-contained document of an audit: the calls as a
// picture, each finding marked on it, and beside it what to change and where.
//
// Nothing in it is fetched from anywhere, no script runs in it, and every word
// that came from a page is escaped.
package report

import (
	"time"

	"oriel/internal/audit"
	"oriel/internal/report/chart"
	"oriel/internal/report/paint"
)

// Call is one call of the page, for the chart.
type Call = chart.Call

// Data is one audited page.
type Data struct {
	// Audits are the reports on it, one at least, each audit once.
	Audits []audit.Report
	// Failed audits came to no report.
	Failed []audit.Unmeasured
	// Calls of the page, for the chart.
	Calls []Call
	// Page is the address that was audited, Title what the page calls itself.
	Page  string
	Title string
	// When the calls were recorded; the time of the audits when it is zero.
	When time.Time
	// Source says where the calls come from, such as a file's name.
	Source string
	// Notes are said with the report: what was left out, and why.
	Notes []string
}

// Overall is the verdict on the page.
func (d Data) Overall() audit.Overall { return audit.Aggregate(d.Audits, d.Failed) }

// Alone is the one report there is: then there is nothing to add up.
func (d Data) Alone() (audit.Report, bool) {
	if len(d.Audits) == 1 && len(d.Failed) == 0 {
		return d.Audits[0], true
	}
	return audit.Report{}, false
}

// Score is what the page is measured by: 100 where nothing could be measured.
func (d Data) Score() int {
	if o := d.Overall(); o.Verdict() {
		return o.Score
	}
	return 100
}

// input is what the chart draws of it.
func (d Data) input(api audit.Report) chart.Input {
	return chart.Input{Report: api, Calls: d.Calls, Page: d.Page}
}

// Time is When, or the time of the audits.
func (d Data) Time() time.Time {
	if !d.When.IsZero() {
		return d.When
	}
	t, err := time.Parse(time.RFC3339Nano, d.Overall().CheckedAt)
	if err != nil {
		return time.Time{}
	}
	return t
}

// Worst is the lowest score, 100 when there are no pages.
func Worst(all []Data) int {
	worst := 100
	for _, d := range all {
		worst = min(worst, d.Score())
	}
	return worst
}

// PNG is the calls as a picture that is looked at as a whole.
func PNG(api audit.Report, calls []Call, page string) ([]byte, error) {
	return paint.PNG(chart.New(chart.Input{Report: api, Calls: calls, Page: page}, chart.Glance))
}
