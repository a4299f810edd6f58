package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

var bom = []byte("\xef\xbb\xbf")

// Parse reads a text. One without any value (empty, or nothing but comments)
// is a Doc too.
func Parse(src []byte) (*Doc, error) {
	d := &Doc{src: src}
	if bytes.HasPrefix(src, []byte{0xff, 0xfe}) || bytes.HasPrefix(src, []byte{0xfe, 0xff}) {
		return nil, &Error{1, 1, "the file is UTF-16, UTF-8 is expected"}
	}
	p := &parser{Doc: d}
	if bytes.HasPrefix(src, bom) {
		p.at = len(bom)
	}
	if err := p.document(); err != nil {
		return nil, err
	}
	return d, nil
}

type parser struct {
	*Doc
	at    int
	depth int
}

func (p *parser) document() error {
	if err := p.space(); err != nil {
		return err
	}
	if p.at == len(p.src) {
		return nil
	}
	var err error
	if p.root, err = p.value(); err != nil {
		return err
	}
	if err := p.space(); err != nil {
		return err
	}
	if p.at < len(p.src) {
		return p.fail(p.at, "%s after the end of the value", p.what())
	}
	return nil
}

func (p *parser) fail(at int, format string, args ...any) error {
	return p.errorAt(at, fmt.Sprintf(format, args...))
}

// what names the next character for a message.
func (p *parser) what() string {
	if p.at >= len(p.src) {
		return "the end of the file"
	}
	r := []rune(string(p.src[p.at:min(len(p.src), p.at+4)]))[0]
	return fmt.Sprintf("%q", r)
}

func (p *parser) next() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

// space goes past white space and comments.
func (p *parser) space() error {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\r', '\n':
			p.at++
		case '/':
			if err := p.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) comment() error {
	start := p.at
	rest := p.src[start:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		p.at = len(p.src)
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			p.at = start + i
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		i := bytes.Index(rest[2:], []byte("*/"))
		if i < 0 {
			return p.fail(start, "a comment that does not end")
		}
		p.at = start + 2 + i + 2
	default:
		return p.fail(start, "'/' where a value is expected")
	}
	p.comments = append(p.comments, [2]int{start, p.at})
	return nil
}

// value reads one value; white space before it has been read.
func (p *parser) value() (*node, error) {
	n := &node{start: p.at}
	var err error
	switch c := p.next(); {
	case c == '{':
		n.kind = Object
		err = p.object(n)
	case c == '[':
		n.kind = Array
		err = p.array(n)
	case c == '"':
		n.kind = String
		_, err = p.text()
	case c == '-' || '0' <= c && c <= '9':
		n.kind = Number
		err = p.number()
	default:
		n.kind, err = p.word()
	}
	n.end = p.at
	return n, err
}

func (p *parser) word() (Kind, error) {
	for _, w := range []struct {
		text string
		kind Kind
	}{{"true", Boolean}, {"false", Boolean}, {"null", Null}} {
		if bytes.HasPrefix(p.src[p.at:], []byte(w.text)) {
			p.at += len(w.text)
			return w.kind, nil
		}
	}
	return "", p.fail(p.at, "%s where a value is expected", p.what())
}

// object reads from brace to brace.
func (p *parser) object(n *node) error {
	return p.sequence(n, '}', func() error {
		m := member{start: p.at}
		if p.next() != '"' {
			return p.fail(p.at, "%s where a key in double quotes, or '}', is expected", p.what())
		}
		var err error
		if m.key, err = p.text(); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		if p.next() != ':' {
			return p.fail(p.at, "%s where ':' is expected", p.what())
		}
		p.at++
		if err := p.space(); err != nil {
			return err
		}
		if m.value, err = p.value(); err != nil {
			return err
		}
		n.members = append(n.members, m)
		return nil
	})
}

func (p *parser) array(n *node) error {
	return p.sequence(n, ']', func() error {
		_, err := p.value()
		return err
	})
}

// sequence reads items between brackets, with commas between them and perhaps
// one after the last.
func (p *parser) sequence(n *node, end byte, item func() error) error {
	if p.depth++; p.depth > maxDepth {
		return p.fail(p.at, "more than %d levels", maxDepth)
	}
	defer func() { p.depth-- }()
	open := p.at
	p.at++
	n.lastToken = p.at
	comma, items := -1, 0
	for {
		if err := p.spaceIn(n); err != nil {
			return err
		}
		switch {
		case p.at == len(p.src):
			return p.fail(open, "%q is never closed", string(p.src[open]))
		case p.next() == end:
			if n.trailing = comma >= 0; n.trailing {
				p.trailing = append(p.trailing, comma)
			}
			p.at++
			return nil
		case items > 0 && comma < 0:
			return p.fail(p.at, "%s where ',' or %q is expected", p.what(), string(end))
		}
		if err := item(); err != nil {
			return err
		}
		items++
		comma = -1
		n.lastToken = p.at
		if err := p.spaceIn(n); err != nil {
			return err
		}
		if p.next() == ',' {
			comma = p.at
			p.at++
			n.lastToken = p.at
		}
	}
}

// spaceIn goes past white space and notes where the last comment ended.
func (p *parser) spaceIn(n *node) error {
	before := len(p.comments)
	if err := p.space(); err != nil {
		return err
	}
	if len(p.comments) > before {
		n.lastToken = p.comments[len(p.comments)-1][1]
	}
	return nil
}

// text reads a string in double quotes and returns what it says.
func (p *parser) text() (string, error) {
	start := p.at
	for p.at++; ; p.at++ {
		switch c := p.next(); {
		case p.at >= len(p.src) || c == '\n' || c == '\r':
			return "", p.fail(start, "a string that does not end")
		case c < ' ':
			return "", p.fail(p.at, "a control character in a string")
		case c == '\\':
			p.at++ // whatever is escaped; the decoder below knows which may be
		case c == '"':
			p.at++
			var s string
			if err := json.Unmarshal(p.src[start:p.at], &s); err != nil {
				return "", p.fail(start, "a string with a wrong escape")
			}
			return s, nil
		}
	}
}

func (p *parser) number() error {
	start := p.at
	for p.at < len(p.src) && bytes.IndexByte([]byte("+-.eE0123456789"), p.src[p.at]) >= 0 {
		p.at++
	}
	if !json.Valid(p.src[start:p.at]) {
		return p.fail(start, "%q is no number", p.src[start:p.at])
	}
	return nil
}
