package kdl

import "strings"

// textLine is one line of a multi-line string: its text with escapes resolved,
// and how much of it, from the left, was written as literal white space. Only
// that much can be indentation; a space written \s is content.
type textLine struct {
	Position
	text   strings.Builder
	indent int
}

// blank tells whether there is nothing but literal white space.
func (l *textLine) blank() bool { return l.indent == l.text.Len() }

// multiline reads a string from its opening three quotes on. The white space
// before the closing quotes is the indentation that every line must begin with,
// and that is taken off; lines of white space only are empty lines.
func (p *parser) multiline(f form) (string, *Error) {
	opened, closing := p.position(), `"""`+f.hashes
	p.accept(`"""`)
	if !isNewline(p.peek()) {
		return "", p.errorf(`expected a newline after """, got %s`, p.got())
	}
	p.next()
	lines := []*textLine{{Position: p.position()}}
	for {
		line := lines[len(lines)-1]
		switch r := p.peek(); {
		case p.accept(closing):
			return p.dedent(lines)
		case r == eof:
			return "", p.errorAt(opened, "expected %s to close this string before the end of the file", closing)
		case isNewline(r):
			p.next()
			lines = append(lines, &textLine{Position: p.position()})
		case r == '\\' && !f.raw:
			escaped, err := p.escape()
			if err != nil {
				return "", err
			}
			line.text.WriteString(escaped)
		default:
			blank := line.blank() && isSpace(r)
			start := p.off
			p.next()
			line.text.WriteString(p.text[start:p.off])
			if blank {
				line.indent = line.text.Len()
			}
		}
	}
}

// dedent joins the lines, the last being what stands before the closing quotes.
func (p *parser) dedent(lines []*textLine) (string, *Error) {
	last := lines[len(lines)-1]
	if !last.blank() {
		return "", p.errorAt(last.Position, `expected nothing but white space before the closing """`)
	}
	prefix := last.text.String()
	texts := make([]string, len(lines)-1)
	for i, line := range lines[:len(lines)-1] {
		if line.blank() {
			continue
		}
		text := line.text.String()
		if !strings.HasPrefix(text[:line.indent], prefix) {
			return "", p.errorAt(line.Position, `expected the line to begin with the same white space as the line of the closing """`)
		}
		texts[i] = text[len(prefix):]
	}
	return strings.Join(texts, "\n"), nil
}
