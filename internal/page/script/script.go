// Package script turns code into scripts that run it at most once.
//
// Code becomes up to three scripts, tried in this order until one parses:
//
//	an expression     1+1, await fetch("/x"), {a: 1}
//	statements with   const n = f(); n * 2      → the last one is returned
//	a last expression
//	statements        if (x) return 1; for (…) …
//
// None runs the code: each hands an async function to the element it is in
// (web/agent/exec.ts), which is called once a form has parsed. So the browser's
// own parser decides, no parser of ours has to be right, and nothing runs
// twice. The scanner below only proposes where the last statement begins; a
// wrong proposal fails to parse, or is one of the few shapes that it refuses
// because they would parse and mean something else.
//
// Each form puts one line before the code and keeps the code's own lines, so
// that a position in the script is one in the code with the line less one.
package script

import "strings"

// SourceName is how the code appears in stacks and error events.
const SourceName = "oriel-exec.js"

const (
	formOpen  = "document.currentScript.o(async()=>"
	formClose = ")\n//# sourceURL=" + SourceName
	returning = "return ("
)

// Form is one script, and where its columns are off.
type Form struct {
	Text  string
	line  int // of the code, 1-based; columns there are shifted
	shift int
	lines int // of the code
}

// Forms returns the scripts for code, none when it says nothing.
func Forms(code string) []Form {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	tokens := scan(code)
	last := len(tokens) - 1
	for last >= 0 && tokens[last].text == ";" {
		last--
	}
	if last < 0 {
		return nil
	}
	end := tokens[last].end
	lines := 1 + strings.Count(code, "\n")
	forms := []Form{{Text: formOpen + "(\n" + code[:end] + "\n)" + formClose, lines: lines}}
	if at, ok := lastStatement(tokens[:last+1]); ok {
		forms = append(forms, Form{
			Text: formOpen + "{\n" + code[:at] + returning + code[at:end] + "\n)}" + formClose,
			line: 1 + strings.Count(code[:at], "\n"), shift: len(returning), lines: lines,
		})
	}
	return append(forms, Form{Text: formOpen + "{\n" + code + "\n}" + formClose, lines: lines})
}

// Position translates a place in the script to one in the code. It is false for
// a place outside the code.
func (f Form) Position(line, column int) (int, int, bool) {
	line--
	if line == f.line && column > f.shift {
		column -= f.shift
	}
	return line, column, line >= 1 && line <= f.lines
}

// Lines returns how many lines the code has.
func (f Form) Lines() int { return f.lines }

// token is a part of the code outside all brackets; a bracketed group is one.
type token struct {
	start, end int
	text       string // a word, an operator character, or the first character of anything else
	line       bool   // a line break stands before it
}

// lastStatement returns where the last statement begins, if it is not the only
// one and may be an expression.
func lastStatement(tokens []token) (int, bool) {
	for i := len(tokens) - 1; i > 0; i-- {
		t, before := tokens[i], tokens[i-1]
		if before.text != ";" && !(t.line && startsStatement(tokens, i)) {
			continue
		}
		if notExpressions[t.text] || t.text == "{" || t.text == ";" {
			return 0, false
		}
		if t.text == "async" && i+1 < len(tokens) && tokens[i+1].text == "function" {
			return 0, false
		}
		return t.start, true
	}
	return 0, false
}

// startsStatement says whether the token at i, first on its line, begins a
// statement rather than going on with the one before.
func startsStatement(tokens []token, i int) bool {
	t, before := tokens[i], tokens[i-1]
	if strings.ContainsAny(t.text[:1], "([{.,?:=+-*/%&|^<>!~)]}`;") && !(t.text == "!" && i+1 < len(tokens) && tokens[i+1].text != "=") {
		return false
	}
	if continues[t.text] || unfinished[before.text] {
		return false
	}
	if strings.ContainsAny(before.text[:1], ".,?:=+-*/%&|^<>!~") && !isRegexp(before) {
		return false
	}
	// if (x), for (…), while (…) without braces: what follows is their body.
	if before.text == "(" && i >= 2 {
		head := tokens[i-2].text
		if head == "await" && i >= 3 {
			head = tokens[i-3].text
		}
		return !(head == "if" || head == "for" || head == "while" || head == "with")
	}
	return true
}

func isRegexp(t token) bool { return t.text == "/" && t.end-t.start > 1 }

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

