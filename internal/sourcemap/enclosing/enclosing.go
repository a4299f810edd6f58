// Package enclosing names the function that a place in a JavaScript or
// TypeScript source is in.
package enclosing

import (
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

// maxText bounds a source; a longer one is not read.
const maxText = 4 << 20

// Function names the function that a place (from 1) is in: the innermost that
// has a name, so that a callback
// inside a component gives the component. A method carries its class. It is a
// reader of brackets, not a parser: JSX text and types pass through it as words
// that name nothing. "" when it finds none.
func Function(text string, line, column int) string {
	if len(text) > maxText {
		return ""
	}
	s := scanner{text: scripts(text), brackets: []bracket{{}}}
	s.run(offset(s.text, line, column))
	for i := len(s.brackets) - 1; i >= 0; i-- {
		name := s.brackets[i].function
		if name == "" {
			continue
		}
		if class := s.classOf(i); class != "" {
			if name == "constructor" {
				return class
			}
			return class + "." + name
		}
		return name
	}
	return ""
}

// bracket is an open bracket, or the body of an arrow function without one.
type bracket struct {
	open     byte   // 0 for the file, '>' for an arrow's expression
	function string // the function whose body it is, when that has a name
	class    string // the class whose body it is
	first    int    // index of the first token after it
}

// token is a word, or one character of punctuation; "=>" is one token, a
// literal is "" with nothing to say.
type token struct {
	text string
	pair int // of a closing bracket: the index of its opening one
}

type scanner struct {
	text     string
	at       int
	tokens   []token
	brackets []bracket
	opened   []int // token index of each open bracket, beside brackets

	nested                int // templates within templates
	noString, noRegexpEnd int // up to here a search for the end has failed
}

// Bounds that keep the work linear whatever the text: how far a search steps
// back over tokens, down the open brackets, into templates, ahead over space.
const (
	maxBack   = 200
	maxDown   = 64
	maxNested = 50
	maxAhead  = 400
)

var (
	scriptTag = lazyre.New(`(?is)<script\b[^>]*>(.*?)</script\s*>`)
	markup    = lazyre.New(`(?is)^(?:\s|<!--.*?-->)*<(?:!doctype|html|head|script|template|style|[a-z][a-z0-9-]*[\s>])`)
)

// scripts blanks what is not script in a page or a component file, keeping
// every line where it is.
func scripts(text string) string {
	if !markup.MatchString(text) {
		return text
	}
	out := []byte(text)
	last := 0
	for _, m := range append(scriptTag.FindAllStringSubmatchIndex(text, -1), []int{0, 0, len(text), len(text)}) {
		for i := last; i < m[2]; i++ {
			if out[i] != '\n' {
				out[i] = ' '
			}
		}
		last = m[3]
	}
	return string(out)
}

// offset is the byte just behind the beginning of a place. Columns count UTF-16
// units; that matters only on lines with characters beyond ASCII before the
// place, where being off by a few does no harm.
func offset(text string, line, column int) int {
	at := 0
	for range line - 1 {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return min(at+max(column-1, 0), end)
}

// run reads tokens up to end.
func (s *scanner) run(end int) {
	for s.at < end {
		c := s.text[s.at]
		switch {
		case c == '\n' || c == ' ' || c == '\t' || c == '\r':
			s.at++
			if c == '\n' {
				s.endLine()
			}
		case strings.HasPrefix(s.text[s.at:], "//"):
			s.skipTo("\n", 0)
		case strings.HasPrefix(s.text[s.at:], "/*"):
			s.skipTo("*/", 2)
		case (c == '"' || c == '\'') && s.at >= s.noString:
			s.quoted(c)
		case c == '`' && s.nested < maxNested:
			s.template(end)
		case c == '/' && s.at >= s.noRegexpEnd && s.regexpHere():
			s.regexp()
		case isWord(c):
			start := s.at
			for s.at < len(s.text) && isWord(s.text[s.at]) {
				s.at++
			}
			s.push(s.text[start:s.at])
		case strings.HasPrefix(s.text[s.at:], "=>"):
			s.at += 2
			s.push("=>")
			s.arrow()
		default:
			s.at++
			s.punct(c)
		}
	}
}

func (s *scanner) push(text string) { s.tokens = append(s.tokens, token{text, -1}) }

func (s *scanner) punct(c byte) {
	switch c {
	case '{', '(', '[':
		b := bracket{open: c}
		if c == '{' {
			b.function, b.class = s.body()
		}
		s.push(string(c))
		b.first = len(s.tokens)
		s.brackets = append(s.brackets, b)
		s.opened = append(s.opened, len(s.tokens)-1)
	case '}', ')', ']':
		s.close(c)
	case ',', ';':
		s.endArrow()
		s.push(string(c))
	default:
		s.push(string(c))
	}
}

// close ends the innermost bracket of its kind; one that does not fit is text.
func (s *scanner) close(c byte) {
	open := byte('(')
	switch c {
	case '}':
		open = '{'
	case ']':
		open = '['
	}
	i := len(s.brackets) - 1
	for down := 0; i > 0 && down < maxDown && s.brackets[i].open != open; down++ {
		i--
	}
	if s.brackets[i].open != open {
		s.push(string(c))
		return
	}
	s.tokens = append(s.tokens, token{string(c), s.opened[i-1]})
	s.brackets, s.opened = s.brackets[:i], s.opened[:i-1]
}

// arrow opens the body of an arrow function that is an expression; the body in
// braces is seen at its brace.
func (s *scanner) arrow() {
	if strings.HasPrefix(s.ahead(), "{") {
		return
	}
	s.brackets = append(s.brackets, bracket{open: '>', function: s.arrowName(len(s.tokens) - 1), first: len(s.tokens)})
	s.opened = append(s.opened, len(s.tokens)-1)
}

func (s *scanner) endArrow() {
	for len(s.brackets) > 1 && s.brackets[len(s.brackets)-1].open == '>' {
		s.brackets, s.opened = s.brackets[:len(s.brackets)-1], s.opened[:len(s.opened)-1]
	}
}

var statements = strings.Fields("const let var function class export import return if for while switch try throw async type interface enum abstract public private protected static")

// endLine ends an arrow's expression where the next line begins a statement:
// semicolons are often left out.
func (s *scanner) endLine() {
	if s.brackets[len(s.brackets)-1].open != '>' || len(s.tokens) == 0 || s.tokens[len(s.tokens)-1].text == "=>" {
		return
	}
	rest := s.ahead()
	end := 0
	for end < len(rest) && isWord(rest[end]) {
		end++
	}
	if slices.Contains(statements, rest[:end]) || strings.HasPrefix(rest, "@") {
		s.endArrow()
	}
}

// ahead is a piece of what comes next, without space before it.
func (s *scanner) ahead() string {
	return strings.TrimLeft(s.text[s.at:min(s.at+maxAhead, len(s.text))], " \t\r\n")
}
