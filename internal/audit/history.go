package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync"

	"oriel/internal/quote"
)

// Bounds of what is remembered.
const (
	maxPages        = 4000   // an audit of a page is one
	maxPastFindings = 20_000 // of all pages together
	maxPastSelector = 120
	maxHistoryBytes = 16 << 20
	historyVersion  = 1
)

// Key is one page under one audit.
type Key struct {
	// Project keeps two projects with a proxy of the same id apart.
	Project string `json:"project,omitempty"`
	Proxy   string `json:"proxy"`
	// Path of the page, as PagePath gives it.
	Path  string `json:"path"`
	Audit string `json:"audit"`
}

// PagePath is the part of a page's address that makes it the same page: its
// path, without query and fragment.
func PagePath(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Path == "" {
		return "/"
	}
	return u.EscapedPath()
}

// Past is a finding of an earlier audit.
type Past struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Selector string `json:"selector"`
}

// Change says what became of the issues since the previous audit of a page.
// Notes without weight are not issues and not counted.
type Change struct {
	// Since is when the previous audit was made.
	Since string `json:"since"`
	// AnalyzedThen is how many calls or loaders that audit looked at: a flow
	// that was not exercised looks like one that was repaired.
	AnalyzedThen int      `json:"analyzedThen"`
	AnalyzedNow  int      `json:"analyzedNow"`
	Fixed        []Past   `json:"fixed"`
	New          []string `json:"new"`
	Unchanged    []string `json:"unchanged"`
}

func (c Change) text(noun string) string {
	s := fmt.Sprintf("since last audit: fixed %d, new %d, unchanged %d", len(c.Fixed), len(c.New), len(c.Unchanged))
	// A repaired fan-out takes calls away too, but not most of all calls.
	if len(c.Fixed) > 0 && c.AnalyzedNow*2 < c.AnalyzedThen {
		s += fmt.Sprintf(" (%d %s then, only %d now: was the same flow exercised?)", c.AnalyzedThen, noun, c.AnalyzedNow)
	}
	return s
}

// visit is what is remembered of one audit.
type visit struct {
	Key      Key    `json:"key"`
	At       string `json:"at"`
	Analyzed int    `json:"analyzed"`
	Findings []Past `json:"findings"`
}

// History remembers the findings of the last audit of each page, the pages
// audited longest ago out first. The zero value is ready; it is safe for
// concurrent use.
type History struct {
	mu     sync.Mutex
	visits []visit // least recently audited first
}

// Compare sets r.SinceLast against the previous audit under k and remembers r
// in its place. A report on nothing says nothing: it is neither compared nor
// remembered.
func (h *History) Compare(k Key, r *Report) {
	if r.Empty() {
		return
	}
	now := visit{Key: k, At: r.CheckedAt, Analyzed: r.Analyzed(), Findings: issues(r.Findings)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.IndexFunc(h.visits, func(v visit) bool { return v.Key == k }); i >= 0 {
		r.SinceLast = changes(h.visits[i], now)
		h.visits = slices.Delete(h.visits, i, i+1)
	}
	h.visits = append(h.visits, now)
	h.trim()
}

// Forget drops what is remembered of a proxy.
func (h *History) Forget(project, proxy string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visits = slices.DeleteFunc(h.visits, func(v visit) bool { return v.Key.Project == project && v.Key.Proxy == proxy })
}

// trim keeps the newest visits that fit the bounds, and the last in any case.
func (h *History) trim() {
	keep, findings := 0, 0
	for keep < min(len(h.visits), maxPages) {
		findings += len(h.visits[len(h.visits)-1-keep].Findings)
		if keep > 0 && findings > maxPastFindings {
			break
		}
		keep++
	}
	h.visits = slices.Delete(h.visits, 0, len(h.visits)-keep)
}

func issues(findings []Finding) []Past {
	past := []Past{}
	for _, f := range findings {
		if f.Issue() {
			past = append(past, Past{f.ID, f.Type, quote.Text(f.Selector, maxPastSelector)})
		}
	}
	return past
}

func changes(then, now visit) *Change {
	c := Change{Since: then.At, AnalyzedThen: then.Analyzed, AnalyzedNow: now.Analyzed, Fixed: []Past{}, New: []string{}, Unchanged: []string{}}
	before := map[string]bool{}
	for _, p := range then.Findings {
		before[p.ID] = true
	}
	after := map[string]bool{}
	for _, p := range now.Findings {
		after[p.ID] = true
		if before[p.ID] {
			c.Unchanged = append(c.Unchanged, p.ID)
		} else {
			c.New = append(c.New, p.ID)
		}
	}
	for _, p := range then.Findings {
		if !after[p.ID] {
			c.Fixed = append(c.Fixed, p)
		}
	}
	return &c
}

// saved is the history as a file holds it.
type saved struct {
	Version int     `json:"version"`
	Visits  []visit `json:"visits"`
}

// Save writes the history as JSON.
func (h *History) Save(w io.Writer) error {
	h.mu.Lock()
	data, err := json.Marshal(saved{historyVersion, h.visits})
	h.mu.Unlock()
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return fmt.Errorf("save audit history: %w", err)
	}
	return nil
}

// Load replaces the history by what Save wrote. On an error, and for a file of
// another version, the history stays as it is.
func (h *History) Load(r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, maxHistoryBytes+1))
	if err != nil {
		return fmt.Errorf("load audit history: %w", err)
	}
	if len(data) > maxHistoryBytes {
		return fmt.Errorf("load audit history: more than %d bytes", maxHistoryBytes)
	}
	var s saved
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("load audit history: %w", err)
	}
	if s.Version != historyVersion {
		return fmt.Errorf("load audit history: version %d, want %d", s.Version, historyVersion)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visits = s.Visits
	h.trim()
	return nil
}
