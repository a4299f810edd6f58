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
	"oriel/internal/audit/vitals"
	"oriel/internal/quote"
	"oriel/internal/report/chart"
	"oriel/internal/report/paint"
)

// Bounds of the document.
const (
	maxTable    = 2000 // calls in the table
	maxLinks    = 24   // links from a finding to its calls
	maxEvidence = 6
	maxExamples = 5
	maxTitle    = 200
)

// apiAudit is the audit that has a chart.
const apiAudit = "api"

//go:embed page.html
var pageText string

//go:embed page.css
var pageCSS string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// view is what the template sees of a document.
type view struct {
	Title   string
	Kicker  string
	Style   template.CSS
	Reports []pageView
}

// pageView is one page: the verdict, and a section per audit.
type pageView struct {
	Prefix          string
	Page, PageTitle string
	When, Source    string
	Kicker          string
	Grade           string
	Score           int
	Summary         string
	Since           string
	Facts           []fact
	Notes           []string
	Cards           []cardView
	Fixes           []fixView
	Sections        []sectionView
}

// cardView is an audit at a glance; one that measured nothing has no grade.
type cardView struct {
	Anchor, Name, Grade string
	Score               int
	Words               string
}

type fixView struct {
	Anchor, Audit, Severity  string
	Message, Selector, Where string
}

type sectionView struct {
	Prefix, Anchor string
	Name, Grade    string
	Score          int
	Alone          bool // there is no other: what it says stands at the top already
	Summary        string
	Since          string
	Facts          []fact
	Chart          template.HTML
	Heading        string
	Findings       []findingView
	Notes          []string
	Calls          []callView
	CallsCut       int
	Thresholds     []fact
}

type fact struct{ Name, Value string }

