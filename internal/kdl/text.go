package kdl

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// keywords of version 1 are these words; version 2 puts a hash before them and
// forbids the bare words, so that neither is ever mistaken for the other.
var keywordKinds = map[string]Kind{
	"true": Bool, "false": Bool, "null": Null,
	"inf": Infinity, "-inf": Infinity, "nan": NaN,
}

// isKeyword1 tells whether version 1 gives word a meaning of its own.
func isKeyword1(word string) bool {
	return word == "true" || word == "false" || word == "null"
}

// atKeyword tells whether a keyword begins here.
func (p *parser) atKeyword() bool {
	if p.version == V2 {
		return p.peek() == '#' && !p.atRaw()
	}
	before := p.cursor
	word := p.word()
	p.cursor = before
	return isKeyword1(word)
}

func (p *parser) keyword() (Kind, string, *Error) {
	at := p.position()
	hash := p.accept("#")
	word := p.word()
	kind, known := keywordKinds[word]
	if !known {
		return 0, "", p.errorAt(at, "expected #true, #false, #null, #inf, #-inf, #nan or a raw string, got %q", "#"+word)
	}
	if !hash && p.peek() == '=' {
		return 0, "", p.errorAt(at, "expected a property name, got the keyword %s", word)
	}
	return kind, word, nil
}

// hashes counts the # signs at the given distance.
func (p *parser) hashes(ahead int) int {
	rest := p.text[p.off+ahead:]
	return len(rest) - len(strings.TrimLeft(rest, "#"))
}

// atRaw tells whether a raw string begins here: #"…"#, in version 1 r#"…"# and r"…".
func (p *parser) atRaw() bool {
	if p.version == V1 {
		return p.peek() == 'r' && p.peekAt(1+p.hashes(1)) == '"'
	}
	count := p.hashes(0)
	return count > 0 && p.peekAt(count) == '"'
}

// atString tells whether a string begins here: quoted, raw, or a plain word.
func (p *parser) atString() bool {
	return p.peek() == '"' || p.atRaw() ||
		isWord(p.peek(), p.version) && !p.atNumber() && !p.atKeyword() && (p.peek() != '/' && p.peek() != '#')
}

// string reads any form of string; bare tells that it was a plain word.
func (p *parser) string() (text string, bare bool, err *Error) {
	switch {
	case p.atRaw():
		p.accept("r")
		count := p.hashes(0)
		p.accept(strings.Repeat("#", count))
		text, err = p.quoted(rawForm(count))
		return text, false, err
	case p.peek() == '"':
		text, err = p.quoted(form{})
		return text, false, err
	}
	at := p.position()
	word := p.word()
	if _, reserved := keywordKinds[word]; reserved && p.version == V2 {
		return "", true, p.errorAt(at, `%s is a keyword: write #%s for its value or %q for the text`, word, word, word)
	}
	if digits := strings.TrimLeft(word, "+-"); p.version == V2 && len(word)-len(digits) < 2 &&
		len(digits) > 1 && digits[0] == '.' && isDigit(rune(digits[1])) {
		return "", true, p.errorAt(at, "expected a digit before the decimal point, got %q", word)
	}
	return word, true, nil
}

// form is how the string being read is written.
type form struct {
	raw    bool
	hashes string // what follows the closing quotes
}

func rawForm(count int) form { return form{raw: true, hashes: strings.Repeat("#", count)} }

// quoted reads a string from its opening quote on.
func (p *parser) quoted(f form) (string, *Error) {
	if p.version == V2 && p.has(`"""`) {
		return p.multiline(f)
	}
	opened, closing := p.position(), `"`+f.hashes
	p.next()
	var text strings.Builder
	for {
		switch r := p.peek(); {
		case p.accept(closing):
			return text.String(), nil
		case r == eof:
			return "", p.errorAt(opened, "expected %s to close this string before the end of the file", closing)
		case isNewline(r) && p.version == V2:
			err := p.errorAt(opened, `expected %s to close this string before the end of the line (a string of several lines begins with """)`, closing)
			// A forgotten quote is a far likelier slip than a version 1 string
			// of several lines: no other reading counts as getting further.
			err.reach = len(p.text)
			return "", err
		case r == '\\' && !f.raw:
			escaped, err := p.escape()
			if err != nil {
				return "", err
			}
			text.WriteString(escaped)
		default:
			start := p.off
			p.next()
			text.WriteString(p.text[start:p.off])
		}
	}
}

// escape reads an escape sequence. One that stands for nothing, a backslash
// before white space, which it swallows, gives the empty string.
func (p *parser) escape() (string, *Error) {
	at := p.position()
	p.next()
	r := p.peek()
	if p.version == V2 && (isSpace(r) || isNewline(r)) {
		for isSpace(p.peek()) || isNewline(p.peek()) {
			p.next()
		}
		return "", nil
	}
	switch r {
	case '"', '\\':
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	case 'u':
		return p.unicodeEscape(at)
	default:
		switch {
		case r == 's' && p.version == V2:
			r = ' '
		case r == '/' && p.version == V1:
		case p.version == V1:
			return "", p.errorAt(at, `expected \n, \r, \t, \b, \f, \", \\, \/ or \u{…}, got a backslash and %s`, p.got())
		default:
			return "", p.errorAt(at, `expected \n, \r, \t, \b, \f, \s, \", \\, \u{…} or white space after it, got a backslash and %s`, p.got())
		}
	}
	p.next()
	return string(r), nil
}

// unicodeEscape reads the rest of \u{…} from the u on.
func (p *parser) unicodeEscape(at Position) (string, *Error) {
	p.next()
	if !p.accept("{") {
		return "", p.errorAt(at, `expected \u{…} with 1 to 6 hexadecimal digits`)
	}
	start := p.off
	for isDigit(p.peek()) || strings.ContainsRune("abcdefABCDEF", p.peek()) {
		p.next()
	}
	digits := p.text[start:p.off]
	code, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) > 6 || !p.accept("}") {
		return "", p.errorAt(at, `expected \u{…} with 1 to 6 hexadecimal digits`)
	}
	if !utf8.ValidRune(rune(code)) {
		return "", p.errorAt(at, `expected a Unicode scalar value, got \u{%s}`, digits)
	}
	return string(rune(code)), nil
}
