package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"strings"

	"oriel/internal/nearest"
)

// object is the arguments of one call, not yet decoded.
type object map[string]json.RawMessage

// CheckArgs says what is wrong with arguments that are no JSON at all, in the
// words of the tools, for a front end that cannot pass them on.
func CheckArgs(args json.RawMessage) error {
	_, _, err := readArgs(args)
	return err
}

// readArgs takes the arguments apart and the raw switch out of them.
func readArgs(args json.RawMessage) (object, bool, error) {
	obj := object{}
	args = bytes.TrimSpace(args)
	if len(args) > 0 && !bytes.Equal(args, []byte("null")) {
		if err := json.Unmarshal(args, &obj); err != nil {
			if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
				return nil, false, fmt.Errorf("arguments are not valid JSON: %v", err)
			}
			return nil, false, fmt.Errorf("arguments must be a JSON object, got %s", describe(args))
		}
	}
	raw := false
	if v, ok := obj["raw"]; ok {
		if !isNull(v) && json.Unmarshal(v, &raw) != nil {
			return nil, false, fmt.Errorf("raw: expected true or false, got %s", describe(v))
		}
		delete(obj, "raw")
	}
	return obj, raw, nil
}

// decode fills In from the arguments: unknown names, wrong types, values
// outside an enum and missing required ones are refused in plain words.
func decode[In any](fields []field, obj object, action string) (In, error) {
	var in In
	target := reflect.ValueOf(&in).Elem()
	given := make(map[string]bool, len(obj))
	for _, name := range sortedNames(obj) {
		f, ok := fieldNamed(fields, name)
		if !ok {
			return in, unknownField(name, fields, action)
		}
		if given[f.name] && !sameValue(obj, f) {
			return in, fmt.Errorf("%s and its alias %s differ: give one", f.name, f.alias)
		}
		value := obj[name]
		if isNull(value) {
			continue
		}
		if err := f.set(target, value); err != nil {
			return in, fmt.Errorf("%s: %w", name, err)
		}
		given[f.name] = true
	}
	for _, f := range fields {
		if f.required && (!given[f.name] || target.FieldByIndex(f.index).IsZero()) {
			return in, missing(f, action)
		}
	}
	return in, nil
}

func sortedNames(obj object) []string {
	names := make([]string, 0, len(obj))
	for name := range obj {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// fieldNamed finds by name first: a tool may have a field that is another
// one's alias.
func fieldNamed(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	for _, f := range fields {
		if f.alias == name {
			return f, true
		}
	}
	return field{}, false
}

func sameValue(obj object, f field) bool {
	return bytes.Equal(bytes.TrimSpace(obj[f.name]), bytes.TrimSpace(obj[f.alias]))
}

func (f field) set(target reflect.Value, value json.RawMessage) error {
	dst := target.FieldByIndex(f.index)
	if err := json.Unmarshal(value, dst.Addr().Interface()); err != nil {
		if f.kind == kindDuration || f.kind == kindWords || f.kind == kindMap {
			return err
		}
		return fmt.Errorf("expected %s, got %s", expected[f.kind], describe(value))
	}
	if len(f.enum) > 0 {
		if s := dst.String(); s != "" && !slices.Contains(f.enum, s) {
			return fmt.Errorf("unknown value %q (%s)", cut(s), choices(s, f.enum))
		}
	}
	return nil
}

var expected = map[kind]string{
	kindString: "a string", kindBool: "true or false", kindInt: "a whole number",
	kindNumber: "a number", kindStrings: "an array of strings", kindInts: "an array of whole numbers",
	kindMap: "an object of strings",
}

func missing(f field, action string) error {
	switch {
	case f.alias != "" && action == "":
		return fmt.Errorf("%s required (or `%s` alias)", f.name, f.alias)
	case action == "":
		return fmt.Errorf("%s required", f.name)
	default:
		return fmt.Errorf("%s required for %s", f.name, action)
	}
}

func unknownField(name string, fields []field, action string) error {
	valid := make([]string, 0, len(fields)+1)
	for _, f := range fields {
		valid = append(valid, f.name)
	}
	valid = append(valid, "raw")
	if action != "" {
		valid = append([]string{"action"}, valid...)
	}
	where := ""
	if action != "" {
		where = " for " + action
	}
	return fmt.Errorf("unknown field %q%s (%s)", cut(name), where, choices(name, valid))
}

// choices ends a refusal: the nearest valid word, and all of them.
func choices(word string, valid []string) string {
	list := "valid: " + strings.Join(valid, ", ")
	if near := nearest.Of(word, valid); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, list)
	}
	return list
}

// Unknown says that there is no tool of that name, and which there are.
func Unknown(name string, names []string) error {
	return fmt.Errorf("unknown tool %q (%s)", cut(name), choices(name, names))
}

func isNull(v json.RawMessage) bool { return bytes.Equal(bytes.TrimSpace(v), []byte("null")) }

// describe names a JSON value for an error: its type, and itself when short.
func describe(v json.RawMessage) string {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return "nothing"
	}
	switch v[0] {
	case '"':
		var s string
		if json.Unmarshal(v, &s) != nil {
			return "a string"
		}
		return fmt.Sprintf("string %q", cut(s))
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f', 'n':
		return string(v)
	default:
		return "number " + cut(string(v))
	}
}

// cut keeps a caller's own words from swelling an error.
func cut(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}