var (
	// Words that begin something other than an expression, or a declaration
	// that would no longer be hoisted inside one.
	notExpressions = set(`const let var function class if for while do switch try return throw break continue
		import export debugger with else catch finally case default`)
	// Words that go on with the line before.
	continues = set("in of instanceof else catch finally as")
	// Words after which a statement cannot end.
	unfinished = set("else do typeof void delete new in of instanceof await return throw case const let var extends async yield")
	// Words after which a slash begins a regular expression.
	beforeRegexp = set("return typeof case in of void delete await instanceof new throw else do yield")
)

// scan splits code into tokens. It is forgiving: whatever it is given, it ends.
func scan(code string) []token {
	s := scanner{code: code}
	var out []token
	for {
		s.line = false
		s.skipSpace()
		if s.pos >= len(code) {
			return out
		}
		t := token{start: s.pos, line: s.line}
		t.text = s.next(previous(out))
		t.end = s.pos
		out = append(out, t)
	}
}

func previous(tokens []token) token {
	if len(tokens) == 0 {
		return token{text: ";"}
	}
	return tokens[len(tokens)-1]
}

type scanner struct {
	code  string
	pos   int
	line  bool
	depth int // of templates within templates
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.code) {
		rest := s.code[s.pos:]
		switch {
		case rest[0] == '\n':
			s.line = true
			s.pos++
		case strings.IndexByte(" \t\r\v\f", rest[0]) >= 0:
			s.pos++
		case strings.HasPrefix(rest, "//"):
			s.pos += until(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*"):
			n := until(rest[2:], "*/", 2) + 2
			s.line = s.line || strings.Contains(rest[:n], "\n")
			s.pos += n
		default:
			return
		}
	}
}

// until returns the length of s up to the end marker, and extra for the marker.
func until(s, marker string, extra int) int {
	if i := strings.Index(s, marker); i >= 0 {
		return i + extra
	}
	return len(s)
}

// next passes one token and returns its text.
func (s *scanner) next(before token) string {
	c := s.code[s.pos]
	switch {
	case isWord(c):
		start := s.pos
		digit := c >= '0' && c <= '9'
		for s.pos < len(s.code) && (isWord(s.code[s.pos]) || digit && s.code[s.pos] == '.') {
			s.pos++
		}
		return s.code[start:s.pos]
	case c == '"' || c == '\'':
		s.quoted(c)
	case c == '`':
		s.template()
	case c == '(' || c == '[' || c == '{':
		s.group()
	case c == '/' && regexpAfter(before):
		s.regexp()
	default:
		s.pos++
	}
	return string(rune(c))
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c == '@' || c >= 0x80 ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func regexpAfter(before token) bool {
	if before.text == "" || isWord(before.text[0]) {
		return beforeRegexp[before.text]
	}
	return strings.IndexByte(")]}\"'`", before.text[0]) < 0 && strings.IndexByte("([", before.text[0]) < 0
}

func (s *scanner) quoted(end byte) {
	for s.pos++; s.pos < len(s.code); s.pos++ {
		switch s.code[s.pos] {
		case '\\':
			s.pos++
		case end:
			s.pos++
			return
		case '\n':
			return // not terminated: the browser will say so
		}
	}
	s.pos = len(s.code)
}

func (s *scanner) template() {
	s.depth++
	defer func() { s.depth-- }()
	if s.depth > 100 { // nobody's code; a deeper one need not be understood, only survived
		s.pos = len(s.code)
		return
	}
	for s.pos++; s.pos < len(s.code); s.pos++ {
		switch s.code[s.pos] {
		case '\\':
			s.pos++
		case '`':
			s.pos++
			return
		case '$':
			if s.pos+1 < len(s.code) && s.code[s.pos+1] == '{' {
				s.pos++
				s.group()
				s.pos--
			}
		}
	}
	s.pos = len(s.code)
}

func (s *scanner) regexp() {
	class := false
	for s.pos++; s.pos < len(s.code); s.pos++ {
		switch c := s.code[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\n':
			return
		case c == '/' && !class:
			for s.pos++; s.pos < len(s.code) && isWord(s.code[s.pos]); s.pos++ {
			}
			return
		}
	}
	s.pos = len(s.code)
}

// group passes everything up to the bracket that closes the one at pos. Nested
// groups are counted, not recursed into, so that no input exhausts the stack.
func (s *scanner) group() {
	depth := 0
	before := token{text: ";"}
	for s.pos < len(s.code) {
		s.skipSpace()
		if s.pos >= len(s.code) {
			return
		}
		switch c := s.code[s.pos]; c {
		case '(', '[', '{':
			depth++
			s.pos++
			before = token{text: ";"}
			continue
		case ')', ']', '}':
			depth--
			s.pos++
			before = token{text: string(rune(c))}
			if depth <= 0 {
				return
			}
			continue
		}
		before = token{text: s.next(before)}
	}
}
