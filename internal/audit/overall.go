package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"oriel/internal/audit/facts"
	"oriel/internal/audit/grade"
	"oriel/internal/quote"
)

// maxFixes bounds the fixes that are listed: a next step, not the whole list.
const maxFixes = 8

// Bounds of the compact answer on all audits.
const (
	maxOverall    = 2400
	maxFixPlace   = 60
	maxFixMessage = 160 // as long as a page's audits make them
)

// Overall is all audits of one page as one verdict. Where nothing was measured
// there is none: Score is 0, Grade empty, and both are null in JSON.
type Overall struct {
	Audit     string `json:"audit"` // "all"
	Score     int    `json:"score"`
	Grade     string `json:"grade"`
	Summary   string `json:"summary"`
	CheckedAt string `json:"checkedAt"`
	// Measured names the audits that the score is made of, in the order in which
	// they are run.
	Measured []string `json:"measured"`
	// Audits that measured something, the lowest score first; then the others.
	Audits []Report `json:"audits"`
	// Unmeasured audits have no part in the score.
	Unmeasured []Unmeasured `json:"unmeasured"`
	// TopFixes across the audits, what gains the most first.
	TopFixes []Fix `json:"topFixes"`
	// SinceLast adds up what became of the issues since the audits before; nil
	// when there was none.
	SinceLast *Totals `json:"sinceLast,omitempty"`
	// Ms says how long each audit took in the page, where that is known.
	Ms map[string]float64 `json:"ms,omitempty"`
}

// Unmeasured is an audit without a verdict.
type Unmeasured struct {
	Audit string `json:"audit"`
	Why   string `json:"why"`
}

// Fix is a finding as a step to take.
type Fix struct {
	Audit    string   `json:"audit"`
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Severity Severity `json:"severity"`
	Selector string   `json:"selector"`
	Message  string   `json:"message"`
	Where    string   `json:"where,omitempty"`
	// Gain orders the fixes: the finding's weight times that of its audit.
	Gain float64 `json:"gain"`
	// Also are other audits' findings that the same change settles; their gain
	// is in Gain.
	Also []Settled `json:"also,omitempty"`
}

// Settled is a finding that a fix of another audit's settles.
type Settled struct {
	Audit string `json:"audit"`
	ID    string `json:"id"`
}

// Totals counts what changed in the audits that were made before.
type Totals struct {
	Of        []string `json:"of"`
	Fixed     int      `json:"fixed"`
	New       int      `json:"new"`
	Unchanged int      `json:"unchanged"`
}

// weightsOf are the contract's weights by type and severity, for reports whose
// findings do not carry their own.
var weightsOf = map[string]map[Severity]float64{
	waterfall:  {Critical: 18, Warning: 10},
	nPlusOne:   {Warning: 10},
	duplicate:  {Warning: 8},
	chattyLoad: {Critical: 10, Warning: 6, Info: 3},
}

// cost is what f takes off its audit's score.
func (f Finding) cost() float64 {
	switch {
	case !f.Issue():
		return 0
	case f.Weight != nil:
		return *f.Weight
	}
	if w, ok := weightsOf[f.Type][f.Severity]; ok {
		return w
	}
	return map[Severity]float64{Critical: 10, Warning: 5, Info: 1}[f.Severity]
}

// Aggregate makes one verdict of the reports on a page: the weighted mean over
// those that measured something, rounded half up. Audits that could not be run
// are told in failed.
func Aggregate(reports []Report, failed []Unmeasured) Overall {
	o := Overall{Audit: "all", Audits: slices.Clone(reports), Measured: []string{}, Unmeasured: []Unmeasured{}, TopFixes: []Fix{}}
	sum, tenths := 0, 0
	for _, k := range kinds {
		i := slices.IndexFunc(reports, func(r Report) bool { return r.Audit == k.audit })
		if i < 0 {
			continue
		}
		r := reports[i]
		o.CheckedAt = max(o.CheckedAt, r.CheckedAt)
		if r.Empty() {
			o.Unmeasured = append(o.Unmeasured, Unmeasured{r.Audit, k.nothing()})
			continue
		}
		o.Measured = append(o.Measured, r.Audit)
		sum, tenths = sum+k.tenths*r.Score, tenths+k.tenths
		o.addFixes(r, k)
		o.addChange(r.Audit, r.SinceLast)
	}
	o.Unmeasured = append(o.Unmeasured, failed...)
	if tenths > 0 {
		o.Score = (2*sum + tenths) / (2 * tenths)
		o.Grade = grade.Of(o.Score)
	}
	slices.SortStableFunc(o.Audits, func(a, b Report) int {
		return cmp.Or(truth(a.Empty())-truth(b.Empty()), cmp.Compare(a.Score, b.Score))
	})
	slices.SortStableFunc(o.TopFixes, func(a, b Fix) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), rank(a.Severity)-rank(b.Severity))
	})
	o.TopFixes = o.TopFixes[:min(len(o.TopFixes), maxFixes)]
	o.Summary = o.summary(len(reports) + len(failed))
	return o
}

// Verdict says whether anything was measured.
func (o Overall) Verdict() bool { return len(o.Measured) > 0 }

