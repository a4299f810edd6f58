package audit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"oriel/internal/audit/vitals"
	"oriel/internal/quote"
)

// maxExamples is the contract's bound on lines per type in compact output.
const maxExamples = 5

// Bounds of the call ids in the call that digs deeper, for one finding and for
// each of several: enough to see what is going on; the raw report has them all.
const (
	maxDigAlone = 4
	maxDigEach  = 2
)

// Bounds of the answer of an audit that looks at a whole page: it may have a
// rule broken for every line of this file, and what is shown is what costs the
// most.
const (
	maxText         = 3400
	maxAlso         = 2
	maxAlsoSelector = 60
)

// TextOptions say where the reader stands.
type TextOptions struct {
	// ID of the proxy, for calls that cannot do without.
	ID string
	// Proxy is named in the calls that dig deeper; leave it empty when the
	// project has only one.
	Proxy string
	// Offline leaves those calls out: there is no proxy to ask, as with a HAR
	// file.
	Offline bool
}

// Text is the compact answer. Header, summary, group heads and finding lines
// are the contract's to the byte; whatever Oriel adds stands on lines of its
// own after them.
func (r Report) Text(o TextOptions) string {
	k, ok := kindOf(r.Audit)
	if !ok {
		k = kind{audit: r.Audit, tool: "audit", title: r.Audit + " audit", noun: "records"}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "=== %s: %s (%d) ===\n", k.title, r.Grade, r.Score)
	s, ok := k.readSummary(r.Summary)
	if !ok {
		s.line = r.Summary
	}
	b.WriteString(s.line + "\n")
	if r.Empty() && s.note != "" {
		b.WriteString(s.note + "\nReload the proxied tab, exercise the flow and re-run.\n")
		if !o.Offline {
			b.WriteString("→ proxy " + args(arg{"action", "navigate"}, arg{"id", o.Proxy}, arg{"reload", true}) + "\n")
		}
		return b.String()
	}
	if k.tool == "audit" {
		r.writePage(&b, k, o)
	} else {
		for _, group := range r.groups(k) {
			r.writeGroup(&b, group, o)
		}
	}
	r.writeTail(&b, k)
	return b.String()
}

// writePage writes the groups of an audit of the page as a whole: those that
// cost the most first, as many as fit, and one call that shows the first
// finding in the page.
func (r Report) writePage(b *strings.Builder, k kind, o TextOptions) {
	groups := r.groups(k)
	slices.SortStableFunc(groups, func(a, b []Finding) int {
		return cmp.Or(rank(a[0].Severity)-rank(b[0].Severity), cmp.Compare(costOf(b), costOf(a)))
	})
	left, types := 0, 0
	for _, group := range groups {
		var part strings.Builder
		r.writeGroup(&part, group, o)
		if types > 0 || b.Len()+part.Len() > maxText {
			left, types = left+len(group)+r.FindingsOmitted[group[0].Type], types+1
			continue
		}
		b.WriteString(part.String())
	}
	if types > 0 {
		fmt.Fprintf(b, "\n… and %d more of %d types (raw: true)\n", left, types)
	}
	if i := slices.IndexFunc(groups, func(g []Finding) bool { return g[0].element() }); i >= 0 && !o.Offline {
		b.WriteString("\n→ " + highlight(groups[i][0].Selector, o) + "\n")
	}
}

// rank orders severities, the worst first.
func rank(s Severity) int { return slices.Index([]Severity{Critical, Warning, Info}, s) }

func costOf(group []Finding) float64 {
	sum := 0.0
	for _, f := range group {
		sum += f.cost()
	}
	return sum
}

// element says that the selector is one element's, and not the page's or an
// address.
func (f Finding) element() bool {
	s := f.Selector
	return s != "" && s[0] != '/' && !strings.Contains(s, "://") && !strings.HasSuffix(s, "…")
}

// highlight is the call that shows an element in the page.
func highlight(selector string, o TextOptions) string {
	return "proxy " + args(arg{"action", "exec"}, arg{"id", o.Proxy}, arg{"code", "__devtool.highlight(" + encode(selector) + ")"})
}

// groups puts the findings of one type together, the audit's own types first
// and in its order.
func (r Report) groups(k kind) [][]Finding {
	order := slices.Clone(k.types)
	for _, f := range r.Findings {
		if !slices.Contains(order, f.Type) {
			order = append(order, f.Type)
		}
	}
	var groups [][]Finding
	for _, t := range order {
		var group []Finding
		for _, f := range r.Findings {
			if f.Type == t {
				group = append(group, f)
			}
		}
		if len(group) > 0 {
			groups = append(groups, group)
		}
	}
	return groups
}

