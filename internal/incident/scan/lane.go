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

// mark splits off the mark of a runner: "[api] ", "web-1  | ", "web:dev: ".
func mark(text string) (name, rest string) {
	if len(text) < 4 {
		return "", text
	}
	switch c := text[0]; {
	case c == '[':
		end := strings.IndexByte(text[:min(len(text), 42)], ']')
		if end < 2 || end+1 >= len(text) || text[end+1] != ' ' || !isName(text[1:end]) || tags[text[1:end]] {
			return "", text
		}
		return text[1:end], text[end+2:]
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '@':
		head := text[:min(len(text), 48)]
		if bar := strings.Index(head, " | "); bar > 0 && isName(strings.TrimRight(head[:bar], " ")) {
			return strings.TrimRight(head[:bar], " "), text[bar+3:]
		}
		end := strings.Index(head, ": ")
		if end < 0 {
			return "", text
		}
		pack, task, ok := strings.Cut(head[:end], ":")
		if ok && isName(pack) && isName(task) && task[0] >= 'a' && task[0] <= 'z' && !strings.HasSuffix(pack, "Error") {
			return head[:end], text[end+2:]
		}
	}
	return "", text
}

// tags are words in brackets that say what a line is and not whose.
var tags = map[string]bool{
	"vite": true, "nodemon": true, "tsl": true, "tsx": true, "watch": true, "hmr": true, "wds": true, "browser": true, "console.error": true,
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
