package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/quote"
	"oriel/internal/report/chart"
	"oriel/internal/report/paint"
)

// Bounds of the document.
const (
	maxTable    = 2000 // calls in the table
	maxLinks    = 24   // links from a finding to its calls
	maxEvidence = 6
	maxTitle    = 200
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// view is what the template sees of a document.
type view struct {
	Title   string
	Style   template.CSS
	Reports []reportView
}

type reportView struct {
	Prefix          string
	Page, PageTitle string
	When, Source    string
	Grade           string
	Score           int
	Summary         string
	Facts           []fact
	Chart           template.HTML
	Findings        []findingView
	Notes           []string
	Since           string
	Calls           []callView
	CallsCut        int
	Thresholds      []fact
}

type fact struct{ Name, Value string }

type findingView struct {
	Number             int
	ID, Kind, Severity string
	Colour             string
	Selector, Message  string
	Fix, FixHint       string
	Verdict            string
	Evidence           []string
	Calls              []linkView
	More               int
	Marked             bool
}

// linkView is a call's name; its ID is empty when it has no bar to lead to.
type linkView struct{ ID, Name string }

type callView struct {
	ID, Method, URL, Outcome, Start, Took string
	Findings                              []int
}

// HTML writes the reports as one document.
func HTML(w io.Writer, all []Data) error {
	light, dark := paint.Variables()
	v := view{Title: "API efficiency"}
	//nolint:gosec // constants of ours
	v.Style = template.CSS(":root{color-scheme:light dark;" + light + "}\n@media (prefers-color-scheme:dark){:root{" + dark + "}}\n" +
		"@media print{:root{color-scheme:light;" + light + "}}\n" + paint.Style() + "\n" + pageCSS)
	for i, d := range all {
		prefix := ""
		if len(all) > 1 {
			prefix = fmt.Sprintf("r%d-", i+1)
		}
		v.Reports = append(v.Reports, viewOf(d, prefix))
	}
	if len(all) == 1 {
		v.Title = fmt.Sprintf("%s (%d) %s", all[0].Report.Grade, all[0].Report.Score, v.Reports[0].Page)
	}
	if err := pageTemplate.Execute(w, v); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func viewOf(d Data, prefix string) reportView {
	o := chart.Screen
	o.Prefix = prefix
	pic := chart.New(d.Input(), o)
	v := reportView{
		Prefix: prefix, Page: quote.Text(chart.Redacted(d.Page), maxTitle), PageTitle: quote.Text(d.Title, maxTitle), Source: quote.Text(d.Source, maxTitle),
		Grade: d.Report.Grade, Score: d.Report.Score, Summary: d.Report.Summary,
		Facts: facts(d), Notes: notes(d, pic),
		Chart: template.HTML(paint.SVG(pic)), //nolint:gosec // escaped by its painter, which has tests of its own
	}
	if t := d.Time(); !t.IsZero() {
		v.When = t.UTC().Format("2 January 2006, 15:04 UTC")
	}
	if s := d.Report.SinceLast; s != nil {
		v.Since = fmt.Sprintf("since the last audit: %d fixed, %d new, %d unchanged", len(s.Fixed), len(s.New), len(s.Unchanged))
	}
	numbers := chart.Number(d.Report)
	for _, f := range d.Report.Findings {
		v.Findings = append(v.Findings, findingOf(f, numbers[f.ID], slices.Contains(pic.Drawn, f.ID), pic.Bars))
	}
	v.Calls, v.CallsCut = table(d, numbers)
	for name, value := range d.Report.Thresholds {
		v.Thresholds = append(v.Thresholds, fact{quote.Text(name, 60), fmt.Sprint(value)})
	}
	slices.SortFunc(v.Thresholds, func(a, b fact) int { return cmp.Compare(a.Name, b.Name) })
	return v
}

// facts are the numbers under the headline.
func facts(d Data) []fact {
	issues, wasted := 0, 0.0
	for _, f := range d.Report.Findings {
		if f.Issue() {
			issues++
		}
		if f.WastedMs != nil {
			wasted += *f.WastedMs
		}
	}
	out := []fact{{"calls", fmt.Sprint(d.Report.Analyzed())}, {"to address", fmt.Sprint(issues)}}
	if wasted > 0 {
		out = append(out, fact{"spent waiting in line", chart.Millis(math.Round(wasted))})
	}
	failed, last := 0, 0.0
	for _, c := range d.Calls {
		if c.End != nil {
			last = max(last, *c.End)
		}
		if !c.Aborted && (c.Status >= 400 || c.Error != "") {
			failed++
		}
	}
	if failed > 0 {
		out = append(out, fact{"failed", fmt.Sprint(failed)})
	}
	if last > 0 {
		out = append(out, fact{"until the last answer", chart.Millis(math.Round(last))})
	}
	return out
}

func findingOf(f audit.Finding, number int, marked bool, bars map[string]bool) findingView {
	v := findingView{
		Number: number, ID: f.ID, Kind: f.Type, Severity: string(f.Severity), Selector: f.Selector, Message: f.Message, Marked: marked,
		Colour:   map[string]string{"waterfall": "chain", "n-plus-one": "fan", "duplicate-call": "twin", "chatty-load": "load"}[f.Type],
		Evidence: f.Evidence[:min(len(f.Evidence), maxEvidence)],
	}
	if f.Initiator != nil {
		v.Fix = f.Initiator.String()
		if f.Initiator.Compiled {
			v.FixHint = "in what the browser ran; no source map led further"
		}
	}
	switch f.Parallelizable {
	case "yes":
		v.Verdict = "not every call here needs the answer before it: those that do not could run side by side"
	case "no":
		v.Verdict = "each call needs the one before it: one endpoint that answers all would save the waiting"
	}
	if f.StrictMode {
		v.Verdict = "only React's development mode does this; it costs nothing in production"
	}
	if f.Occurrences > 1 {
		v.Verdict = strings.TrimPrefix(fmt.Sprintf("%s; the same chain ran %d times", v.Verdict, f.Occurrences), "; ")
	}
	if f.Type == "chatty-load" {
		return v // its calls are the shaded window
	}
	for i, id := range f.Calls {
		if i >= maxLinks {
			v.More = len(f.Calls) - i
			break
		}
		l := linkView{Name: id}
		if bars[id] {
			l.ID = "call-" + id
		}
		v.Calls = append(v.Calls, l)
	}
	return v
}

// table is the text alternative to the picture, and what a search finds.
func table(d Data, numbers map[string]int) (calls []callView, cut int) {
	of := map[string][]int{}
	for _, f := range d.Report.Findings {
		for _, id := range f.Calls {
			of[id] = append(of[id], numbers[f.ID])
		}
	}
	for i, c := range d.Calls {
		if i >= maxTable {
			return calls, len(d.Calls) - i
		}
		v := callView{
			ID: quote.Text(c.ID, 64), Method: quote.Text(c.Method, 16), URL: quote.Text(chart.Shown(c.URL, d.Page), 300), Outcome: quote.Text(c.Outcome(), 120),
			Start: chart.Millis(c.Start), Findings: of[c.ID],
		}
		if c.End != nil {
			v.Took = chart.Millis(*c.End - c.Start)
		}
		calls = append(calls, v)
	}
	return calls, 0
}

// notes say what the document leaves out.
func notes(d Data, pic chart.Picture) []string {
	notes := slices.Clone(d.Notes)
	if d.Report.Empty() {
		notes = append(notes, "No API calls were recorded. That is no verdict: load the page, exercise the flow and audit again.")
	}
	if n := d.Report.Dropped; n > 0 {
		notes = append(notes, fmt.Sprintf("%d older calls had left the buffer before the audit and were not analyzed.", n))
	}
	omitted := 0
	for _, n := range d.Report.FindingsOmitted {
		omitted += n
	}
	if omitted > 0 {
		notes = append(notes, fmt.Sprintf("%d findings beyond the first %d are not listed.", omitted, len(d.Report.Findings)))
	}
	if pic.Undrawn > 0 {
		notes = append(notes, fmt.Sprintf("%d findings are listed below but not drawn.", pic.Undrawn))
	}
	if pic.Folded > 0 {
		notes = append(notes, fmt.Sprintf("%d calls are drawn together in shared rows; the table below has each.", pic.Folded))
	}
	if pic.Unplaced > 0 {
		notes = append(notes, fmt.Sprintf("%d calls have times that make no sense and are not drawn.", pic.Unplaced))
	}
	return notes
}
