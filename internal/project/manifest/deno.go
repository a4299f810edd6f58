package manifest

import (
	"fmt"
	"strings"
)

// Deno is a deno.json or deno.jsonc.
type Deno struct {
	Name      string
	Tasks     []Task
	Imports   Dependencies // name is the bare package, e.g. "@fresh/core", whatever alias the project gave it
	Workspace []string
}

// ParseDeno reads a deno.json or deno.jsonc; comments and trailing commas are allowed in both, as Deno allows them.
func ParseDeno(data []byte) (Deno, []Problem) {
	o, problems := parseObject(plainJSON(data))
	d := Deno{Name: o.stringField("name", &problems)}
	for _, f := range o.objectField("tasks", &problems) {
		t := Task{Name: f.name}
		var ok bool
		if t.Command, ok = asString(f.raw); !ok {
			sub, isObject := members(f.raw)
			if !isObject {
				problems = append(problems, Problem{Message: fmt.Sprintf("task %q: expected a string or an object, found %s", f.name, kindOf(f.raw))})
				continue
			}
			t.Command = sub.stringField("command", &problems)
			t.Description = sub.stringField("description", &problems)
		}
		d.Tasks = setTask(d.Tasks, t)
	}
	for _, imp := range o.dependencies("imports", &problems) {
		d.Imports = append(d.Imports, specifier(imp.Name, imp.Version))
	}
	raw, ok := o.get("workspace")
	if sub, isObject := members(raw); isObject {
		raw, ok = sub.get("members")
	}
	if ok {
		if d.Workspace, ok = asStrings(raw); !ok {
			problems = append(problems, Problem{Message: "\"workspace\": expected a list of strings, found " + kindOf(raw)})
		}
	}
	return d, problems
}

// specifier turns an import-map entry into a dependency: "jsr:@fresh/core@^2.0.0" is @fresh/core at ^2.0.0.
func specifier(alias, target string) Dependency {
	for _, scheme := range []string{"jsr:", "npm:"} {
		rest, ok := strings.CutPrefix(target, scheme)
		if !ok {
			continue
		}
		rest = strings.TrimPrefix(rest, "/")
		name, version := rest, ""
		if at := strings.LastIndex(rest, "@"); at > 0 {
			name, version = rest[:at], rest[at+1:]
		}
		version, _, _ = strings.Cut(version, "/")
		return Dependency{Name: name, Version: version}
	}
	return Dependency{Name: strings.TrimSuffix(alias, "/")}
}
