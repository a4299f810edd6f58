package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"oriel/internal/audit/grade"
	"oriel/internal/lazyre"
	"oriel/internal/quote"
)

// Bounds of what is taken from a page. A buffer of 1,000 calls stays far below
// all of them; a HAR file of 10,000 does as well.
const (
	maxBytes    = 32 << 20
	maxFindings = 2000
	maxSelector = 300
	maxMessage  = 500
	maxURL      = 300
	maxList     = 100
	maxCalls    = 10_000
	maxID       = 64
	maxStacks   = 8
	maxStack    = 8 << 10
	maxNumbers  = 64
	maxCount    = 100_000_000
	maxMs       = 1e9
	maxWeight   = 100
)

var (
	tokenForm = lazyre.New(`^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$`)
	callForm  = lazyre.New(`^[A-Za-z0-9._:-]+$`)
	helpForm  = lazyre.New(`^https://[a-z0-9.-]+(?:/[A-Za-z0-9._~/?#&=%+-]*)?$`)
)

// wire is the report before it is believed: every field still text, so that one
// of a wrong type is told from one that is missing, and an extra one of a wrong
// type does no harm.
type wire struct {
	Audit            json.RawMessage `json:"audit"`
	Score            json.RawMessage `json:"score"`
	Grade            json.RawMessage `json:"grade"`
	Summary          json.RawMessage `json:"summary"`
	CheckedAt        json.RawMessage `json:"checkedAt"`
	Findings         json.RawMessage `json:"findings"`
	FindingSelectors json.RawMessage `json:"findingSelectors"`
	CallsAnalyzed    json.RawMessage `json:"callsAnalyzed"`
	LoadersAnalyzed  json.RawMessage `json:"loadersAnalyzed"`
	ChecksAnalyzed   json.RawMessage `json:"checksAnalyzed"`
	ElementsAnalyzed json.RawMessage `json:"elementsAnalyzed"`
	MetricsAnalyzed  json.RawMessage `json:"metricsAnalyzed"`
	RulesAnalyzed    json.RawMessage `json:"rulesAnalyzed"`
	Dropped          json.RawMessage `json:"dropped"`
	Metrics          json.RawMessage `json:"metrics"`
	Thresholds       json.RawMessage `json:"thresholds"`
}

// contract is the wire's part that must be there.
type contract struct {
	audit, grade, summary, checkedAt string
	score                            float64
	findings                         []json.RawMessage
	selectors                        []string
}

func (w *wire) contract() (c contract, err error) {
	for _, f := range []struct {
		name string
		raw  json.RawMessage
		into any
	}{
		{"audit", w.Audit, &c.audit}, {"score", w.Score, &c.score}, {"grade", w.Grade, &c.grade}, {"summary", w.Summary, &c.summary},
		{"checkedAt", w.CheckedAt, &c.checkedAt}, {"findings", w.Findings, &c.findings}, {"findingSelectors", w.FindingSelectors, &c.selectors},
	} {
		if len(f.raw) == 0 || string(f.raw) == "null" {
			return c, fmt.Errorf("%s is missing", f.name)
		}
		if err := json.Unmarshal(f.raw, f.into); err != nil {
			return c, fmt.Errorf("%s is of the wrong type: %w", f.name, err)
		}
	}
	if len(c.selectors) != len(c.findings) {
		return c, fmt.Errorf("%d findingSelectors for %d findings", len(c.selectors), len(c.findings))
	}
	if c.score != math.Trunc(c.score) {
		return c, fmt.Errorf("score %v is no integer", c.score)
	}
	return c, nil
}

// Parse reads a report as the page sent it. Fields it does not know are
// ignored; the contract's must be there, of the right type, and agree with each
// other. What it returns is bounded, on single lines and free of control
// characters.
func Parse(data []byte) (Report, error) {
	r, err := parse(data)
	if err != nil {
		return Report{}, fmt.Errorf("read audit report: %w", err)
	}
	return r, nil
}

