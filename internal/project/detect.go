package project

import (
	"cmp"
	"path/filepath"
	"slices"

	"oriel/internal/project/framework"
	"oriel/internal/project/manifest"
	"oriel/internal/project/tree"
)

// Weights decide the main type of a folder that has several. A framework outweighs a bare manifest, and a manifest that only
// carries tooling (a linter's package.json beside a go.mod) counts least.
const (
	weightFull     = 100
	weightSite     = 80
	weightServer   = 70
	weightRoot     = 60 // a workspace root
	weightScripts  = 50 // a manifest with a development script
	weightManifest = 40
	weightTooling  = 30
	weightDefined  = 25 // from here on, the folder is a project; as a sub-folder that nothing declares it must have more
	weightLoose    = 15 // source files without a manifest
	weightStatic   = 10
)

// detection gathers what one folder says.
type detection struct {
	f        *tree.Folder
	above    folders
	root     string
	kinds    []kind
	general  []Script // from tools of no language: make, just, Procfile
	warnings []Warning
	members  []memberSource
	marks    []string // files that only mark a monorepo
}

// kind is one type that applies to the folder.
type kind struct {
	typ         Type
	weight      int
	name        string
	manager     PackageManager
	frameworks  []framework.Found
	scripts     []Script
	suggestions []Script
	port        int // set in a configuration file
	portFrom    string
}

// memberSource is a file that lists members, with what must be in a folder for it to be one.
type memberSource struct {
	file     string
	patterns []string
	manifest []string
}

func (d *detection) gather() {
	// The order is the precedence of scripts and of types of equal weight.
	for _, read := range []func() *kind{d.node, d.deno, d.php, d.python, d.golang, d.rust, d.ruby, d.static} {
		if k := read(); k != nil {
			k.weigh()
			d.kinds = append(d.kinds, *k)
		}
	}
	d.generalScripts()
	for _, mark := range []string{"turbo.json", "nx.json", "rush.json", "moon.yml"} {
		if d.f.HasFile(mark) {
			d.marks = append(d.marks, mark)
		}
	}
	if d.f.Truncated() {
		d.warn(".", "the folder holds more entries than are read; some files may be missed")
	}
}

// weigh raises a kind by its framework and its scripts.
func (k *kind) weigh() {
	if len(k.frameworks) > 0 {
		switch k.frameworks[0].Rank {
		case framework.Full:
			k.weight = max(k.weight, weightFull)
		case framework.Site:
			k.weight = max(k.weight, weightSite)
		case framework.Server:
			k.weight = max(k.weight, weightServer)
		}
	}
	if _, ok := devScript(k.scripts, k.typ); ok {
		k.weight = max(k.weight, weightScripts)
	}
}

// defined reports whether the folder says anything about itself beyond holding some files.
func (d *detection) defined() bool {
	for _, k := range d.kinds {
		if k.weight >= weightDefined || k.typ == Static {
			return true
		}
	}
	return len(d.general) > 0
}

func (d *detection) warn(file, message string) {
	d.warnings = append(d.warnings, Warning{File: file, Message: message})
}

func (d *detection) problems(file string, list []manifest.Problem) {
	for _, p := range list {
		d.warn(file, p.String())
	}
}

// read returns a file's contents, nil when it is not there; one that is there but cannot be read is a warning.
func (d *detection) read(name string) []byte {
	data, err := d.f.Read(name)
	if err != nil {
		d.warn(name, err.Error())
		return nil
	}
	return data
}

// load is read for a manifest: ok also when the file is there but cannot be read, because it still says what the folder is.
func (d *detection) load(name string) (data []byte, ok bool) {
	data = d.read(name)
	return data, data != nil || d.f.HasFile(name)
}

func (d *detection) script(typ Type, via, source string, t manifest.Task, argv ...string) Script {
	return Script{
		Defined: t.Name, Via: via, Command: t.Command, Description: t.Description, Source: source,
		Argv: argv, Dir: d.f.Path, Port: framework.CommandPort(t.Command), typ: typ,
	}
}

// generalScripts reads the files that belong to no language.
func (d *detection) generalScripts() {
	// GNU make's own order of names.
	if name := d.f.FirstFile("GNUmakefile", "makefile", "Makefile"); name != "" {
		tasks, problems := manifest.ParseMakefile(d.read(name))
		d.problems(name, problems)
		for _, t := range tasks {
			d.general = append(d.general, d.script("", "make", name, t, "make", t.Name))
		}
	}
	if name := d.f.FirstFile("justfile", "Justfile", ".justfile"); name != "" {
		tasks, problems := manifest.ParseJustfile(d.read(name))
		d.problems(name, problems)
		for _, t := range tasks {
			d.general = append(d.general, d.script("", "just", name, t, "just", t.Name))
		}
	}
	for _, name := range []string{"Procfile.dev", "Procfile"} {
		tasks, problems := manifest.ParseProcfile(d.read(name))
		d.problems(name, problems)
		via := "procfile"
		if name == "Procfile.dev" {
			via = "procfile.dev"
		}
		for _, t := range tasks {
			s := d.script("", via, name, t)
			s.Shell = t.Command
			d.general = append(d.general, s)
		}
	}
}

// project puts the gathered pieces together, all but the members.
func (d *detection) project() Project {
	p := Project{Root: d.root, Dir: d.f.Path, Name: filepath.Base(d.f.Path), Type: Unknown, Scripts: []Script{}, Monorepo: d.marks}
	for _, k := range d.kinds {
		p.Scripts = append(p.Scripts, k.scripts...)
	}
	p.Scripts = append(p.Scripts, d.general...)
	nameAll(p.Scripts)

	ranked := slices.Clone(d.kinds)
	slices.SortStableFunc(ranked, func(a, b kind) int { return cmp.Compare(b.weight, a.weight) })
	for i, k := range ranked {
		if k.weight <= weightStatic && i > 0 {
			continue // an index.html beside a real project says nothing
		}
		p.Types = append(p.Types, k.typ)
		for j, f := range k.frameworks {
			if i == 0 && j == 0 {
				p.Framework = f.Framework
			} else {
				p.Also = append(p.Also, f.Framework)
			}
		}
	}
	if len(ranked) == 0 {
		p.Types = []Type{Unknown}
		return p
	}
	main := ranked[0]
	p.Type, p.PackageManager = main.typ, main.manager
	if main.name != "" {
		p.Name = main.name
	}
	d.devPort(&p, main)
	if _, ok := p.Dev(); !ok {
		for _, k := range ranked {
			p.Suggestions = append(p.Suggestions, k.suggestions...)
		}
	}
	return p
}

// devPort settles the port: what the development script says, then a configuration file, then custom.
func (d *detection) devPort(p *Project, main kind) {
	dev, ok := p.Dev()
	switch {
	case ok && dev.Port != 0:
		p.DevPort, p.DevPortFrom = dev.Port, "script "+dev.Name
	case main.port != 0:
		p.DevPort, p.DevPortFrom = main.port, main.portFrom
	case p.Framework.Port != 0:
		p.DevPort, p.DevPortFrom = p.Framework.Port, "usual for "+p.Framework.Name
	}
}
