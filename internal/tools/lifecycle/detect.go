// Package lifecycle is the tools that know what a project is and keep its
// processes: detect, run, proc.
package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"oriel/internal/project"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

// Detect is the tool.
var Detect = tool.Define("detect", tool.Doc{
	Title: "Detect the project's type and its scripts",
	Text:  "What this folder is: type, framework, package manager, the scripts really defined and the call that runs each, monorepo members.",
	Hints: tool.Hints{ReadOnly: true, Idempotent: true},
}, detect)

type detectIn struct {
	Path string `json:"path"`
}

type detectScript struct {
	project.Script
	Run       string `json:"run"` // the call that runs it
	Autostart bool   `json:"autostart,omitempty"`
}

type detectOut struct {
	project.Project
	Scripts  []detectScript `json:"scripts"`
	Problems []string       `json:"problems,omitempty"` // of the project file
	path     string
}

func detect(s Session, _ context.Context, in detectIn) (detectOut, error) {
	dir, err := s.Dir(in.Path)
	if err != nil {
		return detectOut{}, err
	}
	v, err := viewOf(s, dir, in.Path)
	if err != nil {
		return detectOut{}, err
	}
	out := detectOut{Project: v.project, Scripts: []detectScript{}, Problems: v.problems, path: in.Path}
	if len(v.file.Scripts) > 0 {
		out.Suggestions = nil // the project says itself what is run here
	}
	for _, c := range v.choices() {
		script := detectScript{Script: c.defined, Run: runCall(c.defined.Name, in.Path)}
		if c.script != nil {
			script.Autostart = c.script.Autostart
		}
		out.Scripts = append(out.Scripts, script)
	}
	return out, nil
}

func runCall(name, path string) string {
	return words.Call("run", withPath(path, words.Arg{Name: "script_name", Value: name})...)
}

func withPath(path string, args ...words.Arg) []words.Arg {
	if path != "" {
		args = append(args, words.Arg{Name: "path", Value: path})
	}
	return args
}

// Bounds of the lists in a default answer.
const (
	maxShown    = 20
	maxMembers  = 10
	maxWarnings = 5
)

// Text is one line about the project, its scripts, members, and warnings.
func (o detectOut) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", words.Clip(words.OneLine(o.Name), 60), o.headline())
	o.writeScripts(&b)
	for _, s := range o.Suggestions {
		fmt.Fprintf(&b, "usual here: %s\n", words.Call("run", withPath(o.path, words.Arg{Name: "command", Value: s.Line()})...))
	}
	o.writeMembers(&b)
	warnings := make([]string, len(o.Warnings))
	for i, w := range o.Warnings {
		warnings[i] = w.String()
	}
	words.Some(&b, "warning: ", warnings, maxWarnings)
	words.Some(&b, "problem: ", o.Problems, maxWarnings)
	return b.String()
}

func (o detectOut) headline() string {
	kinds := make([]string, len(o.Types))
	for i, t := range o.Types {
		kinds[i] = string(t)
	}
	parts := []string{strings.Join(kinds, " + ")}
	if len(kinds) == 0 {
		parts[0] = "unknown type"
	}
	if f := o.Framework; f.Name != "" {
		parts = append(parts, strings.TrimSpace(f.Name+" "+f.Version))
	}
	for _, f := range o.Also {
		parts = append(parts, f.Name)
	}
	if pm := o.PackageManager; pm.Name != "" {
		text := pm.Name
		if pm.From != "" {
			text += " (" + pm.From + ")"
		}
		parts = append(parts, text)
	}
	if o.DevPort > 0 {
		parts = append(parts, fmt.Sprintf("port %d (%s)", o.DevPort, o.DevPortFrom))
	}
	return strings.Join(parts, ", ") + " — " + words.OneLine(o.Dir)
}

func (o detectOut) writeScripts(b *strings.Builder) {
	if len(o.Scripts) == 0 {
		fmt.Fprintln(b, "no scripts are defined")
		return
	}
	fmt.Fprintf(b, "scripts, run with %s:\n", runCall("…", o.path))
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for i, s := range o.Scripts {
		if i == maxShown {
			fmt.Fprintf(w, "  … and %d more (raw: true)\n", len(o.Scripts)-i)
			break
		}
		note := s.Source
		if s.Autostart {
			note += ", autostart"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", words.Clip(words.OneLine(s.Name), 40), words.Clip(words.OneLine(s.Command), 60), note)
	}
	w.Flush()
}

func (o detectOut) writeMembers(b *strings.Builder) {
	if len(o.Members) == 0 {
		return
	}
	fmt.Fprintln(b, "members, their scripts run with \"path\":")
	for i, m := range o.Members {
		if i == maxMembers {
			fmt.Fprintf(b, "  … and %d more (raw: true)\n", len(o.Members)-i)
			break
		}
		text := fmt.Sprintf("  %s (%s", words.Clip(words.OneLine(m.Path), 80), m.Type)
		if m.Framework.Name != "" {
			text += ", " + m.Framework.Name
		}
		var names []string
		for _, s := range m.Scripts {
			names = append(names, s.Name)
		}
		text += ")"
		if len(names) > 0 {
			text += ": " + words.Clip(words.OneLine(strings.Join(names, ", ")), 100)
		}
		fmt.Fprintln(b, text)
	}
}
