package jsonc

import (
	"bytes"
	"strings"
)

// layout is how a text is written, so that what is added looks the same.
type layout struct {
	newline      string
	unit         string // one level of indentation
	colon, comma string // with the space after them, or without
}

func (d *Doc) layout() layout {
	l := layout{newline: "\n", unit: "  ", colon: ": ", comma: ", "}
	if i := bytes.IndexByte(d.src, '\n'); i > 0 && d.src[i-1] == '\r' {
		l.newline = "\r\n"
	}
	if d.root == nil {
		return l
	}
	if unit := d.unit(d.root, 0); unit != "" {
		l.unit = unit
	}
	if m, ok := firstMember(d.root); ok && d.src[m.value.start-1] == ':' {
		l.colon, l.comma = ":", ","
	}
	return l
}

func firstMember(n *node) (member, bool) {
	if len(n.members) == 0 {
		return member{}, false
	}
	return n.members[0], true
}

// unit is by how much the first member that begins a line stands further in
// than the object that holds it.
func (d *Doc) unit(n *node, depth int) string {
	if depth > 8 {
		return ""
	}
	for _, m := range n.members {
		if d.startsLine(m.start) {
			outer, inner := d.indentAt(n.start), d.indentAt(m.start)
			if unit, ok := strings.CutPrefix(inner, outer); ok && unit != "" {
				return unit
			}
		}
	}
	for _, m := range n.members {
		if unit := d.unit(m.value, depth+1); unit != "" {
			return unit
		}
	}
	return ""
}

// member is `"key": value` for the head of a path, value being made of its rest.
func (l layout) member(path []string, value func(rest []string) string) string {
	return Quote(path[0]) + l.colon + value(path[1:])
}

// lines is an object that leads along path to the fields, a member a line,
// where the line it starts on is indented by indent.
func (l layout) lines(indent string, path []string, fields []Field) string {
	inner := l.newline + indent + l.unit
	var parts []string
	if len(path) > 0 {
		parts = append(parts, l.member(path, func(rest []string) string { return l.lines(indent+l.unit, rest, fields) }))
	} else {
		for _, f := range fields {
			parts = append(parts, Quote(f.Name)+l.colon+f.JSON)
		}
	}
	return "{" + inner + strings.Join(parts, ","+inner) + l.newline + indent + "}"
}

// oneLine is the same without line breaks.
func (l layout) oneLine(path []string, fields []Field) string {
	if len(path) > 0 {
		return "{" + l.member(path, func(rest []string) string { return l.oneLine(rest, fields) }) + "}"
	}
	var parts []string
	for _, f := range fields {
		parts = append(parts, Quote(f.Name)+l.colon+f.JSON)
	}
	return "{" + strings.Join(parts, l.comma) + "}"
}
