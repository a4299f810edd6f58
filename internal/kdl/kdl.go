// Package kdl reads documents in the KDL document language, version 2 and
// version 1, into nodes that know where they were written.
//
// It is read-only: there is no writer, and nothing of the original layout is
// kept beyond the positions. Both versions are read by one parser; version 1
// differs in a handful of places, each marked where it matters. The code points
// that version 2 forbids (control characters, direction overrides, a byte order
// mark inside the text) are refused in version 1 as well: no configuration file
// needs them, and they can make a file read differently than it looks.
package kdl

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// MaxDepth is the number of children blocks that may be nested in each other.
// It bounds the parser's recursion whatever the input.
const MaxDepth = 200

// Version is a version of the language.
type Version int

const (
	// V1 is KDL 1.0: keywords are bare (true), strings are always quoted.
	V1 Version = 1
	// V2 is KDL 2.0: keywords carry a hash (#true), plain words are strings.
	V2 Version = 2
)

// Position is a place in the text: Line and Column start at 1, and columns
// count code points. A byte order mark at the very start takes no column.
// The zero Position means "nowhere".
type Position struct {
	Line, Column int
}

// Document is a parsed text: its nodes in the order written, and the version
// of the language it was read as.
type Document struct {
	Version Version
	Nodes   []Node
}

// Node is one node with everything that belongs to it. Whatever was commented
// out, by slashdash too, is absent. The position is that of the name.
type Node struct {
	Position
	Name  string
	Type  Annotation
	Args  []Value
	Props []Prop
	// Block tells whether a children block was written, even an empty one.
	Block    bool
	Children []Node
}

// Prop returns the property of the given name, if the node has it.
func (n Node) Prop(name string) (Prop, bool) {
	for _, prop := range n.Props {
		if prop.Name == name {
			return prop, true
		}
	}
	return Prop{}, false
}

// Prop is a key=value pair of a node; the position is that of the key. A node
// never has two properties of one name: the last one written is the one kept,
// at its own place in the order.
type Prop struct {
	Position
	Name  string
	Value Value
}

// Annotation is a type annotation, the word in parentheses before a node name
// or a value.
type Annotation struct {
	Position
	Name string
}

// Given tells whether there is an annotation; its Name may still be empty.
func (a Annotation) Given() bool { return a.Line != 0 }

// Kind says what a Value is.
type Kind int

// The kinds of value. Integer and Decimal are one type to KDL; here a number
// written without fraction and exponent is an Integer.
const (
	Null Kind = iota
	Bool
	String
	Integer
	Decimal
	Infinity
	NaN
)

// Value is an argument, or the value of a property. The position is where the
// value itself begins, after its type annotation.
type Value struct {
	Position
	Kind Kind
	Type Annotation
	// Text is the content of a String. Of a number it is the number as written,
	// sign and radix prefix included, without underscores: numbers too big for
	// any machine type are still all there. For the rest it is the keyword
	// without its hash: true, false, null, inf, -inf, nan.
	Text string
}

// True tells whether the value is the boolean true.
func (v Value) True() bool { return v.Kind == Bool && v.Text == "true" }

// Int returns an Integer's value. It reports false for other kinds, and for
// integers that do not fit.
func (v Value) Int() (int64, bool) {
	n, ok := v.Big()
	if !ok || !n.IsInt64() {
		return 0, false
	}
	return n.Int64(), true
}

// Big returns an Integer's value whatever its size.
func (v Value) Big() (*big.Int, bool) {
	if v.Kind != Integer {
		return nil, false
	}
	sign, digits := "", v.Text
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		sign, digits = digits[:1], digits[1:]
	}
	base := 10
	if len(digits) > 2 && digits[0] == '0' {
		switch digits[1] {
		case 'x':
			base, digits = 16, digits[2:]
		case 'o':
			base, digits = 8, digits[2:]
		case 'b':
			base, digits = 2, digits[2:]
		}
	}
	return new(big.Int).SetString(sign+digits, base)
}

// Float returns the value of any number, rounded to the nearest float64. A
// number beyond its range becomes an infinity, one too small becomes zero.
func (v Value) Float() (float64, bool) {
	switch v.Kind {
	case Integer:
		n, ok := v.Big()
		if !ok {
			return 0, false
		}
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	case Decimal:
		f, _ := strconv.ParseFloat(v.Text, 64) // out of range gives ±Inf or 0, as promised
		return f, true
	case Infinity:
		if v.Text == "-inf" {
			return math.Inf(-1), true
		}
		return math.Inf(1), true
	case NaN:
		return math.NaN(), true
	default:
		return 0, false
	}
}

// Describe names the kind and the value for a message: string "yes", number 12,
// true, null. Long texts are cut, control characters escaped.
func (v Value) Describe() string {
	const longest = 60
	text := v.Text
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	switch v.Kind {
	case String:
		return "string " + strconv.Quote(text)
	case Integer, Decimal, Infinity, NaN:
		return "number " + text
	default:
		return text
	}
}

// Error is why a text is not a KDL document. Parse returns no other error type.
type Error struct {
	Line, Column int
	Message      string // what was expected there, and what was found

	reach int // how far into the text the parser had read
}

func (e *Error) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Parse reads a document. A first line `/- kdl-version 1` or `/- kdl-version 2`
// decides the version. Without it the text is read as version 2, and if that
// fails as version 1: a text valid in both means the same in both. When both
// fail the error is version 2's, unless reading as version 1 got further.
//
// The error, if any, is an *Error.
func Parse(src []byte) (Document, error) {
	text := strings.TrimPrefix(string(src), "\uFEFF")
	if err := checkText(text); err != nil {
		return Document{}, err
	}
	marked, err := marker(text)
	if err != nil {
		return Document{}, err
	}
	if marked != 0 {
		return parseAs(text, marked)
	}
	doc, err2 := parse(text, V2)
	if err2 == nil {
		return doc, nil
	}
	doc, err1 := parse(text, V1)
	if err1 == nil {
		return doc, nil
	}
	if err1.reach > err2.reach {
		err1.Message += fmt.Sprintf(" (read as KDL 1, since KDL 2 ends at %d:%d: %s)", err2.Line, err2.Column, err2.Message)
		return Document{}, err1
	}
	return Document{}, err2
}

func parseAs(text string, version Version) (Document, error) {
	doc, err := parse(text, version)
	if err != nil {
		return Document{}, err
	}
	return doc, nil
}
