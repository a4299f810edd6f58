// Package audit holds what an audit in the page answers: the report and its
// findings as typed values, the compact text made of them, and what changed
// since the last audit of the same page.
//
// A report comes from the page, so nothing in it is trusted: Parse bounds and
// cleans every string and clamps every number before anything else sees it.
package audit

// Severity of a finding.
type Severity string

// The severities of the contract.
const (
	Critical Severity = "critical"
	Warning  Severity = "warning"
	Info     Severity = "info"
)

// Report is the whole answer of one audit. The first seven fields are the
// contract's; what follows is left out of the JSON when it has nothing to say.
type Report struct {
	Audit            string    `json:"audit"`
	Score            int       `json:"score"`
	Grade            string    `json:"grade"`
	Summary          string    `json:"summary"`
	CheckedAt        string    `json:"checkedAt"`
	Findings         []Finding `json:"findings"`
	FindingSelectors []string  `json:"findingSelectors"`

	// How much the audit looked at; only the one that fits the audit is set.
	CallsAnalyzed    *int `json:"callsAnalyzed,omitempty"`
	LoadersAnalyzed  *int `json:"loadersAnalyzed,omitempty"`
	ChecksAnalyzed   *int `json:"checksAnalyzed,omitempty"`
	ElementsAnalyzed *int `json:"elementsAnalyzed,omitempty"`
	MetricsAnalyzed  *int `json:"metricsAnalyzed,omitempty"`
	RulesAnalyzed    *int `json:"rulesAnalyzed,omitempty"`
	// Dropped counts what had left the buffer before the audit.
	Dropped int `json:"dropped,omitempty"`
	// FindingsOmitted counts, by type, findings beyond the bound of Parse.
	FindingsOmitted map[string]int `json:"findingsOmitted,omitempty"`
	// Metrics are the values that were judged, by name: times in ms, CLS as it
	// is.
	Metrics map[string]float64 `json:"metrics,omitempty"`
	// Thresholds are the limits the detectors went by.
	Thresholds map[string]float64 `json:"thresholds,omitempty"`
	// SinceLast compares with the previous audit of the same page; nil when
	// there was none.
	SinceLast *Change `json:"sinceLast,omitempty"`
}

// Finding is one thing an audit has to say. The first five fields are the
// contract's; which of the others are set depends on the type.
type Finding struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Severity Severity `json:"severity"`
	Selector string   `json:"selector"`
	Message  string   `json:"message"`

	// Of a chain of calls, and of a fan-out that ran serially.
	ChainLength  int      `json:"chainLength,omitempty"`
	SerialWallMs *float64 `json:"serialWallMs,omitempty"`
	MaxSingleMs  *float64 `json:"maxSingleMs,omitempty"`
	WastedMs     *float64 `json:"wastedMs,omitempty"`
	URLs         []string `json:"urls,omitempty"`
	// Parallelizable is yes, no or unknown, and Evidence says why.
	Parallelizable string   `json:"parallelizable,omitempty"`
	Evidence       []string `json:"evidence,omitempty"`
	// Occurrences: how often the same chain ran.
	Occurrences int `json:"occurrences,omitempty"`

	// Of repeated calls.
	Method   string   `json:"method,omitempty"`
	Count    int      `json:"count,omitempty"`
	Distinct int      `json:"distinct,omitempty"`
	Examples []string `json:"examples,omitempty"`
	SpanMs   *float64 `json:"spanMs,omitempty"`
	// StrictMode: only React's development mode does this.
	StrictMode bool `json:"strictMode,omitempty"`
	// SharedWith is a call of this kind that another finding already counts.
	SharedWith string `json:"sharedWith,omitempty"`

	// Of loaders.
	Depth      int      `json:"depth,omitempty"`
	DurationMs *float64 `json:"durationMs,omitempty"`
	Container  string   `json:"container,omitempty"`
	Loaders    []string `json:"loaders,omitempty"`

	// Weight is what it takes off the score; 0 is told but not held against the
	// page, nil is not said.
	Weight *float64 `json:"weight,omitempty"`
	// Help is an https address that explains the rule.
	Help string `json:"help,omitempty"`
	// Place is where the page says it comes from; Trace turns it into Initiator.
	Place *Place `json:"place,omitempty"`

	// Calls are the ids of the calls it rests on.
	Calls []string `json:"calls,omitempty"`
	// Stacks are the call-time stacks, raw; Locate turns them into Initiator.
	Stacks []string `json:"stacks,omitempty"`
	// Initiator is the application's source line that made the calls.
	Initiator *Initiator `json:"initiator,omitempty"`
}

// Place is a file as the page knows it, an address or a path, and a line of it;
// 0 when that is not known.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
}

// Initiator is a place in the application's source. Line 0 means that only the
// file is known.
type Initiator struct {
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
	// Compiled: no source map led further, the place is in what the browser ran.
	Compiled bool `json:"compiled,omitempty"`
}

// Issue says whether there is something to do about f: notes have no weight and
// are not counted as issues.
func (f Finding) Issue() bool {
	return f.Type != overFetch && !f.StrictMode && (f.Weight == nil || *f.Weight > 0)
}

// Issues counts the findings to be addressed, and the critical ones among them.
func (r Report) Issues() (all, critical int) {
	for _, f := range r.Findings {
		if !f.Issue() {
			continue
		}
		all++
		if f.Severity == Critical {
			critical++
		}
	}
	return all, critical
}

// measured is the count that fits the audit, nil when the report has none.
func (r Report) measured() *int {
	for _, n := range []*int{r.CallsAnalyzed, r.LoadersAnalyzed, r.ChecksAnalyzed, r.ElementsAnalyzed, r.MetricsAnalyzed, r.RulesAnalyzed} {
		if n != nil {
			return n
		}
	}
	return nil
}

// Analyzed is how much the audit looked at; 0 also when the report does not
// say.
func (r Report) Analyzed() int {
	if n := r.measured(); n != nil {
		return *n
	}
	return 0
}

// Empty says that the audit had nothing to look at, which is no verdict.
func (r Report) Empty() bool { return r.measured() != nil && r.Analyzed() == 0 }

// Locate asks find for the source line behind the stacks of each finding that
// has some, and takes the stacks out of the report: what they tell is in the
// initiator. The note and page-wide findings have no one line and get none.
func (r *Report) Locate(find func(stacks []string) (Initiator, bool)) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if len(f.Stacks) > 0 && f.Type != chattyLoad {
			if place, ok := find(f.Stacks); ok {
				place = cleanInitiator(place)
				f.Initiator = &place
			}
		}
		f.Stacks = nil
	}
}

// Trace asks find for the source behind the place that the page knows of each
// finding, and takes that place out of the report: what it tells is in the
// initiator. An initiator that stacks led to stays.
func (r *Report) Trace(find func(Place) Initiator) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Place != nil && f.Initiator == nil {
			place := cleanInitiator(find(*f.Place))
			f.Initiator = &place
		}
		f.Place = nil
	}
}

// Where is the place to change, as an editor takes it; empty when none is
// known.
func (f Finding) Where() string {
	switch {
	case f.Initiator != nil:
		return f.Initiator.String()
	case f.Place != nil:
		return Initiator{File: f.Place.File, Line: f.Place.Line}.String()
	}
	return ""
}
