package manifest

import "strings"

// ParsePnpmWorkspace reads the packages list of a pnpm-workspace.yaml. It understands the two forms in use, a block list and
// a flow list of plain or quoted strings; anything else under that key is reported, never guessed.
func ParsePnpmWorkspace(data []byte) ([]string, []Problem) {
	r := yamlList{}
	lines := strings.Split(text(data), "\n")
	for i := 0; i < len(lines) && !r.done; i++ {
		line := stripYAMLComment(lines[i])
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !r.inside {
			i = r.seekKey(lines, i, line)
			continue
		}
		r.entry(i+1, line)
	}
	return r.items, r.problems
}

type yamlList struct {
	inside, done bool
	items        []string
	problems     []Problem
}

func (r *yamlList) fail(line int, what string) {
	if len(r.problems) < 3 {
		r.problems = append(r.problems, Problem{Line: line, Message: "packages: cannot read " + quote(what) + "; expected a plain list of strings"})
	}
}

// seekKey looks for "packages:" at the left margin. It returns the index of the last line it has used.
func (r *yamlList) seekKey(lines []string, i int, line string) int {
	key, value, ok := strings.Cut(line, ":")
	if !ok || strings.Trim(key, `"'`) != "packages" {
		return i
	}
	r.inside = true
	value = strings.TrimSpace(value)
	if value == "" {
		return i
	}
	r.done = true
	if !strings.HasPrefix(value, "[") {
		r.fail(i+1, value)
		return i
	}
	start := i
	for !strings.Contains(value, "]") && i+1 < len(lines) {
		i++
		value += " " + strings.TrimSpace(stripYAMLComment(lines[i]))
	}
	inner, rest, closed := strings.Cut(strings.TrimPrefix(value, "["), "]")
	if !closed || strings.TrimSpace(rest) != "" {
		r.fail(start+1, value)
		return i
	}
	for part := range strings.SplitSeq(inner, ",") {
		if part = strings.TrimSpace(part); part != "" {
			r.add(start+1, part)
		}
	}
	return i
}

func (r *yamlList) entry(n int, line string) {
	trimmed := strings.TrimSpace(line)
	item, ok := strings.CutPrefix(trimmed, "-")
	if !ok || (item != "" && item[0] != ' ' && item[0] != '\t') {
		if line[0] == ' ' || line[0] == '\t' {
			r.fail(n, trimmed)
			return
		}
		r.done = true // the next key of the file
		return
	}
	r.add(n, strings.TrimSpace(item))
}

func (r *yamlList) add(n int, scalar string) {
	value, ok := yamlScalar(scalar)
	if !ok {
		r.fail(n, scalar)
		return
	}
	if len(r.items) < maxTasks {
		r.items = append(r.items, value)
	}
}

// yamlScalar reads one string. Unquoted text that YAML would read as something other than this string is refused.
func yamlScalar(s string) (string, bool) {
	if s == "" {
		return "", false
	}
	if q := s[0]; q == '"' || q == '\'' {
		if len(s) < 2 || s[len(s)-1] != q {
			return "", false
		}
		inner := s[1 : len(s)-1]
		if q == '\'' {
			return strings.ReplaceAll(inner, "''", "'"), inner != ""
		}
		return inner, inner != "" && !strings.ContainsAny(inner, `\"`)
	}
	if strings.ContainsAny(s[:1], "&*!|>{[%@`") || strings.Contains(s, ": ") || strings.HasSuffix(s, ":") {
		return "", false // an anchor, an alias, a tag, a block or a mapping
	}
	return s, true
}

// stripYAMLComment drops a comment: a # at the start or after a space, outside quotes.
func stripYAMLComment(line string) string {
	var quoted byte
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			if i == 0 || strings.ContainsRune(" \t[,-", rune(line[i-1])) {
				quoted = c
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return strings.TrimRight(line[:i], " \t")
		}
	}
	return strings.TrimRight(line, " \t")
}