func parse(data []byte) (Report, error) {
	if len(data) > maxBytes {
		return Report{}, fmt.Errorf("%d bytes, at most %d", len(data), maxBytes)
	}
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Report{}, err
	}
	c, err := w.contract()
	if err != nil {
		return Report{}, err
	}
	k, ok := kindOf(c.audit)
	if !ok {
		return Report{}, fmt.Errorf("unknown audit %s", quote.Quoted(c.audit, maxID))
	}
	at, err := time.Parse(time.RFC3339Nano, c.checkedAt)
	if err != nil {
		return Report{}, fmt.Errorf("checkedAt %s is no ISO 8601 time", quote.Quoted(c.checkedAt, maxID))
	}
	r := Report{
		Audit:      k.audit,
		Score:      int(clamp(c.score, 100)),
		CheckedAt:  at.UTC().Format("2006-01-02T15:04:05.000Z"),
		Summary:    quote.Text(c.summary, maxSelector),
		Metrics:    numbers(w.Metrics),
		Thresholds: numbers(w.Thresholds),
	}
	r.takeCounts(&w, k)
	if r.Grade = grade.Of(r.Score); r.Grade != c.grade {
		return Report{}, fmt.Errorf("grade %s does not fit score %d", quote.Quoted(c.grade, maxID), r.Score)
	}
	if s, ok := k.readSummary(r.Summary); !ok || (s.word != "" && s.word != grade.Word(r.Score)) {
		return Report{}, fmt.Errorf("summary %s is not what this audit says at score %d", quote.Quoted(r.Summary, maxSelector), r.Score)
	}
	return r, r.takeFindings(c.findings)
}

// takeCounts takes the one count that fits the audit, and what was dropped.
func (r *Report) takeCounts(w *wire, k kind) {
	switch k.noun {
	case "calls":
		r.CallsAnalyzed = whole(w.CallsAnalyzed)
	case "loaders":
		r.LoadersAnalyzed = whole(w.LoadersAnalyzed)
	case "checks":
		r.ChecksAnalyzed = whole(w.ChecksAnalyzed)
	case "elements":
		r.ElementsAnalyzed = whole(w.ElementsAnalyzed)
	case "metrics":
		r.MetricsAnalyzed = whole(w.MetricsAnalyzed)
	case "rules":
		r.RulesAnalyzed = whole(w.RulesAnalyzed)
	}
	if n := whole(w.Dropped); n != nil {
		r.Dropped = *n
	}
}

// takeFindings bounds the findings and derives the selectors from them.
func (r *Report) takeFindings(raw []json.RawMessage) error {
	if len(raw) > maxFindings {
		r.FindingsOmitted = countTypes(raw[maxFindings:])
		raw = raw[:maxFindings]
	}
	r.Findings, r.FindingSelectors = make([]Finding, len(raw)), make([]string, len(raw))
	for i := range raw {
		f := &r.Findings[i]
		// An extra field of another type is passed over; check misses what the
		// contract needs.
		var mismatch *json.UnmarshalTypeError
		err := json.Unmarshal(raw[i], f)
		if err == nil || (errors.As(err, &mismatch) && mismatch.Field != "") {
			err = f.check()
		}
		if err != nil {
			return fmt.Errorf("finding %d: %w", i+1, err)
		}
		f.clean()
		r.FindingSelectors[i] = f.Selector
	}
	return nil
}

// countTypes counts findings that are not kept; those of no known type as
// "other", so that a page cannot fill the answer with names.
func countTypes(raw []json.RawMessage) map[string]int {
	counts := map[string]int{}
	for _, f := range raw {
		var typed struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(f, &typed) != nil || !slices.ContainsFunc(kinds, func(k kind) bool { return slices.Contains(k.types, typed.Type) }) {
			typed.Type = "other"
		}
		counts[typed.Type]++
	}
	return counts
}

