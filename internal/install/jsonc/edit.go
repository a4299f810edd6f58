package jsonc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Field is one member of the object that is written: a name and a plain JSON
// value on one line.
type Field struct{ Name, JSON string }

// Quote is s as a JSON string; <, > and & stay readable.
func Quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// Insert puts an object with these fields at path, last among its neighbours,
// and makes the objects on the way that are missing. It is an error when the
// path exists already.
func (d *Doc) Insert(path []string, fields []Field) ([]byte, error) {
	n, rest, err := d.walk(path)
	if err != nil {
		return nil, err
	}
	l := d.layout()
	if n == nil {
		return d.first(l, path, fields), nil
	}
	if len(rest) == 0 {
		return nil, d.errorAt(n.start, fmt.Sprintf("%q is there already", path[len(path)-1]))
	}
	if d.inline(n, path[:len(path)-len(rest)]) {
		return d.insertInline(l, n, rest, fields), nil
	}
	return d.insertLines(l, n, rest, fields), nil
}

// Replace puts an object with these fields where path leads now.
func (d *Doc) Replace(path []string, fields []Field) ([]byte, error) {
	n, rest, err := d.walk(path)
	if err != nil {
		return nil, err
	}
	if n == nil || len(rest) > 0 {
		return nil, fmt.Errorf("nothing to replace at %s", strings.Join(path, "."))
	}
	l := d.layout()
	old := d.src[n.start:n.end]
	if n.kind != Object {
		old = d.src
	}
	if bytes.ContainsAny(old, "\r\n") {
		return splice(d.src, n.start, n.end, l.lines(d.indentAt(n.start), nil, fields)), nil
	}
	return splice(d.src, n.start, n.end, l.oneLine(nil, fields)), nil
}

// Render is the text of a file that holds nothing but path and fields.
func Render(path []string, fields []Field) string {
	return layout{newline: "\n", unit: "  ", colon: ": ", comma: ", "}.lines("", path, fields) + "\n"
}

func splice(src []byte, from, to int, text string) []byte {
	out := make([]byte, 0, len(src)+len(text))
	out = append(out, src[:from]...)
	out = append(out, text...)
	return append(out, src[to:]...)
}

// first writes the first value of a text; a byte order mark and comments that
// stand there already stay before it.
func (d *Doc) first(l layout, path []string, fields []Field) []byte {
	end, text := 0, l.lines("", path, fields)+l.newline
	if bytes.HasPrefix(d.src, bom) {
		end = len(bom)
	}
	if len(d.comments) > 0 {
		end, text = d.comments[len(d.comments)-1][1], l.newline+text
	}
	return splice(d.src, end, len(d.src), text)
}

// inline says whether the object is written on one line, and a newcomer should
// be too. An empty object follows the one around it.
func (d *Doc) inline(n *node, path []string) bool {
	if len(n.members) == 0 {
		if len(path) == 0 || bytes.ContainsAny(d.src[n.start:n.end], "\r\n") {
			return false
		}
		parent, _, _ := d.walk(path[:len(path)-1])
		n = parent
	}
	return !bytes.ContainsAny(d.src[n.start:n.end], "\r\n")
}

func (d *Doc) insertInline(l layout, n *node, path []string, fields []Field) []byte {
	text := l.member(path, func(rest []string) string { return l.oneLine(rest, fields) })
	if len(n.members) == 0 {
		return splice(d.src, n.lastToken, n.lastToken, d.gapAfterComment(n)+text)
	}
	if n.trailing {
		return splice(d.src, n.lastToken, n.lastToken, strings.TrimPrefix(l.comma, ",")+text+",")
	}
	last := n.members[len(n.members)-1].value.end
	if last == n.lastToken {
		return splice(d.src, last, last, l.comma+text)
	}
	out := splice(d.src, n.lastToken, n.lastToken, " "+text)
	return splice(out, last, last, ",")
}

func (d *Doc) gapAfterComment(n *node) string {
	if n.lastToken > n.start+1 {
		return " "
	}
	return ""
}

func (d *Doc) insertLines(l layout, n *node, path []string, fields []Field) []byte {
	base := d.indentAt(n.start)
	indent := base + l.unit
	if len(n.members) > 0 && d.startsLine(n.members[0].start) {
		indent = d.indentAt(n.members[0].start)
	}
	text := l.newline + indent + l.member(path, func(rest []string) string { return l.lines(indent, rest, fields) })
	if len(n.members) == 0 {
		return d.insertOnly(l, n, base, text)
	}
	if n.trailing {
		text += ","
	}
	out := splice(d.src, n.lastToken, n.lastToken, text)
	if n.trailing {
		return out
	}
	last := n.members[len(n.members)-1].value.end
	return splice(out, last, last, ",")
}

// insertOnly fills an empty object, whose brace may have to move to a line of
// its own.
func (d *Doc) insertOnly(l layout, n *node, base, text string) []byte {
	close := n.end - 1
	if bytes.ContainsAny(d.src[n.lastToken:close], "\n") {
		return splice(d.src, n.lastToken, n.lastToken, text)
	}
	return splice(d.src, n.lastToken, close, text+l.newline+base)
}

// indentAt is the white space that begins the line of a place.
func (d *Doc) indentAt(at int) string {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	line = bytes.TrimPrefix(line, bom)
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// startsLine says that nothing but white space stands before a place.
func (d *Doc) startsLine(at int) bool {
	line := d.src[bytes.LastIndexByte(d.src[:at], '\n')+1 : at]
	return len(bytes.TrimLeft(line, " \t")) == 0
}
