// Package lifecycle is the tools that know what a project is and keep its
// processes: detect, run, proc.
package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"oriel/internal/config"
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
	Path string `json:"path" doc:"folder (default: the project's)"`
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
}

func detect(s Session, _ context.Context, in detectIn) (detectOut, error) {
	dir, err := s.Dir(in.Path)
	if err != nil {
		return detectOut{}, err
	}
	p, err := project.Detect(dir)
	if err != nil {
		return detectOut{}, err
	}
	out := detectOut{Project: p, Scripts: []detectScript{}}
	taken := map[string]bool{}
	if project.Root(dir) == s.Root {
		cfg, _ := s.Config()
		for _, c := range cfg.Scripts {
			taken[c.Name] = true
			script := project.Script{Name: c.Name, Command: c.Run, Source: config.FileName, Shell: c.Run}
			out.Scripts = append(out.Scripts, detectScript{script, runCall(c.Name, in.Path), c.Autostart})
		}
		out.Problems = s.Problems()
	}
	for _, script := range p.Scripts {
		if taken[script.Name] {
			script.Shadowed = true
			script.Name = script.Via + ":" + script.Defined
		}
		out.Scripts = append(out.Scripts, detectScript{Script: script, Run: runCall(script.Name, in.Path)})
	}
	return out, nil
}

func runCall(name, path string) string {
	if path == "" {
		return words.Call("run", words.Arg{Name: "script_name", Value: name})
	}
	return words.Call("run", words.Arg{Name: "script_name", Value: name}, words.Arg{Name: "path", Value: path})
}

// maxShown bounds each list of a default answer.
const maxShown = 25

// Text is one line about the project, its scripts, members, and warnings.
func (o detectOut) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", o.Name, o.headline())
	o.writeScripts(&b)
	o.writeMembers(&b)
	for i, w := range o.Warnings {
		if i == maxShown {
			fmt.Fprintf(&b, "… and %d more warnings (raw: true)\n", len(o.Warnings)-i)
			break
		}
		fmt.Fprintf(&b, "warning: %s\n", words.Clip(w.String(), 200))
	}
	for _, p := range o.Problems {
		fmt.Fprintf(&b, "problem: %s\n", words.Clip(p, 300))
	}
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
	return strings.Join(parts, ", ") + " — " + o.Dir
}

func (o detectOut) writeScripts(b *strings.Builder) {
	if len(o.Scripts) == 0 {
		fmt.Fprintln(b, "no scripts are defined")
		for _, s := range o.Suggestions {
			fmt.Fprintf(b, "usual here: %s\n", words.Call("run", words.Arg{Name: "command", Value: s.Line()}))
		}
		return
	}
	fmt.Fprintf(b, "scripts, run with %s:\n", words.Call("run", words.Arg{Name: "script_name", Value: "…"}))
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
		fmt.Fprintf(w, "  %s\t%s\t%s\n", s.Name, words.Clip(words.OneLine(s.Command), 60), note)
	}
	w.Flush()
}

func (o detectOut) writeMembers(b *strings.Builder) {
	if len(o.Members) == 0 {
		return
	}
	fmt.Fprintln(b, "members, their scripts run with \"path\":")
	for i, m := range o.Members {
		if i == maxShown {
			fmt.Fprintf(b, "  … and %d more (raw: true)\n", len(o.Members)-i)
			break
		}
		text := fmt.Sprintf("  %s (%s", m.Path, m.Type)
		if m.Framework.Name != "" {
			text += ", " + m.Framework.Name
		}
		var names []string
		for _, s := range m.Scripts {
			names = append(names, s.Name)
		}
		fmt.Fprintf(b, "%s): %s\n", text, words.Clip(strings.Join(names, ", "), 100))
	}
}