type findingView struct {
	Number            int
	Anchor, Mark      string
	Kind, Severity    string
	Note              bool
	Colour            string
	Selector, Message string
	Fix, FixHint      string
	Verdict           string
	Evidence          []string
	Count             int
	Examples          []string
	Help              template.URL
	Calls             []linkView
	More              int
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
	v := view{Kicker: "Page audit"}
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
	if v.Title = v.Kicker; len(all) > 0 {
		v.Kicker = v.Reports[0].Kicker
		v.Title = fmt.Sprintf("%s of %d pages", v.Kicker, len(all))
	}
	if len(all) == 1 {
		v.Title = fmt.Sprintf("%s (%d) %s", v.Reports[0].Grade, v.Reports[0].Score, v.Reports[0].Page)
	}
	if err := pageTemplate.Execute(w, v); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func viewOf(d Data, prefix string) pageView {
	v := pageView{
		Prefix: prefix, Page: quote.Text(chart.Redacted(d.Page), maxTitle), PageTitle: quote.Text(d.Title, maxTitle), Source: quote.Text(d.Source, maxTitle),
		Notes: d.Notes, Kicker: "Page audit",
	}
	if t := d.Time(); !t.IsZero() {
		v.When = t.UTC().Format("2 January 2006, 15:04 UTC")
	}
	if r, ok := d.Alone(); ok {
		s := sectionOf(d, r, prefix)
		s.Alone = true
		v.Kicker, v.Grade, v.Score, v.Summary, v.Since, v.Facts = audit.Quality(r.Audit), r.Grade, r.Score, r.Summary, s.Since, s.Facts
		v.Sections = []sectionView{s}
		return v
	}
	o := d.Overall()
	v.Grade, v.Score, v.Summary = o.Grade, o.Score, o.Summary
	if !o.Verdict() {
		v.Grade, v.Score = "?", 0
	}
	if s := o.SinceLast; s != nil && len(s.Of) == len(o.Measured) {
		v.Since = since(s.Fixed, s.New, s.Unchanged)
	}
	for _, r := range o.Audits {
		s := sectionOf(d, r, prefix)
		v.Sections = append(v.Sections, s)
		if !r.Empty() {
			v.Cards = append(v.Cards, cardView{s.Anchor, s.Name, r.Grade, r.Score, issues(r)})
		}
	}
	for _, u := range o.Unmeasured {
		why, _, _ := strings.Cut(u.Why, " — ") // what to do about it stands in its section
		v.Cards = append(v.Cards, cardView{Name: audit.Quality(u.Audit), Words: "not measured: " + quote.Text(why, maxTitle)})
	}
	for _, f := range o.TopFixes {
		var names []string
		for _, name := range f.Audits() {
			names = append(names, audit.Quality(name))
		}
		v.Fixes = append(v.Fixes, fixView{anchor(prefix, f.Audit, f.ID), strings.Join(names, ", "), string(f.Severity), f.Message, f.Selector, f.Where})
	}
	return v
}

func since(fixed, fresh, unchanged int) string {
	return fmt.Sprintf("since the last audit: %d fixed, %d new, %d unchanged", fixed, fresh, unchanged)
}

func issues(r audit.Report) string {
	all, critical := r.Issues()
	switch {
	case all == 0:
		return "nothing to address"
	case critical > 0:
		return fmt.Sprintf("%d to address, %d critical", all, critical)
	}
	return fmt.Sprintf("%d to address", all)
}

// rank puts the worst first, and notes last.
func rank(f audit.Finding) int {
	if !f.Issue() {
		return 3
	}
	return slices.Index([]audit.Severity{audit.Critical, audit.Warning, audit.Info}, f.Severity)
}

// anchor of a finding. Those of the chart's audit are where the chart leads to;
// the others may be called the same in two audits.
func anchor(prefix, name, id string) string {
	if name == apiAudit {
		return prefix + "finding-" + id
	}
	return prefix + "finding-" + name + "-" + id
}

// sectionOf is one audit of a page.
func sectionOf(d Data, r audit.Report, prefix string) sectionView {
	v := sectionView{
		Prefix: prefix, Anchor: prefix + "audit-" + r.Audit, Name: audit.Quality(r.Audit), Grade: r.Grade, Score: r.Score, Summary: r.Summary, Heading: "Nothing to change",
	}
	if s := r.SinceLast; s != nil {
		v.Since = since(len(s.Fixed), len(s.New), len(s.Unchanged))
	}
	if n, _ := r.Issues(); n > 0 {
		v.Heading = "What to change"
	}
	var pic chart.Picture
	numbers := map[string]int{}
	if r.Audit == apiAudit {
		o := chart.Screen
		o.Prefix = prefix
		pic, numbers = chart.New(d.input(r), o), chart.Number(r)
		v.Chart = template.HTML(paint.SVG(pic)) //nolint:gosec // escaped by its painter, which has tests of its own
		v.Facts = facts(d, r)
		v.Calls, v.CallsCut = table(d, r, numbers)
	}
	for _, m := range vitals.Words(r.Metrics) {
		v.Facts = append(v.Facts, fact{m.Name, m.Text})
	}
	v.Notes = notes(r, pic)
	findings := r.Findings
	if r.Audit != apiAudit { // the chart's have their numbers
		findings = slices.SortedStableFunc(slices.Values(findings), func(a, b audit.Finding) int { return cmp.Compare(rank(a), rank(b)) })
	}
	for _, f := range findings {
		fv := findingOf(f, numbers[f.ID], pic)
		fv.Anchor = anchor(prefix, r.Audit, f.ID)
		v.Findings = append(v.Findings, fv)
	}
	for name, value := range r.Thresholds {
		v.Thresholds = append(v.Thresholds, fact{quote.Text(name, 60), fmt.Sprint(value)})
	}
	slices.SortFunc(v.Thresholds, func(a, b fact) int { return cmp.Compare(a.Name, b.Name) })
	return v
}

// facts are the numbers under the headline.
func facts(d Data, r audit.Report) []fact {
	issues, _ := r.Issues()
	wasted := 0.0
	for _, f := range r.Findings {
		if f.WastedMs != nil {
			wasted += *f.WastedMs
		}
	}
	out := []fact{{"calls", fmt.Sprint(r.Analyzed())}, {"to address", fmt.Sprint(issues)}}
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

func findingOf(f audit.Finding, number int, pic chart.Picture) findingView {
	v := findingView{
		Number: number, Kind: f.Type, Severity: string(f.Severity), Note: !f.Issue(), Selector: f.Selector, Message: f.Message,
		Colour:   map[string]string{"waterfall": "chain", "n-plus-one": "fan", "duplicate-call": "twin", "chatty-load": "load"}[f.Type],
		Evidence: f.Evidence[:min(len(f.Evidence), maxEvidence)],
		Help:     template.URL(f.Help), //nolint:gosec // an https address, or nothing: see audit.Parse
	}
	if slices.Contains(pic.Drawn, f.ID) {
		v.Mark = "mark-" + f.ID
	}
	if f.Method == "" && len(f.Calls) == 0 {
		v.Count, v.Examples = f.Count, f.Examples[:min(len(f.Examples), maxExamples)]
	}
	v.Fix = f.Where()
	if f.Initiator != nil && f.Initiator.Compiled && len(f.Calls) > 0 {
		v.FixHint = "in what the browser ran; no source map led further"
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
		if pic.Bars[id] {
			l.ID = "call-" + id
		}
		v.Calls = append(v.Calls, l)
	}
	return v
}

// table is the text alternative to the picture, and what a search finds.
func table(d Data, r audit.Report, numbers map[string]int) (calls []callView, cut int) {
	of := map[string][]int{}
	for _, f := range r.Findings {
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
func notes(r audit.Report, pic chart.Picture) []string {
	var notes []string
	switch {
	case r.Empty() && r.Audit == apiAudit:
		notes = append(notes, "No API calls were recorded. That is no verdict: load the page, exercise the flow and audit again.")
	case r.Empty():
		notes = append(notes, "There was nothing to measure. That is no verdict.")
	}
	if n := r.Dropped; n > 0 {
		notes = append(notes, fmt.Sprintf("%d older calls had left the buffer before the audit and were not analyzed.", n))
	}
	omitted := 0
	for _, n := range r.FindingsOmitted {
		omitted += n
	}
	if omitted > 0 {
		notes = append(notes, fmt.Sprintf("%d findings beyond the first %d are not listed.", omitted, len(r.Findings)))
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