func (f *Finding) check() error {
	if !tokenForm.MatchString(f.Type) || len(f.Type) > maxID {
		return fmt.Errorf("type %s is no name", quote.Quoted(f.Type, maxID))
	}
	suffix, ok := strings.CutPrefix(f.ID, f.Type+"-")
	if !ok || !tokenForm.MatchString("x"+suffix) || len(suffix) > maxID {
		return fmt.Errorf("id %s is not %s and a short suffix", quote.Quoted(f.ID, maxID), f.Type)
	}
	if f.Severity != Critical && f.Severity != Warning && f.Severity != Info {
		return fmt.Errorf("unknown severity %s (valid: critical, warning, info)", quote.Quoted(string(f.Severity), maxID))
	}
	if f.Message == "" {
		return errors.New("message is missing")
	}
	return nil
}

func (f *Finding) clean() {
	f.Selector, f.Message = quote.Text(f.Selector, maxSelector), quote.Text(f.Message, maxMessage)
	f.URLs, f.Examples = texts(f.URLs, maxList, maxURL), texts(f.Examples, maxList, maxURL)
	f.Evidence, f.Loaders = texts(f.Evidence, maxList, maxMessage), texts(f.Loaders, maxList, maxURL)
	f.Method, f.SharedWith = quote.Text(f.Method, maxID), callID(f.SharedWith)
	f.Container, f.Help = quote.Text(f.Container, maxSelector), helpURL(f.Help)
	if f.Weight != nil {
		*f.Weight = clamp(*f.Weight, maxWeight)
	}
	if f.Place != nil {
		*f.Place = Place{quote.Text(f.Place.File, maxURL), min(max(f.Place.Line, 0), maxCount)}
		if f.Place.File == "" {
			f.Place = nil
		}
	}
	switch f.Parallelizable {
	case "", "yes", "no", "unknown":
	default:
		f.Parallelizable = "unknown"
	}
	for _, ms := range []*float64{f.SerialWallMs, f.MaxSingleMs, f.WastedMs, f.SpanMs, f.DurationMs} {
		if ms != nil {
			*ms = clamp(*ms, maxMs)
		}
	}
	for _, n := range []*int{&f.ChainLength, &f.Count, &f.Distinct, &f.Occurrences, &f.Depth} {
		*n = min(max(*n, 0), maxCount)
	}
	calls := f.Calls[:0]
	for _, id := range f.Calls {
		if id = callID(id); id != "" && len(calls) < maxCalls {
			calls = append(calls, id)
		}
	}
	f.Calls = calls
	f.Stacks = f.Stacks[:min(len(f.Stacks), maxStacks)]
	for i, s := range f.Stacks {
		f.Stacks[i] = quote.Lines(s, maxStack)
	}
	if f.Initiator != nil {
		*f.Initiator = cleanInitiator(*f.Initiator)
	}
}

func cleanInitiator(p Initiator) Initiator {
	p.File, p.Function = quote.Text(p.File, maxURL), quote.Text(p.Function, maxURL)
	p.Line, p.Column = min(max(p.Line, 0), maxCount), min(max(p.Column, 0), maxCount)
	return p
}

// helpURL returns an address that may be shown as a link, or nothing.
func helpURL(s string) string {
	if len(s) > maxURL || !helpForm.MatchString(s) {
		return ""
	}
	return s
}

// callID returns an id that can be asked for, or nothing.
func callID(id string) string {
	if len(id) > maxID || !callForm.MatchString(id) {
		return ""
	}
	return id
}

func texts(list []string, most, limit int) []string {
	list = list[:min(len(list), most)]
	for i, s := range list {
		list[i] = quote.Text(s, limit)
	}
	return list
}

func numbers(raw json.RawMessage) map[string]float64 {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil || len(in) == 0 || len(in) > maxNumbers {
		return nil
	}
	out := make(map[string]float64, len(in))
	for name, text := range in {
		var v float64
		if json.Unmarshal(text, &v) == nil && callForm.MatchString(name) && len(name) <= maxID {
			out[name] = min(max(v, -maxMs), maxMs)
		}
	}
	return out
}

// whole reads a count; nil when there is none.
func whole(raw json.RawMessage) *int {
	var v *float64
	if json.Unmarshal(raw, &v) != nil || v == nil {
		return nil
	}
	n := int(clamp(*v, maxCount))
	return &n
}

func clamp(v, most float64) float64 { return min(max(v, 0), most) }
