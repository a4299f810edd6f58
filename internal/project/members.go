package project

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"

	"oriel/internal/project/tree"
)

// maxSubFolders bounds the search for projects that no file declares.
const maxSubFolders = 100

// addMembers fills in the members: those a workspace file declares, or, when none does, the projects in direct sub-folders.
func (d *detection) addMembers(p *Project) {
	declared := false
	seen := map[string]bool{".": true}
	for _, source := range d.members {
		declared = true
		p.Monorepo = append(p.Monorepo, source.file)
		found := tree.Expand(d.f.Path, source.patterns, source.manifest...)
		d.expansionWarnings(source.file, found)
		for _, dir := range found.Dirs {
			if !seen[dir] && len(p.Members) < tree.MaxMatches {
				d.declaredMember(p, source, dir, seen)
			}
		}
	}
	if !declared {
		d.undeclaredMembers(p)
	}
	slices.SortStableFunc(p.Members, func(a, b Member) int {
		switch {
		case a.Path < b.Path:
			return -1
		case a.Path > b.Path:
			return 1
		}
		return 0
	})
}

func (d *detection) expansionWarnings(file string, found tree.Expansion) {
	for _, p := range found.Outside {
		d.warn(file, "member \""+short(p)+"\" leads out of the folder and is not read")
	}
	for _, p := range found.Missing {
		d.warn(file, "member \""+short(p)+"\" is not there")
	}
	if found.Cut {
		d.warn(file, fmt.Sprintf("too many folders match; at most %d members are listed", tree.MaxMatches))
	}
}

func (d *detection) declaredMember(p *Project, source memberSource, dir string, seen map[string]bool) {
	m, err := examine(filepath.Join(d.f.Path, filepath.FromSlash(dir)), d.root, d.above)
	if err != nil {
		d.warn(dir, "member cannot be read")
		return
	}
	if m.f.FirstFile(source.manifest...) == "" {
		return // a folder that a wildcard catches but that is no package, e.g. packages/README
	}
	seen[dir] = true
	d.member(p, m, dir, source.file)
}

func (d *detection) undeclaredMembers(p *Project) {
	examined := 0
	for _, name := range d.f.SubFolders() {
		if tree.Foreign(name) {
			continue
		}
		if examined++; examined > maxSubFolders {
			return
		}
		m, err := examine(filepath.Join(d.f.Path, name), d.root, d.above)
		if err != nil {
			continue // an unreadable folder that nothing declares is none of our business
		}
		strong := slices.ContainsFunc(m.kinds, func(k kind) bool { return k.weight > weightDefined })
		if strong {
			d.member(p, m, name, "")
		}
	}
}

// member adds one member; its warnings become the project's, with the path in front.
func (d *detection) member(p *Project, m *detection, dir, declaredBy string) {
	sub := m.project()
	p.Members = append(p.Members, Member{
		Path: dir, Name: sub.Name, Type: sub.Type, Framework: sub.Framework, DevPort: sub.DevPort, Scripts: sub.Scripts, DeclaredBy: declaredBy,
	})
	for _, w := range m.warnings {
		d.warn(path.Join(dir, w.File), w.Message)
	}
}
