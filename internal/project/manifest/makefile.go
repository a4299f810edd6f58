package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"oriel/internal/lazyre"
)

// maxTasks bounds what one file may define, so that a generated file cannot flood the answer.
const maxTasks = 500

var (
	makeTarget     = lazyre.New(`^[A-Za-z0-9_][A-Za-z0-9_:-]*$`)
	makeAssignment = lazyre.New(`^(?:(?:export|override|private|unexport)\s+)*[A-Za-z0-9_.$(){}-]+\s*(?:=|\?=|\+=|!=|:=|::=|:::=)`)
	makeDirective  = lazyre.New(`^(?:-include|sinclude|include|ifeq|ifneq|ifdef|ifndef|else|endif|export|unexport|vpath|undefine|load|-load)\b`)
	makeDescribed  = lazyre.New(`\s##+\s*(.*)$`)
)

// ParseMakefile reads the targets a person would call by name, in file order. Left out: special targets (.PHONY), pattern
// and suffix rules, targets that look like files (a slash, a dot or a variable in the name), variables, and define blocks.
// The command is the recipe; a "## text" on the rule's line or on the line before it is the description.
// A target that .PHONY names and that has an ordinary name stays even without a recipe, because it groups others.
func ParseMakefile(data []byte) ([]Task, []Problem) {
	m := makefile{index: map[string]int{}}
	for _, line := range logicalLines(text(data)) {
		m.number = line.number
		m.line(line.text)
	}
	var problems []Problem
	if m.stray.Line > 0 && !bytes.Contains(data, []byte(".RECIPEPREFIX")) {
		problems = append(problems, m.stray)
	}
	if m.inDefine {
		problems = append(problems, Problem{Message: "\"define\" without \"endef\""})
	}
	if m.dropped > 0 {
		problems = append(problems, Problem{Message: "more than 500 targets; the rest are left out"})
	}
	return m.tasks, problems
}

type makefile struct {
	tasks    []Task
	index    map[string]int // position in tasks by name
	current  []int          // targets the recipe lines belong to
	comment  string         // "## text" just above
	inDefine bool
	dropped  int
	number   int     // of the line that is read
	stray    Problem // the first line that make refuses
}

func (m *makefile) line(line string) {
	trimmed := strings.TrimSpace(line)
	if m.inDefine {
		m.inDefine = trimmed != "endef" && !strings.HasPrefix(trimmed, "endef ")
		return
	}
	if strings.HasPrefix(line, "\t") {
		m.recipe(strings.TrimSpace(line))
		return
	}
	if rest, ok := strings.CutPrefix(trimmed, "##"); ok {
		m.comment = strings.TrimSpace(strings.TrimLeft(rest, "#"))
		return
	}
	if trimmed == "" || strings.HasPrefix(trimmed, "#") {
		m.comment = ""
		return
	}
	above := m.comment
	m.comment = ""
	if strings.HasPrefix(trimmed, "define ") || strings.HasPrefix(trimmed, "override define ") {
		m.inDefine = true
		return
	}
	if makeAssignment.MatchString(trimmed) || (makeDirective.MatchString(trimmed) && !ruleNamedLikeDirective(trimmed)) {
		return // directives do not end a recipe: conditionals may stand inside one
	}
	m.rule(trimmed, above)
}

// ruleNamedLikeDirective tells "load: build" or "export: x" from the directives of those names.
func ruleNamedLikeDirective(line string) bool {
	name, _, ok := strings.Cut(line, ":")
	return ok && !strings.ContainsAny(strings.TrimSpace(name), " \t(")
}

func (m *makefile) recipe(command string) {
	command = strings.TrimLeft(command, "@-+ ")
	if command == "" || strings.HasPrefix(command, "#") {
		return
	}
	for _, i := range m.current {
		if m.tasks[i].Command != "" {
			m.tasks[i].Command += "\n"
		}
		m.tasks[i].Command += command
	}
}

func (m *makefile) rule(line, above string) {
	m.current = m.current[:0]
	description := above
	if found := makeDescribed.FindStringSubmatch(line); found != nil {
		description = strings.TrimSpace(found[1])
	}
	if hash := commentStart(line); hash >= 0 {
		line = line[:hash]
	}
	targets, rest, ok := cutRule(line)
	if !ok {
		// What a variable or a function becomes is not known; a line that begins with a dot is another make's.
		if m.stray.Line == 0 && !strings.ContainsAny(line, "$") && !strings.HasPrefix(line, ".") {
			m.stray = Problem{m.number, fmt.Sprintf("missing separator: make reads %s as neither a rule nor a variable", quote(strings.TrimSpace(line)))}
		}
		return
	}
	_, inline, hasInline := strings.Cut(rest, ";")
	if prerequisites := strings.TrimLeft(rest, ":"); makeAssignment.MatchString(strings.TrimSpace(prerequisites)) {
		m.comment = above // "dev: PORT = 3000" sets a variable for the target and defines nothing
		return
	}
	for name := range strings.FieldsSeq(targets) {
		name = strings.TrimSuffix(name, "&")
		if !makeTarget.MatchString(name) {
			continue
		}
		i, known := m.index[name]
		if !known {
			if len(m.tasks) >= maxTasks {
				m.dropped++
				continue
			}
			i = len(m.tasks)
			m.index[name] = i
			m.tasks = append(m.tasks, Task{Name: name})
		}
		if m.tasks[i].Description == "" {
			m.tasks[i].Description = description
		}
		m.current = append(m.current, i)
	}
	if hasInline {
		m.recipe(strings.TrimSpace(inline))
	}
}

// cutRule splits at the colon that makes a line a rule. Colons inside $(…) do not count, nor escaped ones ("db\:migrate: …").
func cutRule(line string) (targets, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		case ';':
			return "", "", false
		case ':':
			if depth <= 0 {
				return strings.ReplaceAll(line[:i], `\:`, ":"), line[i+1:], true
			}
		}
	}
	return "", "", false
}

// commentStart finds an unescaped # in a rule line.
func commentStart(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '#':
			return i
		}
	}
	return -1
}

// logicalLines joins lines that end in a backslash. In recipes the joined parts are separated by one space as well:
// the result is read by people, not by a shell.
func logicalLines(s string) []logicalLine {
	var out []logicalLine
	var parts []string
	number := 0
	for line := range strings.SplitSeq(s, "\n") {
		number++
		if len(parts) > 0 {
			line = strings.TrimLeft(line, " \t")
		}
		if body, ok := strings.CutSuffix(line, `\`); ok && !strings.HasSuffix(body, `\`) {
			parts = append(parts, strings.TrimRight(body, " "))
			continue
		}
		out = append(out, logicalLine{number - len(parts), strings.Join(append(parts, line), " ")})
		parts = nil
	}
	if len(parts) > 0 {
		out = append(out, logicalLine{number - len(parts) + 1, strings.Join(parts, " ")})
	}
	return out
}

type logicalLine struct {
	number int // of its first line, from 1
	text   string
}
