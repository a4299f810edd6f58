package kdl

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// isSpace reports white space that does not end a line.
func isSpace(r rune) bool {
	switch r {
	case '\t', ' ', 0xA0, 0x1680, 0x202F, 0x205F, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200A
}

// isNewline reports the code points that end a line; CR and LF together are one.
func isNewline(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
func isSign(r rune) bool  { return r == '+' || r == '-' }

// isWord reports the code points plain words are made of. Version 1 keeps < > ,
// for later use, but allows # and / inside a word.
func isWord(r rune, version Version) bool {
	if r == eof || isSpace(r) || isNewline(r) || strings.ContainsRune(`\(){};[]"=`, r) {
		return false
	}
	if version == V1 {
		return r != '<' && r != '>' && r != ','
	}
	return r != '#' && r != '/'
}

// isForbidden reports the code points that may not be written literally.
func isForbidden(r rune) bool {
	switch {
	case r <= 0x08, 0x0E <= r && r <= 0x1F, r == 0x7F:
		return true
	case r == 0x200E, r == 0x200F, 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return true
	}
	return r == 0xFEFF
}

// checkText refuses text that is not UTF-8 and forbidden code points, wherever
// they stand, so that nothing after it has to.
func checkText(text string) *Error {
	c := cursor{text: text, line: 1, column: 1}
	for c.off < len(text) {
		r, size := utf8.DecodeRuneInString(text[c.off:])
		if r == utf8.RuneError && size == 1 {
			return c.errorf("expected UTF-8 text, got byte 0x%02X", text[c.off])
		}
		if isForbidden(r) {
			return c.errorf("code point %U is not allowed in a document (in a quoted string write \\u{%x})", r, r)
		}
		c.next()
	}
	return nil
}

// eof is what peek returns at the end; it is no code point.
const eof rune = -1

// cursor is a place in the text. It is a plain value: to go back, keep a copy.
type cursor struct {
	text         string
	off          int
	line, column int
}

func (c *cursor) peek() rune { return c.peekAt(0) }

// peekAt looks n bytes ahead; every caller looks past ASCII only.
func (c *cursor) peekAt(n int) rune {
	if c.off+n >= len(c.text) {
		return eof
	}
	r, _ := utf8.DecodeRuneInString(c.text[c.off+n:])
	return r
}

// next consumes one code point, CR LF together counting as one line's end.
func (c *cursor) next() rune {
	if c.off >= len(c.text) {
		return eof
	}
	r, size := utf8.DecodeRuneInString(c.text[c.off:])
	c.off += size
	switch {
	case r == '\r' && c.off < len(c.text) && c.text[c.off] == '\n':
		c.off++
		c.line, c.column = c.line+1, 1
	case isNewline(r):
		c.line, c.column = c.line+1, 1
	default:
		c.column++
	}
	return r
}

// has tells whether the text goes on with prefix.
func (c *cursor) has(prefix string) bool { return strings.HasPrefix(c.text[c.off:], prefix) }

// accept consumes prefix, which holds no newline, if the text goes on with it.
func (c *cursor) accept(prefix string) bool {
	if !c.has(prefix) {
		return false
	}
	c.off += len(prefix)
	c.column += utf8.RuneCountInString(prefix)
	return true
}

func (c *cursor) position() Position { return Position{c.line, c.column} }

// errorf is an error at the cursor.
func (c *cursor) errorf(format string, args ...any) *Error {
	return c.errorAt(c.position(), format, args...)
}

// errorAt is an error shown at an earlier place, though reading got to here.
func (c *cursor) errorAt(at Position, format string, args ...any) *Error {
	return &Error{Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...), reach: c.off}
}

// got names what stands at the cursor, for the second half of a message.
func (c *cursor) got() string {
	r := c.peek()
	switch {
	case r == eof:
		return "the end of the file"
	case isNewline(r):
		return "the end of the line"
	case r == '"':
		return `'"'`
	default:
		return fmt.Sprintf("%q", string(r))
	}
}
