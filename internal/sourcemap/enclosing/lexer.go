package enclosing

import "strings"

// isWord says whether c is part of a word; every byte beyond ASCII is.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '#' || c >= 0x80 || (c >= '0' && c <= '9') || (c|0x20 >= 'a' && c|0x20 <= 'z')
}

// isName says whether a token can name a function.
func isName(t string) bool {
	return t != "" && isWord(t[0]) && (t[0] < '0' || t[0] > '9')
}

// skipTo moves behind the next mark, or to the end.
func (s *scanner) skipTo(mark string, width int) {
	i := strings.Index(s.text[s.at:], mark)
	if i < 0 {
		s.at = len(s.text)
		return
	}
	s.at += i + width
}

// quoted skips a string. It ends with its line at the latest: an apostrophe in
// JSX text opens none.
func (s *scanner) quoted(end byte) {
	start := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '\n':
			// It was no string; what is behind the mark may matter.
			s.noString, s.at = s.at, start+1
			return
		case end:
			s.at++
			s.push("")
			return
		}
	}
	s.at = min(s.at, len(s.text))
}

// template skips a template literal, reading the expressions in it. A place
// inside such an expression, before end, is in the function around it.
func (s *scanner) template(end int) {
	s.nested++
	defer func() { s.nested-- }()
	for s.at++; s.at < len(s.text) && s.at < end; s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\':
			s.at++
		case c == '`':
			s.at++
			s.push("")
			return
		case c == '$' && strings.HasPrefix(s.text[s.at:], "${"):
			s.at += 2
			s.inTemplate(end)
		}
	}
}

// inTemplate reads one ${…}, leaving s.at on its closing brace.
func (s *scanner) inTemplate(end int) {
	s.push("$")
	s.punct('{')
	depth := len(s.brackets)
	for s.at < end {
		if s.text[s.at] == '}' && len(s.brackets) <= depth+s.arrowsAbove(depth) {
			s.close('}')
			return
		}
		s.run(s.at + 1)
	}
}

// arrowsAbove counts bodies of arrow functions that the brace would end too.
func (s *scanner) arrowsAbove(depth int) int {
	n := 0
	for i := depth; i < len(s.brackets) && s.brackets[i].open == '>'; i++ {
		n++
	}
	return n
}

// regexpHere says whether a slash begins a regular expression and no division
// and no end of a tag.
func (s *scanner) regexpHere() bool {
	next := byte(0)
	if s.at+1 < len(s.text) {
		next = s.text[s.at+1]
	}
	if next == '>' || len(s.tokens) == 0 {
		return next != '>'
	}
	switch t := s.tokens[len(s.tokens)-1].text; t {
	case "", ")", "]", "}", "<":
		return false
	case "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "await", "yield":
		return true
	default:
		return !isWord(t[0])
	}
}

// regexp skips a regular expression; without an end on its line it was none.
func (s *scanner) regexp() {
	start, class := s.at, false
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			s.noRegexpEnd, s.at = s.at, start+1
			s.push("/")
			return
		case '/':
			if !class {
				s.at++
				s.push("")
				return
			}
		}
	}
	s.at = min(s.at, len(s.text))
}
