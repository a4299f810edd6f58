package audits

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/nearest"
	"oriel/internal/tool"
)

// All is the tool.
var All = tool.Define("audit", tool.Doc{
	Title: "All eight audits, one grade",
	Text:  "Grades a page and lists its top fixes, by eight audits: security, accessibility, performance, seo, dom, css, api, loading.",
	Hints: tool.Hints{ReadOnly: true},
}, auditAll)

type auditIn struct {
	ProxyID string `json:"proxy_id" alias:"id"`
	Name    string `json:"name" doc:"just this one"`
}

// all is the name that means every audit.
const all = "all"

type overallOut struct {
	audit.Overall
	options audit.TextOptions
}

// Text is the compact form.
func (o overallOut) Text() string { return o.Overall.Text(o.options) }

func auditAll(s Session, ctx context.Context, in auditIn) (tool.Texter, error) {
	switch {
	case in.Name == "" || in.Name == all:
		return everything(s, ctx, in.ProxyID)
	case slices.Contains(audit.Names(), in.Name):
		return one(s, ctx, in.ProxyID, in.Name)
	}
	valid := append([]string{all}, audit.Names()...)
	hint := ""
	if near := nearest.Of(in.Name, valid); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return nil, fmt.Errorf("unknown name %q (%svalid: %s)", in.Name, hint, strings.Join(valid, ", "))
}

// everything runs the audits one after the other. One that fails takes no other
// down; a page that goes away ends them all.
func everything(s Session, ctx context.Context, proxyID string) (tool.Texter, error) {
	v, err := visit(s, proxyID)
	if err != nil {
		return nil, err
	}
	if err := v.look(ctx); err != nil {
		return nil, err
	}
	var reports []audit.Report
	var failed []audit.Unmeasured
	var first error
	ms := map[string]float64{}
	names := audit.Names()
	for i, name := range names {
		tool.Report(ctx, tool.Progress{Done: float64(i), Total: float64(len(names)), Message: name})
		a, err := v.run(ctx, name)
		if why, ok := errors.AsType[auditError](err); ok {
			failed = append(failed, audit.Unmeasured{Audit: name, Why: why.Error()})
			first = cmp.Or(first, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		reports, ms[name] = append(reports, a.report), a.ms
	}
	if len(reports) == 0 {
		return nil, first
	}
	v.compare(reports)
	out := overallOut{Overall: audit.Aggregate(reports, failed), options: v.options()}
	out.Ms = ms
	return out, nil
}
