package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

// Pyproject is the part of a pyproject.toml that says what the project is.
type Pyproject struct {
	Name         string
	Described    bool // has [project] or [tool.poetry]: a project, not only the settings of some linter
	Tasks        []Task
	Dependencies Dependencies // names in normal form: lower case, dashes
	Tools        []string     // keys under [tool], sorted
	Workspace    []string     // uv workspace members
	Exclude      []string
	HasWorkspace bool
	BuildBackend string
}

// Groups of Pyproject tasks. An entry point is a command that exists once the project is installed in its environment.
const (
	GroupEntry  = "entry"
	GroupPoetry = "poetry"
	GroupPoe    = "poe"
	GroupPDM    = "pdm"
	GroupTaskip = "taskipy"
	GroupHatch  = "hatch"
	GroupRye    = "rye"
	GroupPixi   = "pixi"
	GroupPipenv = "pipenv"
)

// table keeps values whose form differs from tool to tool; it never leaves this package.
type table map[string]any

type pyFile struct {
	Project     *pyProjectTable
	BuildSystem struct {
		Backend string `toml:"build-backend"`
	} `toml:"build-system"`
	Groups map[string][]any `toml:"dependency-groups"`
	Tool   table
}

type pyProjectTable struct {
	Name         string
	Scripts      table
	GuiScripts   table `toml:"gui-scripts"`
	Dependencies []string
	Optional     map[string][]string `toml:"optional-dependencies"`
}

// ParsePyproject reads a pyproject.toml.
func ParsePyproject(data []byte) (Pyproject, []Problem) {
	var f pyFile
	problems := decodeTOML(data, &f)
	p := Pyproject{BuildBackend: f.BuildSystem.Backend, Tools: slices.Sorted(maps.Keys(f.Tool))}
	if f.Project != nil {
		p.Described = true
		p.Name = f.Project.Name
		p.addTasks(GroupEntry, f.Project.Scripts)
		p.addTasks(GroupEntry, f.Project.GuiScripts)
		p.requirements(f.Project.Dependencies)
		for _, name := range slices.Sorted(maps.Keys(f.Project.Optional)) {
			p.requirements(f.Project.Optional[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Groups)) {
		for _, v := range f.Groups[name] {
			if s, ok := v.(string); ok {
				p.requirements([]string{s})
			}
		}
	}
	p.poetry(f.Tool.sub("poetry"))
	p.taskTools(f.Tool)
	uv := f.Tool.sub("uv")
	p.requirements(uv.list("dev-dependencies"))
	if ws := uv.sub("workspace"); ws != nil {
		p.HasWorkspace = true
		p.Workspace, p.Exclude = ws.list("members"), ws.list("exclude")
	}
	return p, problems
}

func (p *Pyproject) taskTools(tool table) {
	p.addTasks(GroupPoe, tool.sub("poe").sub("tasks"))
	pdm := tool.sub("pdm").sub("scripts")
	delete(pdm, "_") // shared options, not a script
	p.addTasks(GroupPDM, pdm)
	p.addTasks(GroupTaskip, tool.sub("taskipy").sub("tasks"))
	p.addTasks(GroupRye, tool.sub("rye").sub("scripts"))
	p.addTasks(GroupPixi, tool.sub("pixi").sub("tasks"))
	envs := tool.sub("hatch").sub("envs")
	for _, env := range slices.Sorted(maps.Keys(envs)) {
		prefix := env + ":"
		if env == "default" {
			prefix = ""
		}
		named := table{}
		for name, v := range envs.sub(env).sub("scripts") {
			named[prefix+name] = v
		}
		p.addTasks(GroupHatch, named)
	}
}

func (p *Pyproject) poetry(poetry table) {
	if poetry == nil {
		return
	}
	p.Described = true
	if name, ok := poetry["name"].(string); ok && p.Name == "" {
		p.Name = name
	}
	p.addTasks(GroupPoetry, poetry.sub("scripts"))
	sets := []table{poetry.sub("dependencies"), poetry.sub("dev-dependencies")}
	groups := poetry.sub("group")
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		sets = append(sets, groups.sub(name).sub("dependencies"))
	}
	for _, set := range sets {
		p.Dependencies = append(p.Dependencies, set.dependencies()...)
	}
}

// addTasks takes a table of name to command in any of the forms the task tools use. TOML tables carry no order, so names are sorted.
func (p *Pyproject) addTasks(group string, tasks table) {
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		if len(p.Tasks) >= maxTasks || strings.HasPrefix(name, "_") {
			continue
		}
		t := taskFrom(tasks[name])
		t.Name, t.Group = name, group
		p.Tasks = append(p.Tasks, t)
	}
}

