package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxExamples is the contract's bound on lines per type in compact output.
const maxExamples = 5

// Bounds of the call ids in the call that digs deeper, for one finding and for
// each of several: enough to see what is going on; the raw report has them all.
const (
	maxDigAlone = 4
	maxDigEach  = 2
)

// TextOptions say where the reader stands.
type TextOptions struct {
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
		k = kind{audit: r.Audit, tool: "audit", title: r.Audit + " audit"}
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
	for _, group := range r.groups(k) {
		r.writeGroup(&b, group, o)
	}
	r.writeTail(&b, k, o)
	return b.String()
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
		if f.Initiator != nil {
			b.WriteString("    ↳ " + f.Initiator.String() + "\n")
		}
	}
	if more := count - len(shown); more > 0 {
		fmt.Fprintf(b, "  … and %d more (raw: true)\n", more)
	}
	if call := r.dig(shown, o); call != "" {
		b.WriteString("  → " + call + "\n")
	}
}

// writeTail says what concerns the report as a whole: what was not looked at,
// and what changed.
func (r Report) writeTail(b *strings.Builder, k kind, o TextOptions) {
	var lines []string
	if r.Dropped > 0 {
		noun := k.noun
		if noun == "" {
			noun = "records"
		}
		lines = append(lines, fmt.Sprintf("not analyzed: %d older %s that had left the buffer", r.Dropped, noun))
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
	if len(r.Findings) == 0 && k.tool != "audit" && !o.Offline {
		lines = append(lines, "→ "+k.tool+" "+args(arg{"proxy_id", o.Proxy}, arg{"raw", true}))
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
	if first.Selector == "" || r.Audit == "api" {
		return ""
	}
	return "proxy " + args(arg{"action", "exec"}, arg{"id", o.Proxy}, arg{"code", "__devtool.getElementInfo(" + encode(first.Selector) + ")"})
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
