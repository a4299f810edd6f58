package project

import (
	"bytes"
	"path/filepath"
	"strings"

	"oriel/internal/project/manifest"
	"oriel/internal/project/tree"
)

// evidence ties a file name to the package manager that writes it.
type evidence struct{ file, manager string }

// nodeLocks are in order of preference when several lie in one folder: package-lock.json is the one most often left behind by accident.
var nodeLocks = []evidence{
	{"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"},
	{"package-lock.json", "npm"}, {"npm-shrinkwrap.json", "npm"},
}

// nodeSettings point to a manager where there is no lockfile.
var nodeSettings = []evidence{{"pnpm-workspace.yaml", "pnpm"}, {".yarnrc.yml", "yarn"}, {"bunfig.toml", "bun"}}

var pythonLocks = []evidence{
	{"uv.lock", "uv"}, {"poetry.lock", "poetry"}, {"pdm.lock", "pdm"}, {"Pipfile.lock", "pipenv"}, {"pixi.lock", "pixi"}, {"requirements.lock", "rye"},
}

// nodeManager finds the package manager: the packageManager field, then a lockfile, in this folder and then upward inside the
// project; beyond it only in a workspace root that lists this folder. Without any sign it is npm, and From stays empty.
func (d *detection) nodeManager(pkg manifest.PackageJSON) PackageManager {
	if m, ok := d.managerHere(d.f, pkg, ""); ok {
		return m
	}
	inside := true
	for dir, levels := d.f.Path, 0; levels < 12 && filepath.Dir(dir) != dir; levels++ {
		inside = inside && dir != d.root
		dir = filepath.Dir(dir)
		up, err := d.above.open(dir)
		if err != nil {
			break
		}
		data, _ := up.Read("package.json")
		parent, _ := manifest.ParsePackageJSON(orEmpty(data)) // its own detection reports its problems
		if !inside && !lists(up, parent, d.f.Path) {
			continue
		}
		if m, ok := d.managerHere(up, parent, slashRel(d.f.Path, dir)); ok {
			return m
		}
	}
	return PackageManager{Name: "npm"}
}

// lists reports whether a folder is a workspace root with dir among its members.
func lists(f *tree.Folder, pkg manifest.PackageJSON, dir string) bool {
	patterns := pkg.Workspaces
	if data, err := f.Read("pnpm-workspace.yaml"); err == nil && data != nil {
		patterns, _ = manifest.ParsePnpmWorkspace(data)
	}
	rel := slashRel(f.Path, dir)
	return len(patterns) > 0 && tree.Match(patterns, rel)
}

func slashRel(base, path string) string {
	rel, err := filepath.Rel(base, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// managerHere looks at one folder; at is how its files are named in the answer, "" for the folder being described.
func (d *detection) managerHere(f *tree.Folder, pkg manifest.PackageJSON, at string) (PackageManager, bool) {
	place := func(file string) string { return strings.TrimPrefix(at+"/"+file, "/") }
	locked := d.pick(f, nodeLocks, at)
	for _, pinned := range []string{pkg.PackageManager, pkg.DevManager} {
		pinned, _, _ = strings.Cut(pinned, "+") // corepack may add a hash
		name, version, _ := strings.Cut(pinned, "@")
		switch name {
		case "":
			continue
		case "npm", "pnpm", "yarn", "bun":
		default:
			if at == "" {
				d.warn("package.json", "packageManager: unknown package manager \""+short(name)+"\"")
			}
			continue
		}
		if locked.manager != "" && locked.manager != name && at == "" {
			d.warn(locked.file, "written by "+locked.manager+", but package.json says packageManager "+short(pinned)+"; using "+name)
		}
		m := PackageManager{Name: name, Version: version, From: place("package.json")}
		m.flavor(f)
		return m, true
	}
	if locked.manager == "" {
		for _, e := range nodeSettings {
			if f.HasFile(e.file) {
				locked = e
				break
			}
		}
	}
	if locked.manager == "" {
		return PackageManager{}, false
	}
	m := PackageManager{Name: locked.manager, From: place(locked.file)}
	m.flavor(f)
	return m, true
}

// pick chooses among the lockfiles of one folder and warns when they disagree.
func (d *detection) pick(f *tree.Folder, locks []evidence, at string) evidence {
	var chosen evidence
	for _, e := range locks {
		if !f.HasFile(e.file) {
			continue
		}
		if chosen.manager == "" {
			chosen = e
		} else if chosen.manager != e.manager && at == "" {
			d.warn(e.file, "lies beside "+chosen.file+", which belongs to another package manager; using "+chosen.manager)
		}
	}
	return chosen
}

// flavor tells yarn 1 from its successors.
func (m *PackageManager) flavor(f *tree.Folder) {
	if m.Name != "yarn" {
		return
	}
	head := f.Head("yarn.lock", 4096)
	switch {
	case strings.HasPrefix(m.Version, "1.") || m.Version == "1":
		m.Flavor = "classic"
	case m.Version != "" || f.HasFile(".yarnrc.yml") || bytes.Contains(head, []byte("__metadata:")):
		m.Flavor = "berry"
	default:
		m.Flavor = "classic"
	}
}

// exec is how the manager runs a program that a dependency brings along.
func (m PackageManager) exec() []string {
	switch m.Name {
	case "pnpm":
		return []string{"pnpm", "exec"}
	case "yarn":
		return []string{"yarn", "run"}
	case "bun":
		return []string{"bunx"}
	}
	return []string{"npx"}
}

// short bounds a piece of a file that appears in a message.
func short(s string) string {
	r := []rune(strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, s))
	if len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(r)
}
