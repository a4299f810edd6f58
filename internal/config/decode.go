package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"oriel/internal/kdl"
	"oriel/internal/nearest"
)

// decoder turns nodes into settings and collects what is wrong with them.
type decoder struct {
	file     string
	problems []Problem
}

func (d *decoder) problem(at kdl.Position, format string, args ...any) {
	d.problems = append(d.problems, Problem{d.file, at.Line, at.Column, fmt.Sprintf(format, args...)})
}

// sorted returns the problems in the order of the text. A long list is cut, and
// its last entry says by how much.
func (d *decoder) sorted() []Problem {
	slices.SortStableFunc(d.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if more := len(d.problems) - maxProblems; more > 0 {
		first := d.problems[maxProblems]
		first.Message = fmt.Sprintf("%d more problems from here on", more)
		return append(slices.Clip(d.problems[:maxProblems]), first)
	}
	return d.problems
}

// owner is what a key belongs to. The top level has no kind.
type owner struct {
	kind string // script, proxy
	name string
}

func (o owner) String() string { return o.kind + " " + quote(o.name) }

// entry is one setting as written: a child node, or a property of the owner.
type entry struct {
	kdl.Position
	owner  owner
	key    string
	values []kdl.Value
	node   kdl.Node // zero for a property
}

// subject names the setting at the beginning of a message.
func (e entry) subject() string {
	if e.owner.kind == "" {
		return e.key
	}
	return e.key + " of " + e.owner.String()
}

// field is a key an owner may have, and what to do with it.
type field struct {
	key  string
	set  func(entry)
	list bool // may be given several times; the values add up
}

// assign makes a field's action from a decoder and the place for its value.
func assign[T any](place *T, decode func(entry) (T, bool)) func(entry) {
	return func(e entry) {
		if value, ok := decode(e); ok {
			*place = value
		}
	}
}

// fields applies the settings of a script or proxy, written as properties, as
// child nodes, or both. It returns where each key was given, right or wrong.
func (d *decoder) fields(o owner, node kdl.Node, fields []field) map[string]kdl.Position {
	for _, arg := range node.Args {
		d.problem(arg.Position, "%s: expected settings in a block or as key=value, got %s", o, arg.Describe())
	}
	var entries []entry
	for _, prop := range node.Props {
		entries = append(entries, entry{Position: prop.Position, owner: o, key: prop.Name, values: []kdl.Value{prop.Value}})
	}
	return d.apply(append(entries, childEntries(o, node.Children)...), fields)
}

func childEntries(o owner, nodes []kdl.Node) []entry {
	entries := make([]entry, len(nodes))
	for i, node := range nodes {
		entries[i] = entry{Position: node.Position, owner: o, key: node.Name, values: node.Args, node: node}
	}
	return entries
}

func (d *decoder) apply(entries []entry, fields []field) map[string]kdl.Position {
	given := map[string]kdl.Position{}
	for _, e := range entries {
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == e.key })
		if i < 0 {
			d.unknown(e, fields)
			continue
		}
		if first, twice := given[e.key]; twice && !fields[i].list {
			d.problem(e.Position, "%s is already given at %d:%d", e.subject(), first.Line, first.Column)
			continue
		}
		given[e.key] = e.Position
		fields[i].set(e)
	}
	return given
}

func (d *decoder) unknown(e entry, fields []field) {
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = f.key
	}
	what := "key"
	if e.node.Block {
		what = "block"
	}
	where := "at the top level"
	if e.owner.kind != "" {
		where = "in " + e.owner.String()
	}
	d.problem(e.Position, "unknown %s %s %s %s", what, quote(e.key), where, suggest(e.key, keys))
}

// suggest ends a message about a wrong name: with the name probably meant, or
// with the valid ones.
func suggest(word string, valid []string) string {
	if near := nearest.Of(word, valid); near != "" {
		return fmt.Sprintf("(did you mean %s?)", quote(near))
	}
	return fmt.Sprintf("(valid: %s)", strings.Join(valid, ", "))
}

// quote makes a name of the file safe and short enough for a message.
func quote(name string) string { return strconv.Quote(clip(name)) }

// clip shortens what a file says to what a message can hold.
func clip(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
