// Package formats writes audit reports for whoever reads them: a person at a
// terminal, a browser, a code scanning service, a test dashboard, a workflow's
// log.
package formats

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/nearest"
	"oriel/internal/report"
)

// Options are what a format may need beside the reports.
type Options struct {
	Version string // of this program
	// MinScore is the bar that reports must reach; 0 when there is none.
	MinScore int
}

// Format is one way to write reports.
type Format struct {
	Name string
	// Extensions of files that are usually written so, the first one first.
	Extensions []string
	Write      func(w io.Writer, all []report.Data, o Options) error
}

// All are the formats, in the order in which they are offered.
var All = []Format{
	{"text", []string{".txt"}, text},
	{"json", []string{".json"}, asJSON},
	{"html", []string{".html", ".htm"}, func(w io.Writer, all []report.Data, _ Options) error { return report.HTML(w, all) }},
	{"sarif", []string{".sarif"}, sarif},
	{"junit", []string{".xml"}, junit},
	{"github", nil, github},
}

// Names of all formats.
func Names() []string {
	names := make([]string, len(All))
	for i, f := range All {
		names[i] = f.Name
	}
	return names
}

// Named finds a format by its name.
func Named(name string) (Format, error) {
	i := slices.IndexFunc(All, func(f Format) bool { return f.Name == name })
	if i >= 0 {
		return All[i], nil
	}
	hint := ""
	if near := nearest.Of(name, Names()); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return Format{}, fmt.Errorf("unknown format %q (%svalid: %s)", name, hint, strings.Join(Names(), ", "))
}

// ForFile finds the format that a file's name asks for.
func ForFile(file string) (Format, bool) {
	ext := strings.ToLower(filepath.Ext(file))
	i := slices.IndexFunc(All, func(f Format) bool { return slices.Contains(f.Extensions, ext) })
	if i < 0 {
		return Format{}, false
	}
	return All[i], true
}

// text is the compact text of each page, under its address when there are
// several: the verdict, and then the audits that have something to say.
func text(w io.Writer, all []report.Data, _ Options) error {
	offline := audit.TextOptions{Offline: true}
	var b strings.Builder
	for i, d := range all {
		if i > 0 {
			b.WriteByte('\n')
		}
		if len(all) > 1 {
			b.WriteString(name(d) + "\n")
		}
		if r, ok := d.Alone(); ok {
			b.WriteString(r.Text(offline))
		} else {
			o := d.Overall()
			b.WriteString(o.Text(offline))
			for _, r := range o.Audits {
				if len(r.Findings) > 0 {
					b.WriteString("\n" + r.Text(offline))
				}
			}
		}
		for _, note := range d.Notes {
			b.WriteString("note: " + note + "\n")
		}
	}
	return put(w, "text", b.String())
}

// jsonPage is what was found of one page, and what it is about.
type jsonPage struct {
	Page       string             `json:"page"`
	Source     string             `json:"source,omitempty"`
	Score      *int               `json:"score"` // null when nothing was measured
	Grade      *string            `json:"grade"`
	Unmeasured []audit.Unmeasured `json:"unmeasured"`
	TopFixes   []audit.Fix        `json:"topFixes"`
	Audits     []audit.Report     `json:"audits"` // raw reports, the lowest score first
	Notes      []string           `json:"notes,omitempty"`
}

// asJSON has one shape however many pages and audits there are: the worst score
// on top, the pages in the order they were asked for.
func asJSON(w io.Writer, all []report.Data, o Options) error {
	out := struct {
		Score    int        `json:"score"`
		MinScore int        `json:"minScore,omitempty"`
		Pages    []jsonPage `json:"pages"`
	}{report.Worst(all), o.MinScore, []jsonPage{}}
	for _, d := range all {
		v := d.Overall()
		p := jsonPage{Page: page(d), Source: d.Source, Unmeasured: v.Unmeasured, TopFixes: v.TopFixes, Audits: v.Audits, Notes: d.Notes}
		if v.Verdict() {
			p.Score, p.Grade = &v.Score, &v.Grade
		}
		out.Pages = append(out.Pages, p)
	}
	return putJSON(w, "json", out)
}

func put(w io.Writer, format, s string) error {
	if _, err := io.WriteString(w, s); err != nil {
		return fmt.Errorf("write %s report: %w", format, err)
	}
	return nil
}

func putJSON[T any](w io.Writer, format string, v T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write %s report: %w", format, err)
	}
	return nil
}
