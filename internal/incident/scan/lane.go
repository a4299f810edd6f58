package scan

import "strings"

// Several programs that one runner starts (concurrently, turbo, foreman, docker
// compose) share its streams, each line marked with whose it is. Their reports
// come interleaved, so each has a lane of its own.

// maxLanes bounds the programs that are told apart; further ones share.
const maxLanes = 16

// lane is one program behind one stream.
type lane struct {
	name   string
	stderr bool
}

// laneOf returns the state that a line continues, and the line without the mark.
func (s *Scanner) laneOf(stderr bool, text string) (*stream, string) {
	name, rest := mark(text)
	if name != "" {
		if inner, more := mark(rest); inner != "" { // a runner in a container
			name, rest = name+" "+inner, more
		}
		k := lane{name, stderr}
		if st := s.lanes[k]; st != nil {
			return st, rest
		}
		if len(s.lanes) < maxLanes {
			if s.lanes == nil {
				s.lanes = map[lane]*stream{}
			}
			st := &stream{scanner: s, lane: name}
			s.lanes[k] = st
			return st, rest
		}
		text = rest
	}
	st := &s.streams[0]
	if stderr {
		st = &s.streams[1]
	}
	st.scanner = s
	return st, text
}

// mark splits off the mark of a runner: "[api] ", "[api  ] ", "[@shop/api]: ",
// "web-1  | ", "12:00:00 web.1 | ", "web:dev: ", "apps/web dev: ".
func mark(text string) (name, rest string) {
	if len(text) < 4 {
		return "", text
	}
	switch c := text[0]; {
	case c == '[':
		return bracketed(text)
	case c >= '0' && c <= '9':
		if len(text) > 12 && text[2] == ':' && text[5] == ':' && text[8] == ' ' && text[9]|0x20 >= 'a' { // foreman
			if name, rest := barred(text[9:]); name != "" {
				return name, rest
			}
		}
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '@':
		if name, rest := barred(text); name != "" {
			return name, rest
		}
		return tasked(text)
	}
	return "", text
}

// bracketed: a name, padded or with a time behind it.
func bracketed(text string) (name, rest string) {
	end := strings.IndexByte(text[:min(len(text), 64)], ']')
	if end < 2 {
		return "", text
	}
	name, when, _ := strings.Cut(text[1:end], " ")
	if !isName(name) || tags[name] || strings.Trim(when, " 0123456789:.-") != "" || strings.TrimSpace(when) != "" && name[0] <= '9' {
		return "", text
	}
	rest = strings.TrimPrefix(text[end+1:], ":")
	if rest != "" && rest[0] != ' ' {
		return "", text
	}
	return name, strings.TrimPrefix(rest, " ")
}

func barred(text string) (name, rest string) {
	head := text[:min(len(text), 48)]
	if bar := strings.Index(head, " | "); bar > 0 && isName(strings.TrimRight(head[:bar], " ")) {
		return strings.TrimRight(head[:bar], " "), text[bar+3:]
	}
	if bar := strings.TrimSuffix(text, " |"); len(bar) < min(len(text), 40) && isName(strings.TrimRight(bar, " ")) { // a blank line
		return strings.TrimRight(bar, " "), ""
	}
	return "", text
}

// tasked: a package and what is done in it.
func tasked(text string) (name, rest string) {
	head := text[:min(len(text), 64)]
	end := strings.Index(head, ": ")
	if end < 0 {
		if end = len(text) - 1; len(text) > 48 || text[end] != ':' { // a blank line
			return "", text
		}
	}
	pack, task, ok := strings.Cut(head[:end], ":")
	if !ok { // pnpm
		if pack, task, ok = strings.Cut(head[:end], " "); !ok || !pnpmTasks[task] || !strings.Contains(pack, "/") {
			return "", text
		}
	}
	if isName(pack) && isName(task) && task[0] >= 'a' && task[0] <= 'z' && !strings.HasSuffix(pack, "Error") {
		return head[:end], strings.TrimPrefix(text[end+1:], " ")
	}
	return "", text
}

// pnpmTasks are what people call the scripts that run for long, or report.
var pnpmTasks = map[string]bool{
	"dev": true, "start": true, "serve": true, "watch": true, "build": true, "test": true, "lint": true, "check": true, "typecheck": true, "type-check": true, "preview": true, "storybook": true, "server": true, "client": true,
}

// tags are words in brackets that say what a line is and not whose.
var tags = map[string]bool{
	"vite": true, "nodemon": true, "tsl": true, "tsx": true, "watch": true, "hmr": true, "wds": true, "browser": true, "console.error": true,
	"TypeScript": true, "vue-tsc": true, "ESLint": true, "Biome": true, "Stylelint": true, "oxlint": true,
	"error": true, "Error": true, "err": true, "warn": true, "warning": true, "info": true, "debug": true, "fatal": true, "critical": true, "cause": true, "webpack-dev-server": true, "vite-plugin-svelte": true,
}

// isName says whether s may be what a runner calls a program. Capitals alone are
// a level or a code.
func isName(s string) bool {
	lower := false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			lower = true
		case c >= 'A' && c <= 'Z' || strings.IndexByte("-_./@#:", c) >= 0:
		default:
			return false
		}
	}
	return lower
}