func (r Report) writeGroup(b *strings.Builder, group []Finding, o TextOptions) {
	count := len(group) + r.FindingsOmitted[group[0].Type]
	fmt.Fprintf(b, "\n%s (%d)\n", group[0].Type, count)
	shown := group[:min(len(group), maxExamples)]
	for _, f := range shown {
		fmt.Fprintf(b, "  [%s] %s — %s\n", f.Severity, f.Selector, f.Message)
		if f.Parallelizable == "no" {
			b.WriteString("    not parallelizable")
			if len(f.Evidence) > 0 {
				b.WriteString(": " + f.Evidence[0])
			}
			b.WriteByte('\n')
		}
		if also := f.also(); also != "" {
			b.WriteString("    " + also + "\n")
		}
		if where := f.Where(); where != "" {
			b.WriteString("    ↳ " + where + "\n")
		}
	}
	if more := count - len(shown); more > 0 {
		fmt.Fprintf(b, "  … and %d more (raw: true)\n", more)
	}
	if call := r.dig(shown, o); call != "" {
		b.WriteString("  → " + call + "\n")
	}
}

// also names some of the other elements that break the same rule. Calls have
// their ids instead.
func (f Finding) also() string {
	if f.Method != "" || len(f.Calls) > 0 || f.Count < 2 {
		return ""
	}
	var names []string
	for _, e := range f.Examples {
		if e != f.Selector && len(names) < maxAlso {
			names = append(names, quote.Text(e, maxAlsoSelector))
		}
	}
	if len(names) == 0 {
		return ""
	}
	text := "also " + strings.Join(names, ", ")
	if rest := f.Count - 1 - len(names); rest > 0 {
		text += fmt.Sprintf(" and %d more", rest)
	}
	return text
}

// writeTail says what concerns the report as a whole: what was not looked at,
// and what changed.
func (r Report) writeTail(b *strings.Builder, k kind) {
	var lines []string
	if line := vitals.Line(r.Metrics); line != "" {
		lines = append(lines, "measured: "+line)
	}
	if r.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("not analyzed: %d older %s that had left the buffer", r.Dropped, k.noun))
	}
	omitted := 0
	for _, n := range r.FindingsOmitted {
		omitted += n
	}
	if omitted > 0 {
		lines = append(lines, fmt.Sprintf("not in the raw report either: %d findings beyond the first %d", omitted, len(r.Findings)))
	}
	if r.SinceLast != nil {
		lines = append(lines, r.SinceLast.text(k.noun))
	}
	if len(lines) > 0 {
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
}

// String is the place as an editor takes it, and the function: file:line in
// function. A compiled place has its column too, for it may be one long line.
func (p Initiator) String() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
		if p.Compiled && p.Column > 0 {
			s += ":" + strconv.Itoa(p.Column)
		}
	}
	if p.Function != "" {
		s += " in " + p.Function
	}
	return s
}

// dig is the one call that shows what the findings of a group rest on. The note
// rests on nothing, and a chatty load on calls that the other findings mostly
// name already, so it has one only when it stands alone.
func (r Report) dig(shown []Finding, o TextOptions) string {
	first := shown[0]
	if o.Offline || first.Type == overFetch || (first.Type == chattyLoad && r.digs(first.Type)) {
		return ""
	}
	each := maxDigEach
	if len(shown) == 1 {
		each = maxDigAlone
	}
	var ids []string
	for _, f := range shown {
		calls := f.Calls
		if f.SharedWith != "" {
			calls = append([]string{f.SharedWith}, calls...)
		}
		ids = append(ids, calls[:min(len(calls), each)]...)
	}
	if len(ids) > 0 {
		return "proxylog " + args(arg{"proxy_id", o.Proxy}, arg{"ids", ids})
	}
	switch {
	case r.Audit != "loading":
		return "" // has one for the whole of it
	case first.Type == spinnerCascade && o.ID != "":
		// Loaders follow each other where calls do.
		return "api_audit " + args(arg{"proxy_id", o.ID})
	case first.Container != "":
		return highlight(first.Container, o)
	}
	return highlight(first.Selector, o)
}

// digs says whether a finding of another type names its calls.
func (r Report) digs(except string) bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Type != except && len(f.Calls) > 0 })
}

type arg struct {
	name  string
	value any
}

// args writes arguments as JSON in the order given, leaving out empty strings.
func args(list ...arg) string {
	var parts []string
	for _, a := range list {
		if a.value != "" {
			parts = append(parts, encode(a.name)+":"+encode(a.value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// encode is JSON without the escapes that only HTML needs.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
