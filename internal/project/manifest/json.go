package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// field is one member of a JSON object. Order is kept because people order their scripts on purpose.
type field struct {
	name string
	raw  json.RawMessage
}

type object []field

func (o object) get(name string) (json.RawMessage, bool) {
	for i := len(o) - 1; i >= 0; i-- { // the last of two equal names wins, as in JavaScript
		if o[i].name == name {
			return o[i].raw, true
		}
	}
	return nil, false
}

// parseObject reads a whole file that must be one JSON object.
func parseObject(data []byte) (object, []Problem) {
	data = bytes.TrimPrefix(data, bom)
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, []Problem{{Message: "the file is empty"}}
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, []Problem{jsonProblem(data, err)}
	}
	o, ok := members(whole)
	if !ok {
		return nil, []Problem{{Line: 1, Message: "expected a JSON object, found " + kindOf(whole)}}
	}
	return o, nil
}

func jsonProblem(data []byte, err error) Problem {
	var se *json.SyntaxError
	if errors.As(err, &se) {
		return Problem{Line: lineAt(data, int(se.Offset)-1), Message: se.Error()}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Problem{Line: lineAt(data, len(data)), Message: "unexpected end of file"}
	}
	return Problem{Message: err.Error()}
}

func lineAt(data []byte, offset int) int {
	offset = max(0, min(offset, len(data)))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

// members splits an object into its fields in file order; ok is false for any other value.
func members(raw json.RawMessage) (object, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, false
	}
	var o object
	for dec.More() {
		tok, err := dec.Token()
		name, isName := tok.(string)
		if err != nil || !isName {
			return nil, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, false
		}
		o = append(o, field{name, value})
	}
	return o, true
}

// stringField reads an optional string; any other kind of value is a problem.
func (o object) stringField(name string, problems *[]Problem) string {
	raw, ok := o.get(name)
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		*problems = append(*problems, Problem{Message: fmt.Sprintf("%q: expected a string, found %s", name, kindOf(raw))})
	}
	return s
}

// objectField reads an optional object; any other kind of value is a problem.
func (o object) objectField(name string, problems *[]Problem) object {
	raw, ok := o.get(name)
	if !ok || kindOf(raw) == "null" {
		return nil
	}
	sub, ok := members(raw)
	if !ok {
		*problems = append(*problems, Problem{Message: fmt.Sprintf("%q: expected an object, found %s", name, kindOf(raw))})
	}
	return sub
}

// dependencies reads an object of name to version; values that are not strings keep their name only.
func (o object) dependencies(name string, problems *[]Problem) Dependencies {
	var deps Dependencies
	for _, f := range o.objectField(name, problems) {
		var version string
		_ = json.Unmarshal(f.raw, &version) // a version in another form is simply not known
		deps = append(deps, Dependency{Name: f.name, Version: version})
	}
	return deps
}

func asString(raw json.RawMessage) (string, bool) {
	var s *string
	if json.Unmarshal(raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

func asStrings(raw json.RawMessage) ([]string, bool) {
	if kindOf(raw) != "an array" {
		return nil, false
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	return list, true
}

func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// plainJSON blanks out comments and trailing commas. The result has the same length and lines, so positions stay true.
func plainJSON(data []byte) []byte {
	out := bytes.Clone(bytes.TrimPrefix(data, bom))
	comma := -1 // the last comma that nothing but space has followed
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			comma = -1
			i = stringEnd(out, i)
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			i = blankComment(out, i)
		case c == ',':
			comma = i
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		case c != ' ' && c != '\t' && c != '\n' && c != '\r':
			comma = -1
		}
	}
	return out
}

// stringEnd returns the index of the quote that closes the string opened at i, or the last index.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b)
}

// blankComment overwrites the comment that starts at i with spaces and returns the index of its last byte.
func blankComment(b []byte, i int) int {
	block := b[i+1] == '*'
	b[i], b[i+1] = ' ', ' '
	for i += 2; i < len(b); i++ {
		if block && b[i] == '*' && i+1 < len(b) && b[i+1] == '/' {
			b[i], b[i+1] = ' ', ' '
			return i + 1
		}
		if !block && b[i] == '\n' {
			return i
		}
		if b[i] != '\n' {
			b[i] = ' '
		}
	}
	return i
}
