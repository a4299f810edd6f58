package har

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// eachField calls do for each name of an object; do consumes the value.
func eachField(d *json.Decoder, what string, do func(name string) error) error {
	if err := expect(d, '{', what, "an object"); err != nil {
		return err
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return explain(d, err)
		}
		if err := do(fmt.Sprint(t)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return explain(d, err)
}

// eachItem calls do for each item of a list; null is an empty one.
func eachItem(d *json.Decoder, what string, do func(i int) error) error {
	t, err := d.Token()
	if err != nil {
		return explain(d, err)
	}
	if t == nil {
		return nil
	}
	if t != json.Delim('[') {
		return fmt.Errorf("%s is %s where a list belongs", what, describe(t))
	}
	for i := 0; d.More(); i++ {
		if err := do(i); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return explain(d, err)
}

func expect(d *json.Decoder, delim json.Delim, what, kind string) error {
	t, err := d.Token()
	if err != nil {
		return explain(d, err)
	}
	if t != delim {
		return fmt.Errorf("%s is %s where %s belongs", what, describe(t), kind)
	}
	return nil
}

func describe(t json.Token) string {
	switch t := t.(type) {
	case nil:
		return "null"
	case json.Delim:
		return cmp.Or(map[json.Delim]string{'[': "a list", '{': "an object"}[t], "misplaced "+t.String())
	case string:
		return "a text"
	case bool:
		return "a truth value"
	}
	return "a number"
}

// decode reads a value, passing over fields of another type: what is missed by
// that is found missing later.
func decode[T any](d *json.Decoder, into *T) error {
	err := d.Decode(into)
	if _, mismatch := errors.AsType[*json.UnmarshalTypeError](err); mismatch {
		return nil
	}
	return explain(d, err)
}

func skip(d *json.Decoder) error {
	var passed json.RawMessage
	return explain(d, d.Decode(&passed))
}

// explain says where a file stops being JSON.
func explain(d *json.Decoder, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file ends too early, after %d bytes", d.InputOffset())
	}
	if _, syntax := errors.AsType[*json.SyntaxError](err); syntax {
		return fmt.Errorf("not JSON after byte %d: %w", d.InputOffset(), err)
	}
	return err
}
