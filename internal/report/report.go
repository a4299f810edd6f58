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
	Report audit.Report
	Calls  []Call
	// Page is the address that was audited, Title what the page calls itself.
	Page  string
	Title string
	// When the calls were recorded; the report's own time when it is zero.
	When time.Time
	// Source says where the calls come from, such as a file's name.
	Source string
	// Notes are said with the report: what was left out, and why.
	Notes []string
}

// Input is what the chart draws of it.
func (d Data) Input() chart.Input {
	return chart.Input{Report: d.Report, Calls: d.Calls, Page: d.Page}
}

// Time is When, or the time of the report.
func (d Data) Time() time.Time {
	if !d.When.IsZero() {
		return d.When
	}
	t, err := time.Parse(time.RFC3339Nano, d.Report.CheckedAt)
	if err != nil {
		return time.Time{}
	}
	return t
}

// Worst is the lowest score, 100 when there are no reports.
func Worst(all []Data) int {
	worst := 100
	for _, d := range all {
		worst = min(worst, d.Report.Score)
	}
	return worst
}

// PNG is the chart as a picture that is looked at as a whole.
func PNG(d Data) ([]byte, error) { return paint.PNG(chart.New(d.Input(), chart.Glance)) }

// SVG is the chart as a file of its own.
func SVG(d Data) []byte { return paint.StandaloneSVG(chart.New(d.Input(), chart.Screen)) }
