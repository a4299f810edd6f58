package lifecycle

import (
	"path/filepath"

	"oriel/internal/config"
	"oriel/internal/project"
)

// view is what a caller can run in a folder: the scripts of the project's own
// file and those that the folder's files define.
type view struct {
	project  project.Project
	root     string // of the project the folder belongs to
	file     config.Config
	problems []string
	inside   bool // a folder inside the project was asked for by name: what it defines comes first
}

// choice is one script; script is set when the project's file defines it.
type choice struct {
	defined project.Script
	script  *config.Script
}

func viewOf(s Session, dir, path string) (view, error) {
	p, err := project.Detect(dir)
	if err != nil {
		return view{}, err
	}
	v := view{project: p, root: project.Root(dir)}
	v.inside = path != "" && p.Dir != v.root
	v.file, v.problems = fileOf(s, v.root)
	return v, nil
}

// fileOf is the file of a project: the caller's own, or another one's.
func fileOf(s Session, root string) (config.Config, []string) {
	if root == s.Root {
		cfg, _ := s.Config()
		return cfg, s.Problems()
	}
	cfg, problems := config.Load(filepath.Join(root, config.FileName))
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return cfg, texts
}

// choices lists the scripts by precedence, each under the name that runs it. A
// script of the project's file hides one of the same name, which keeps its
// longer name; inside the project it is the other way round, and the file's
// script is run without a path.
func (v view) choices() []choice {
	var files, folders []choice
	taken := map[string]bool{}
	if v.inside {
		for _, s := range v.project.Scripts {
			taken[s.Name] = true
		}
	}
	for i := range v.file.Scripts {
		c := &v.file.Scripts[i]
		if !taken[c.Name] {
			files = append(files, choice{project.Script{Name: c.Name, Command: c.Run, Source: config.FileName, Shell: c.Run}, c})
		}
		taken[c.Name] = true
	}
	for _, s := range v.project.Scripts {
		if taken[s.Name] && !v.inside {
			s.Shadowed = true
			s.Name = s.Via + ":" + s.Defined
		}
		folders = append(folders, choice{defined: s})
	}
	if v.inside {
		return append(folders, files...)
	}
	return append(files, folders...)
}

// find is the script of a name, among the choices or by a longer name.
func (v view) find(name string) (choice, bool) {
	for _, c := range v.choices() {
		if c.defined.Name == name {
			return c, true
		}
	}
	s, ok := v.project.Script(name)
	return choice{defined: s}, ok
}
