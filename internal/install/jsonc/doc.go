// Package jsonc edits JSON with comments in place: a new member goes where a
// careful person would type it, and every other byte stays as it was.
//
// Re-marshalling a settings file would lose comments, order and layout, so the
// text itself is edited. Comments and trailing commas are understood, since
// editors write both; everything else is JSON to the letter, and text that is
// not is refused with its place.
package jsonc

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Error is text that cannot be read or edited, and where. Line and Column
// count from 1, columns in characters.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// maxDepth is what encoding/json takes too.
const maxDepth = 10000

// Kind is what sort of value stands at a place.
type Kind string

// The kinds of values.
const (
	Object  Kind = "an object"
	Array   Kind = "an array"
	String  Kind = "a string"
	Number  Kind = "a number"
	Boolean Kind = "a boolean"
	Null    Kind = "null"
)

// node is one value: src[start:end].
type node struct {
	kind       Kind
	start, end int
	members    []member // of an object
	// trailing says that a comma follows the last member.
	trailing bool
	// lastToken is the end of what stands last before the closing brace,
	// comments included.
	lastToken int
}

type member struct {
	key   string
	start int // of the key
	value *node
}

// Doc is a text that has been read.
type Doc struct {
	src      []byte
	root     *node // nil when the text holds no value
	comments [][2]int
	trailing []int // commas before a closing bracket
}

// Plain reports the first thing in the text that is not plain JSON: a comment
// or a trailing comma. Some readers refuse both.
func (d *Doc) Plain() (found *Error, plain bool) {
	at, what := len(d.src), ""
	if len(d.comments) > 0 {
		at, what = d.comments[0][0], "a comment"
	}
	if len(d.trailing) > 0 && d.trailing[0] < at {
		at, what = d.trailing[0], "a trailing comma"
	}
	if what == "" {
		return nil, true
	}
	return d.errorAt(at, what), false
}

// Value is one value of a Doc.
type Value struct {
	Kind         Kind
	Text         string // as written
	Line, Column int
	plain        []byte
}

// JSON is the value without comments and trailing commas.
func (v Value) JSON() []byte { return v.plain }

// Find returns the value at a path of keys. Nothing there is no error; an
// object on the way that is something else, or has the key twice, is one.
func (d *Doc) Find(path ...string) (Value, bool, error) {
	n, rest, err := d.walk(path)
	if err != nil || n == nil || len(rest) > 0 {
		return Value{}, false, err
	}
	at := d.errorAt(n.start, "")
	return Value{n.kind, string(d.src[n.start:n.end]), at.Line, at.Column, d.standard()[n.start:n.end]}, true, nil
}

// walk goes down the path as far as it exists.
func (d *Doc) walk(path []string) (n *node, rest []string, err error) {
	n, rest = d.root, path
	for name := "the file"; n != nil && len(rest) > 0; name, rest = fmt.Sprintf("%q", rest[0]), rest[1:] {
		if n.kind != Object {
			return nil, nil, d.errorAt(n.start, fmt.Sprintf("%s is %s where an object is expected", name, n.kind))
		}
		var next *member
		for i, m := range n.members {
			if m.key != rest[0] {
				continue
			}
			if next != nil {
				return nil, nil, d.errorAt(m.start, fmt.Sprintf("%q is there twice", m.key))
			}
			next = &n.members[i]
		}
		if next == nil {
			return n, rest, nil
		}
		n = next.value
	}
	return n, rest, nil
}

// standard is the text with spaces for whatever plain JSON does not know, so
// that places stay the same.
func (d *Doc) standard() []byte {
	out := bytes.Clone(d.src)
	for _, c := range d.comments {
		for i := c[0]; i < c[1]; i++ {
			out[i] = ' '
		}
	}
	for _, at := range d.trailing {
		out[at] = ' '
	}
	if bytes.HasPrefix(out, bom) {
		copy(out, "   ")
	}
	return out
}

// line gives the place of a byte.
func (d *Doc) errorAt(at int, message string) *Error {
	before := bytes.TrimPrefix(d.src[:at], bom)
	line := bytes.Count(before, []byte("\n"))
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	return &Error{line + 1, utf8.RuneCount(before) + 1, message}
}
