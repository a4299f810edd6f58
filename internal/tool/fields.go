package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// field is one argument of a tool, read from a struct field's tags:
//
//	json:"proxy_id"     its name
//	doc:"…"             what a model reads about it
//	alias:"id"          another accepted name
//	enum:"a,b"          the only valid values
//	required:"true"     refused when absent or empty
type field struct {
	name     string
	alias    string
	doc      string
	enum     []string
	required bool
	kind     kind
	index    []int
}

type kind string

const (
	kindString   kind = "string"
	kindBool     kind = "boolean"
	kindInt      kind = "integer"
	kindNumber   kind = "number"
	kindStrings  kind = "array of strings"
	kindInts     kind = "array of integers"
	kindMap      kind = "object of strings"
	kindDuration kind = "duration"
	kindWords    kind = "array of words"
)

// Duration is a time span as people write it: "30s", "2m", or seconds as a number.
type Duration time.Duration

// UnmarshalJSON reads "1m30s" or a number of seconds.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var seconds float64
	if json.Unmarshal(b, &seconds) == nil {
		return d.takeSeconds(seconds)
	}
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("expected a duration such as \"30s\"")
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(n) {
		return d.takeSeconds(n) // "5": a client that goes by the schema's type
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("expected a duration such as \"30s\" or a number of seconds, got %q", cut(text))
	}
	return d.take(v)
}

// takeSeconds takes what is longer than a Duration can hold for the longest.
func (d *Duration) takeSeconds(n float64) error {
	if n < 0 {
		return fmt.Errorf("expected a duration from 0 up, got %gs", n)
	}
	return d.take(time.Duration(min(n, maxSeconds) * float64(time.Second)))
}

// maxSeconds is a century: for ever, to whoever waits.
const maxSeconds = 100 * 365 * 24 * 3600

func (d *Duration) take(v time.Duration) error {
	if v < 0 {
		return fmt.Errorf("expected a duration from 0 up, got %s", v)
	}
	*d = Duration(v)
	return nil
}

// MarshalJSON writes it as UnmarshalJSON reads it.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// Words is a list of words or numbers; a model writes ids and codes as either.
type Words []string

// UnmarshalJSON reads ["a", 7] and also "a" or 7 alone.
func (w *Words) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if json.Unmarshal(b, &list) != nil {
		list = []json.RawMessage{b}
	}
	*w = nil
	for _, item := range list {
		var text string
		var number json.Number
		switch {
		case json.Unmarshal(item, &text) == nil:
			*w = append(*w, text)
		case json.Unmarshal(item, &number) == nil:
			*w = append(*w, number.String())
		default:
			return fmt.Errorf("expected words or numbers, got %s", describe(item))
		}
	}
	return nil
}

// Pairs is an object of strings; a model writes ports and switches as numbers
// and booleans.
type Pairs map[string]string

// UnmarshalJSON reads {"A": "x", "B": 7, "C": true}.
func (p *Pairs) UnmarshalJSON(b []byte) error {
	var items object
	if json.Unmarshal(b, &items) != nil {
		return fmt.Errorf("expected %s, got %s", expected[kindMap], describe(b))
	}
	*p = Pairs{}
	for _, name := range sortedNames(items) {
		item, text := items[name], ""
		switch err := json.Unmarshal(item, &text); {
		case err == nil:
		case item[0] == '{' || item[0] == '[':
			return fmt.Errorf("%s: expected a string, got %s", cut(name), describe(item))
		default:
			text = string(item)
		}
		(*p)[name] = text
	}
	return nil
}

var kinds = map[reflect.Type]kind{
	reflect.TypeFor[string]():   kindString,
	reflect.TypeFor[bool]():     kindBool,
	reflect.TypeFor[*bool]():    kindBool,
	reflect.TypeFor[int]():      kindInt,
	reflect.TypeFor[*int]():     kindInt,
	reflect.TypeFor[float64]():  kindNumber,
	reflect.TypeFor[*float64](): kindNumber,
	reflect.TypeFor[[]string](): kindStrings,
	reflect.TypeFor[[]int]():    kindInts,
	reflect.TypeFor[Pairs]():    kindMap,
	reflect.TypeFor[Duration](): kindDuration,
	reflect.TypeFor[Words]():    kindWords,
}

// fieldsOf reads the arguments of a tool from its input type. Embedded structs
// are flattened. A type that has no place in a schema is a mistake in the
// program and stops it at once.
func fieldsOf[In any]() []field {
	return structFields(reflect.TypeFor[In](), nil)
}

func structFields(t reflect.Type, path []int) []field {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		index := append(append([]int(nil), path...), i)
		if sf.Anonymous && sf.Type.Kind() == reflect.Struct {
			fields = append(fields, structFields(sf.Type, index)...)
			continue
		}
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		k, ok := kinds[sf.Type]
		if name == "" || !ok {
			panic(fmt.Sprintf("tool: field %s of %s has no json name or an unsupported type", sf.Name, t))
		}
		f := field{
			name: name, alias: sf.Tag.Get("alias"), doc: sf.Tag.Get("doc"),
			required: sf.Tag.Get("required") == "true", kind: k, index: index,
		}
		if e := sf.Tag.Get("enum"); e != "" {
			f.enum = strings.Split(e, ",")
		}
		fields = append(fields, f)
	}
	return fields
}

// mergeFields adds an action's fields to its group's. Two actions that give
// one name two types would make the flat schema a lie.
func mergeFields(tool string, union, fields []field) []field {
	for _, f := range fields {
		found := false
		for i, u := range union {
			if u.name != f.name {
				continue
			}
			found = true
			if u.kind != f.kind {
				panic(fmt.Sprintf("tool: %s: field %s is both %s and %s", tool, f.name, u.kind, f.kind))
			}
			if u.doc == "" {
				union[i].doc = f.doc
			}
			if len(u.enum) > 0 && len(f.enum) == 0 {
				union[i].enum = nil
			}
		}
		if !found {
			f.required = false // required by one action, not by the tool
			union = append(union, f)
		}
	}
	return union
}
