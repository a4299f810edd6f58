package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Def is one declared tool over sessions of type S.
type Def[S any] struct {
	Name   string
	Doc    Doc
	Schema json.RawMessage // JSON schema of the arguments
	Hidden bool            // callable, but not listed: how front ends attach

	call func(ctx context.Context, session S, args json.RawMessage) Result
}

// Handler does a tool's work. It returns a typed value or an error, never words.
type Handler[S, In any, Out Texter] func(session S, ctx context.Context, in In) (Out, error)

// Define declares a tool whose arguments are the fields of In.
func Define[S, In any, Out Texter](name string, doc Doc, h Handler[S, In, Out]) Def[S] {
	fields := fieldsOf[In]()
	return Def[S]{
		Name:   name,
		Doc:    doc,
		Schema: schemaOf(fields, nil),
		call: func(ctx context.Context, session S, args json.RawMessage) Result {
			obj, raw, err := readArgs(args)
			if err != nil {
				return Fail(err)
			}
			return run(ctx, session, h, fields, obj, raw, "")
		},
	}
}

// Hide keeps a tool out of the list that models see.
func (d Def[S]) Hide() Def[S] {
	d.Hidden = true
	return d
}

// Action is one verb of a Group, with its own arguments.
type Action[S any] struct {
	name   string
	fields []field
	call   func(ctx context.Context, session S, obj object, raw bool) Result
}

// Do declares an action.
func Do[S, In any, Out Texter](name string, h Handler[S, In, Out]) Action[S] {
	fields := fieldsOf[In]()
	return Action[S]{
		name:   name,
		fields: fields,
		call: func(ctx context.Context, session S, obj object, raw bool) Result {
			return run(ctx, session, h, fields, obj, raw, name)
		},
	}
}

// Group declares a tool with actions. The first action is the one meant when
// the caller names none, so it must be harmless. The schema is flat, the union
// of the actions' fields, since some clients refuse a top-level oneOf; which
// field belongs to which action stands in the description and is checked.
func Group[S any](name string, doc Doc, actions ...Action[S]) Def[S] {
	names := make([]string, len(actions))
	lines := make([]string, len(actions))
	users := map[string]int{} // actions per field
	var union []field
	for i, a := range actions {
		names[i] = a.name
		union = mergeFields(name, union, a.fields)
		for _, f := range a.fields {
			users[f.name]++
		}
	}
	for i, a := range actions {
		lines[i] = signature(a.name, a.fields, users)
	}
	doc.Text += " Actions: " + strings.Join(lines, "; ") + "."
	return Def[S]{
		Name:   name,
		Doc:    doc,
		Schema: schemaOf(union, names),
		call: func(ctx context.Context, session S, args json.RawMessage) Result {
			obj, raw, err := readArgs(args)
			if err != nil {
				return Fail(err)
			}
			a, err := pick(actions, names, obj)
			if err != nil {
				return Fail(err)
			}
			return a.call(ctx, session, obj, raw)
		},
	}
}

func pick[S any](actions []Action[S], names []string, obj object) (Action[S], error) {
	value, given := obj["action"]
	delete(obj, "action")
	if !given {
		return actions[0], nil
	}
	var name string
	if err := json.Unmarshal(value, &name); err != nil {
		return Action[S]{}, fmt.Errorf("action: expected a string, got %s (valid: %s)", describe(value), strings.Join(names, ", "))
	}
	if name == "" {
		return actions[0], nil
	}
	i := slices.Index(names, name)
	if i < 0 {
		return Action[S]{}, fmt.Errorf("unknown action %q (%s)", cut(name), choices(name, names))
	}
	return actions[i], nil
}

func run[S, In any, Out Texter](ctx context.Context, session S, h Handler[S, In, Out], fields []field, obj object, raw bool, action string) Result {
	in, err := decode[In](fields, obj, action)
	if err != nil {
		return Fail(err)
	}
	out, err := h(session, ctx, in)
	if err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = errors.New("cancelled by the client")
		}
		return Fail(err)
	}
	return answer(out, raw)
}

// signature is an action as a model reads it: name(required*, its own). Fields
// that several actions share explain themselves in the schema.
func signature(name string, fields []field, users map[string]int) string {
	var parts []string
	for _, f := range fields {
		switch {
		case f.required:
			parts = append(parts, f.name+"*")
		case users[f.name] == 1:
			parts = append(parts, f.name)
		}
	}
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, ",") + ")"
}
