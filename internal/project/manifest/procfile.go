package manifest

import (
	"fmt"
	"strings"

	"oriel/internal/lazyre"
)

var procLine = lazyre.New(`^([A-Za-z0-9_-]+)\s*:\s*(.+)$`)

// ParseProcfile reads the process types of a Procfile.
func ParseProcfile(data []byte) ([]Task, []Problem) {
	var tasks []Task
	var problems []Problem
	for i, line := range strings.Split(text(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := procLine.FindStringSubmatch(line)
		if found == nil {
			if len(problems) < 3 {
				problems = append(problems, Problem{Line: i + 1, Message: fmt.Sprintf("expected \"name: command\", found %s", quote(line))})
			}
			continue
		}
		if len(tasks) < maxTasks {
			tasks = setTask(tasks, Task{Name: found[1], Command: found[2]})
		}
	}
	return tasks, problems
}

// quote shows a piece of a file in a message: short, and without control characters.
func quote(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

var (
	justRecipe = lazyre.New(`^@?([A-Za-z_][A-Za-z0-9_-]*)((?:\s+[^:]*)?):([^=].*)?$`)
	justAssign = lazyre.New(`^(?:export\s+)?[A-Za-z_][A-Za-z0-9_-]*\s*:=`)
)

// ParseJustfile reads the public recipes of a justfile that can be run without arguments.
func ParseJustfile(data []byte) ([]Task, []Problem) {
	var tasks []Task
	comment, private, current := "", false, -1
	for _, logical := range logicalLines(text(data)) {
		line := logical.text
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			comment, private = "", false
		case line[0] == ' ' || line[0] == '\t':
			if current >= 0 {
				tasks[current].Command = strings.TrimPrefix(tasks[current].Command+"\n"+strings.TrimLeft(trimmed, "@-"), "\n")
			}
		case line[0] == '#':
			comment = strings.TrimSpace(strings.TrimLeft(trimmed, "#"))
		case line[0] == '[':
			private = private || strings.Contains(trimmed, "private")
		default:
			current = -1
			found := justRecipe.FindStringSubmatch(trimmed)
			usable := found != nil && !justAssign.MatchString(trimmed) && !private &&
				found[1][0] != '_' && onlyOptional(found[2]) && len(tasks) < maxTasks
			if usable {
				tasks = append(tasks, Task{Name: found[1], Description: comment})
				current = len(tasks) - 1
			}
			comment, private = "", false
		}
	}
	return tasks, nil
}

// onlyOptional reports whether every parameter of a recipe has a default or may be empty.
func onlyOptional(parameters string) bool {
	for p := range strings.FieldsSeq(parameters) {
		if !strings.Contains(p, "=") && !strings.HasPrefix(p, "*") {
			return false
		}
	}
	return true
}
