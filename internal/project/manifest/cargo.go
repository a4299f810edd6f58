package manifest

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"oriel/internal/lazyre"
)

// Cargo is a Rust Cargo.toml.
type Cargo struct {
	Name         string // of the package; empty in a virtual workspace
	Bins         []string
	DefaultRun   string
	Dependencies Dependencies
	Workspace    []string
	Exclude      []string
	HasWorkspace bool
}

// ParseCargo reads a Cargo.toml.
func ParseCargo(data []byte) (Cargo, []Problem) {
	f := table{}
	problems := decodeTOML(data, &f)
	pkg := f.sub("package")
	var c Cargo
	c.Name, _ = pkg["name"].(string)
	c.DefaultRun, _ = pkg["default-run"].(string)
	bins, _ := f["bin"].([]any)
	for _, b := range bins {
		entry, _ := b.(map[string]any)
		if name, ok := entry["name"].(string); ok {
			c.Bins = append(c.Bins, name)
		}
	}
	c.Dependencies = f.sub("dependencies").dependencies()
	if ws := f.sub("workspace"); ws != nil {
		c.HasWorkspace = true
		c.Workspace, c.Exclude = ws.list("members"), ws.list("exclude")
	}
	return c, problems
}

// ParseCargoAliases reads the aliases of a .cargo/config.toml.
func ParseCargoAliases(data []byte) ([]Task, []Problem) {
	f := table{}
	problems := decodeTOML(data, &f)
	var tasks []Task
	aliases := f.sub("alias")
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		words := aliases.list(name)
		if s, ok := aliases[name].(string); ok {
			words = []string{s}
		}
		if len(words) > 0 && len(tasks) < maxTasks {
			tasks = append(tasks, Task{Name: name, Command: "cargo " + strings.Join(words, " ")})
		}
	}
	return tasks, problems
}

// GoMod is a go.mod: the module's path and what it requires directly.
type GoMod struct {
	Module       string
	Dependencies Dependencies
}

// ParseGoMod reads a go.mod. Requirements marked indirect are left out: the project does not use them itself.
func ParseGoMod(data []byte) (GoMod, []Problem) {
	f, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return GoMod{Module: modfile.ModulePath(data)}, modProblems(err)
	}
	var m GoMod
	if f.Module != nil {
		m.Module = f.Module.Mod.Path
	}
	for _, r := range f.Require {
		if !r.Indirect {
			m.Dependencies = append(m.Dependencies, Dependency{Name: r.Mod.Path, Version: r.Mod.Version})
		}
	}
	if m.Module == "" {
		return m, []Problem{{Message: "no module line"}}
	}
	return m, nil
}

// ParseGoWork reads the folders a go.work uses.
func ParseGoWork(data []byte) ([]string, []Problem) {
	f, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		return nil, modProblems(err)
	}
	var dirs []string
	for _, u := range f.Use {
		dirs = append(dirs, u.Path)
	}
	return dirs, nil
}

var modPlace = lazyre.New(`^go\.(?:mod|work):(\d+)(?::\d+)?: (.*)$`)

// modProblems takes the first lines of a modfile error, each of which is "go.mod:3:2: text" or "go.mod:3: text".
func modProblems(err error) []Problem {
	var problems []Problem
	for line := range strings.SplitSeq(err.Error(), "\n") {
		found := modPlace.FindStringSubmatch(line)
		if found == nil {
			problems = append(problems, Problem{Message: line})
		} else {
			problems = append(problems, Problem{Line: atoi(found[1]), Message: found[2]})
		}
		if len(problems) == 3 {
			break
		}
	}
	return problems
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' || n > 1<<24 {
			return n
		}
		n = n*10 + int(c-'0')
	}
	return n
}

var (
	gemLine = lazyre.New(`^\s*gem[\s(]+["']([A-Za-z0-9_.-]+)["'](?:\s*,\s*["']([^"']*)["'])?`)
)

// ParseGemfile reads the gems a Gemfile names. A Gemfile is a Ruby program; only plain gem lines are read.
func ParseGemfile(data []byte) Dependencies {
	var deps Dependencies
	for line := range strings.SplitSeq(text(data), "\n") {
		if found := gemLine.FindStringSubmatch(line); found != nil && len(deps) < maxTasks {
			deps = append(deps, Dependency{Name: found[1], Version: found[2]})
		}
	}
	return deps
}
