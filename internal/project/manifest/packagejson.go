package manifest

import (
	"encoding/json"
	"fmt"
)

// PackageJSON is the part of an npm manifest that says what the project is.
type PackageJSON struct {
	Name           string
	PackageManager string // corepack's field, e.g. "pnpm@9.1.0"
	DevManager     string // devEngines.packageManager in the same form
	Scripts        []Task
	Dependencies   Dependencies // runtime first, then development
	Workspaces     []string
	HasWorkspaces  bool // true even when the list is empty: the folder is a workspace root
	Main           string
}

// ParsePackageJSON reads a package.json.
func ParsePackageJSON(data []byte) (PackageJSON, []Problem) {
	o, problems := parseObject(data)
	p := PackageJSON{
		Name:           o.stringField("name", &problems),
		PackageManager: o.stringField("packageManager", &problems),
		Main:           o.stringField("main", &problems),
	}
	for _, f := range o.objectField("scripts", &problems) {
		command, ok := asString(f.raw)
		if !ok {
			problems = append(problems, Problem{Message: fmt.Sprintf("script %q: expected a string, found %s", f.name, kindOf(f.raw))})
			continue
		}
		p.Scripts = setTask(p.Scripts, Task{Name: f.name, Command: command})
	}
	p.Dependencies = append(o.dependencies("dependencies", &problems), o.dependencies("devDependencies", &problems)...)
	p.workspaces(o, &problems)
	p.DevManager = devManager(o)
	return p, problems
}

// setTask appends, or replaces the task of that name: a later definition wins, as it does for the tools themselves.
func setTask(list []Task, t Task) []Task {
	for i := range list {
		if list[i].Name == t.Name && list[i].Group == t.Group {
			list[i] = t
			return list
		}
	}
	return append(list, t)
}

func (p *PackageJSON) workspaces(o object, problems *[]Problem) {
	raw, ok := o.get("workspaces")
	if !ok || kindOf(raw) == "null" || string(raw) == "false" {
		return
	}
	p.HasWorkspaces = true
	if sub, isObject := members(raw); isObject {
		if raw, ok = sub.get("packages"); !ok {
			return
		}
	}
	if p.Workspaces, ok = asStrings(raw); !ok {
		p.HasWorkspaces = false
		*problems = append(*problems, Problem{Message: fmt.Sprintf("\"workspaces\": expected a list of strings, found %s", kindOf(raw))})
	}
}

// devManager reads devEngines.packageManager, which is an object or a list of objects. It is advisory, so any other form is passed over.
func devManager(o object) string {
	raw, ok := o.get("devEngines")
	if !ok {
		return ""
	}
	engines, _ := members(raw)
	if raw, ok = engines.get("packageManager"); !ok {
		return ""
	}
	type engine struct{ Name, Version string }
	var one engine
	if json.Unmarshal(raw, &one) != nil {
		var several []engine
		if json.Unmarshal(raw, &several) != nil || len(several) == 0 {
			return ""
		}
		one = several[0]
	}
	if one.Version == "" {
		return one.Name
	}
	return one.Name + "@" + one.Version
}
