package manifest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Composer is a PHP composer.json.
type Composer struct {
	Name         string
	Scripts      []Task
	Dependencies Dependencies
}

// ParseComposer reads a composer.json. A script may be one command or a list; a list is joined line by line.
func ParseComposer(data []byte) (Composer, []Problem) {
	o, problems := parseObject(data)
	c := Composer{Name: o.stringField("name", &problems)}
	described := o.objectField("scripts-descriptions", &problems)
	for _, f := range o.objectField("scripts", &problems) {
		command, ok := composerCommand(f.raw)
		if !ok {
			problems = append(problems, Problem{Message: fmt.Sprintf("script %q: expected a string or a list of strings, found %s", f.name, kindOf(f.raw))})
			continue
		}
		t := Task{Name: f.name, Command: command}
		if raw, ok := described.get(f.name); ok {
			t.Description, _ = asString(raw)
		}
		c.Scripts = setTask(c.Scripts, t)
	}
	c.Dependencies = append(o.dependencies("require", &problems), o.dependencies("require-dev", &problems)...)
	return c, problems
}

func composerCommand(raw json.RawMessage) (string, bool) {
	if s, ok := asString(raw); ok {
		return s, true
	}
	if list, ok := asStrings(raw); ok {
		return strings.Join(list, "\n"), true
	}
	// Symfony Flex keeps "auto-scripts" as an object of command to kind.
	if sub, ok := members(raw); ok {
		var names []string
		for _, f := range sub {
			names = append(names, f.name)
		}
		return strings.Join(names, "\n"), true
	}
	return "", false
}

// StringList reads a list of strings under one key of a JSON file, such as the packages of lerna.json.
func StringList(data []byte, key string) ([]string, []Problem) {
	o, problems := parseObject(plainJSON(data))
	raw, ok := o.get(key)
	if !ok {
		return nil, problems
	}
	list, ok := asStrings(raw)
	if !ok {
		problems = append(problems, Problem{Message: fmt.Sprintf("%q: expected a list of strings, found %s", key, kindOf(raw))})
	}
	return list, problems
}

// AngularPort finds the port an angular.json sets for "ng serve"; 0 when there is none, or when projects disagree.
func AngularPort(data []byte) (int, []Problem) {
	var file struct {
		Projects map[string]struct {
			Architect, Targets struct {
				Serve struct{ Options struct{ Port int } }
			}
		}
	}
	data = plainJSON(data)
	if err := json.Unmarshal(data, &file); err != nil {
		return 0, []Problem{jsonProblem(data, err)}
	}
	found := 0
	for _, p := range file.Projects {
		for _, port := range []int{p.Architect.Serve.Options.Port, p.Targets.Serve.Options.Port} {
			if port > 0 && found > 0 && found != port {
				return 0, nil
			}
			found = max(found, port)
		}
	}
	return found, nil
}