// MarshalJSON writes a missing verdict as null.
func (o Overall) MarshalJSON() ([]byte, error) {
	type plain Overall
	out := struct {
		plain
		Score *int    `json:"score"`
		Grade *string `json:"grade"`
	}{plain: plain(o)}
	if o.Verdict() {
		out.Score, out.Grade = &o.Score, &o.Grade
	}
	return json.Marshal(out)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nothing says why an audit measured nothing.
func (k kind) nothing() string {
	if k.empty != "" {
		return k.empty
	}
	return "there was nothing to measure"
}

func (o *Overall) addFixes(r Report, k kind) {
	for _, f := range r.Findings {
		gain := math.Round(f.cost()*float64(k.tenths)*10) / 100
		if gain <= 0 {
			continue
		}
		i := slices.IndexFunc(o.TopFixes, func(t Fix) bool {
			return facts.Same(facts.Finding{Audit: t.Audit, Type: t.Type}, facts.Finding{Audit: r.Audit, Type: f.Type})
		})
		if i < 0 {
			o.TopFixes = append(o.TopFixes, Fix{r.Audit, f.ID, f.Type, f.Severity, f.Selector, f.Message, f.Where(), gain, nil})
			continue
		}
		t := &o.TopFixes[i]
		t.Gain, t.Also = t.Gain+gain, append(t.Also, Settled{r.Audit, f.ID})
		if rank(f.Severity) < rank(t.Severity) {
			t.Severity = f.Severity
		}
	}
}

// Audits names the audits that a fix is for, its own first.
func (f Fix) Audits() []string {
	names := []string{f.Audit}
	for _, s := range f.Also {
		if !slices.Contains(names, s.Audit) {
			names = append(names, s.Audit)
		}
	}
	return names
}

func (o *Overall) addChange(name string, c *Change) {
	if c == nil {
		return
	}
	if o.SinceLast == nil {
		o.SinceLast = &Totals{}
	}
	o.SinceLast.Of = append(o.SinceLast.Of, name)
	o.SinceLast.Fixed += len(c.Fixed)
	o.SinceLast.New += len(c.New)
	o.SinceLast.Unchanged += len(c.Unchanged)
}

// compared names the audits that had one before, where not all of them had.
func (o Overall) compared() string {
	if o.SinceLast == nil || len(o.SinceLast.Of) == len(o.Measured) {
		return ""
	}
	return " (" + strings.Join(o.SinceLast.Of, ", ") + ")"
}

func (o Overall) summary(asked int) string {
	issues, critical := 0, 0
	for _, r := range o.Audits {
		all, bad := r.Issues()
		issues, critical = issues+all, critical+bad
	}
	s := plural(asked, "audit")
	if n := len(o.Unmeasured); n > 0 {
		s = fmt.Sprintf("%d of %s measured", asked-n, s)
	}
	if issues == 0 {
		return s + ". no issues to address"
	}
	s += ". " + plural(issues, "issue") + " to address"
	if critical > 0 {
		s += fmt.Sprintf(", %d critical", critical)
	}
	return s
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Text is the compact answer: the verdict, a line per audit, the top fixes, and
// the call that shows the audit to look at first.
func (o Overall) Text(t TextOptions) string {
	var b strings.Builder
	if o.Verdict() {
		fmt.Fprintf(&b, "=== Audit: %s (%d) ===\n%s\n\n", o.Grade, o.Score, o.Summary)
	} else {
		fmt.Fprintf(&b, "=== Audit: no verdict ===\n%s\n\n", o.Summary)
	}
	for _, r := range o.Audits {
		if !r.Empty() {
			fmt.Fprintf(&b, "  %s %3d  %s%s\n", r.Grade, r.Score, r.Audit, issueCount(r))
		}
	}
	for _, u := range o.Unmeasured {
		fmt.Fprintf(&b, "  -   -  %s: not measured, %s\n", u.Audit, quote.Text(u.Why, maxFixMessage))
	}
	tail := o.tail(t)
	if len(o.TopFixes) > 0 {
		b.WriteString("\ntop fixes\n")
		for i, f := range o.TopFixes {
			line := f.line()
			if b.Len()+len(line)+len(tail) > maxOverall && i > 0 {
				break
			}
			b.WriteString(line)
		}
	}
	b.WriteString(tail)
	return b.String()
}

func issueCount(r Report) string {
	all, critical := r.Issues()
	switch {
	case all == 0:
		return ""
	case critical > 0:
		return fmt.Sprintf(" — %s, %d critical", plural(all, "issue"), critical)
	}
	return " — " + plural(all, "issue")
}

func (f Fix) line() string {
	s := fmt.Sprintf("  [%s] %s: %s — %s", f.Severity, strings.Join(f.Audits(), ", "), quote.Text(f.Selector, maxFixPlace), quote.Text(f.Message, maxFixMessage))
	if f.Where != "" {
		s += " ↳ " + quote.Text(f.Where, maxFixPlace)
	}
	return s + "\n"
}

// tail is what changed, and where to look next. A loader is mostly gone by the
// time somebody looks, so it is not what is shown in the page.
func (o Overall) tail(t TextOptions) string {
	var lines []string
	if c := o.SinceLast; c != nil {
		lines = append(lines, fmt.Sprintf("since last audit%s: fixed %d, new %d, unchanged %d", o.compared(), c.Fixed, c.New, c.Unchanged))
	}
	if len(o.TopFixes) > 0 && !t.Offline {
		first := o.TopFixes[0]
		lines = append(lines, "→ audit "+args(arg{"proxy_id", t.Proxy}, arg{"name", first.Audit}))
		if i := slices.IndexFunc(o.TopFixes, func(f Fix) bool { return f.Audit != "loading" && Finding{Selector: f.Selector}.element() }); i >= 0 {
			lines = append(lines, "→ "+highlight(o.TopFixes[i].Selector, t))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}