func taskFrom(v any) Task {
	switch v := v.(type) {
	case string:
		return Task{Command: v}
	case []any:
		var parts []string
		for _, item := range v {
			if s := taskFrom(item).Command; s != "" {
				parts = append(parts, s)
			}
		}
		return Task{Command: strings.Join(parts, "\n")}
	case map[string]any:
		var t Task
		for _, key := range []string{"cmd", "shell", "script", "call", "reference", "callable", "chain", "composite", "sequence", "ref", "expr"} {
			if inner, ok := v[key]; ok && t.Command == "" {
				t.Command = taskFrom(inner).Command
				if key == "cmd" { // here a list is the words of one command
					t.Command = strings.ReplaceAll(t.Command, "\n", " ")
				}
			}
		}
		for _, key := range []string{"help", "description"} {
			if s, ok := v[key].(string); ok {
				t.Description = s
			}
		}
		return t
	}
	return Task{}
}

func (p *Pyproject) requirements(lines []string) {
	for _, line := range lines {
		if d, ok := parseRequirement(line); ok {
			p.Dependencies = append(p.Dependencies, d)
		}
	}
}

func (t table) sub(key string) table {
	if inner, ok := t[key].(map[string]any); ok {
		return inner
	}
	return nil
}

func (t table) list(key string) []string {
	var out []string
	items, _ := t[key].([]any)
	for _, item := range items {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// dependencies reads a table of name to version, where the version is a string or a table with one.
func (t table) dependencies() Dependencies {
	var out Dependencies
	for _, name := range slices.Sorted(maps.Keys(t)) {
		d := Dependency{Name: normalPython(name)}
		switch v := t[name].(type) {
		case string:
			d.Version = v
		case map[string]any:
			d.Version, _ = v["version"].(string)
			d.Extras = table(v).list("extras")
		}
		out = append(out, d)
	}
	return out
}

// ParsePipfile reads the scripts and packages of a Pipfile.
func ParsePipfile(data []byte) (Pyproject, []Problem) {
	f := table{}
	problems := decodeTOML(data, &f)
	p := Pyproject{Described: true}
	p.addTasks(GroupPipenv, f.sub("scripts"))
	p.Dependencies = append(f.sub("packages").dependencies(), f.sub("dev-packages").dependencies()...)
	return p, problems
}

var (
	requirementLine = lazyre.New(`^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?\s*([^;#@]*)`)
	pythonSeparator = lazyre.New(`[-_.]+`)
)

func normalPython(name string) string {
	return strings.ToLower(pythonSeparator.ReplaceAllString(name, "-"))
}

func parseRequirement(line string) (Dependency, bool) {
	found := requirementLine.FindStringSubmatch(strings.TrimSpace(line))
	if found == nil {
		return Dependency{}, false
	}
	d := Dependency{Name: normalPython(found[1]), Version: strings.TrimSpace(found[3])}
	for extra := range strings.SplitSeq(found[2], ",") {
		if extra = strings.TrimSpace(extra); extra != "" {
			d.Extras = append(d.Extras, extra)
		}
	}
	return d, true
}

// ParseRequirements reads a requirements.txt. Files it includes with -r are returned, not read.
func ParseRequirements(data []byte) (deps Dependencies, includes []string, problems []Problem) {
	for i, line := range strings.Split(text(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '-' {
			flag, file, _ := strings.Cut(strings.Replace(line, "=", " ", 1), " ")
			if flag == "-r" || flag == "--requirement" {
				includes = append(includes, strings.TrimSpace(file))
			}
			continue
		}
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "/") || strings.Contains(line, "://") && !strings.Contains(line, "@") {
			continue // a path or an address: its name is not in the line
		}
		d, ok := parseRequirement(line)
		if !ok {
			if len(problems) < 3 {
				problems = append(problems, Problem{Line: i + 1, Message: fmt.Sprintf("cannot read requirement %s", quote(line))})
			}
			continue
		}
		deps = append(deps, d)
	}
	return deps, includes, problems
}
