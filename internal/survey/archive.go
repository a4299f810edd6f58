package survey

import (
	"context"
	"errors"
	"fmt"
	"io"

	"oriel/internal/audit"
	"oriel/internal/har"
	"oriel/internal/report"
	"oriel/internal/sourcemap"
)

// Archive judges the calls of a HAR file: one report per page visit that made
// some. Source lines are looked for beneath root, which may be empty. Where no
// visit made any, the one report says so.
func Archive(ctx context.Context, name string, r io.Reader, root string) ([]report.Data, error) {
	rec, err := har.Read(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sources := sourcemap.New(rec.Fetch, root).WithScripts(rec.Scripts)
	var all []report.Data
	for _, v := range rec.Visits {
		if len(v.Calls) == 0 {
			continue
		}
		d, err := judgeVisit(ctx, v, sources)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.Source = name
		all = append(all, d)
	}
	if len(all) == 0 {
		d, err := judgeVisit(ctx, har.Visit{URL: firstPage(rec)}, sources)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.Source = name
		d.Notes = append(d.Notes, fmt.Sprintf("none of the archive's %d entries is a fetch or XHR call", rec.Entries))
		all = append(all, d)
	}
	if rec.Skipped > 0 {
		all[0].Notes = append(all[0].Notes, fmt.Sprintf("%d of the archive's %d entries cannot be understood (%s)", rec.Skipped, rec.Entries, rec.Why))
	}
	return all, nil
}

func firstPage(rec *har.Recording) string {
	if len(rec.Visits) > 0 {
		return rec.Visits[0].URL
	}
	return ""
}

func judgeVisit(ctx context.Context, v har.Visit, sources *sourcemap.Resolver) (report.Data, error) {
	raw, err := har.Judge(ctx, v)
	if err != nil {
		return report.Data{}, err
	}
	r, err := audit.Parse(raw)
	if err != nil {
		return report.Data{}, err
	}
	r.Locate(func(stacks []string) (audit.Initiator, bool) {
		f, ok := sources.CommonCulprit(ctx, stacks)
		return audit.Initiator{File: f.File, Line: f.Line, Column: f.Column, Function: f.Function, Compiled: !f.Mapped && !f.InProject}, ok
	})
	if err := ctx.Err(); err != nil {
		return report.Data{}, errors.Join(errors.New("the judgement was interrupted"), err)
	}
	d := report.Data{Audits: []audit.Report{r}, Page: v.URL, When: v.Started}
	for _, c := range v.Calls {
		call := report.Call{ID: c.ID, Method: c.Method, URL: c.URL, Start: c.Start, Status: c.Status, Error: c.Error, Aborted: c.Aborted}
		if c.Done {
			end := c.End
			call.End = &end
		}
		d.Calls = append(d.Calls, call)
	}
	return d, nil
}
