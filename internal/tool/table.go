package tool

import (
	"context"
	"fmt"
)

// Info is what a front end needs to list a tool.
type Info struct {
	Name   string
	Doc    Doc
	Schema string // JSON
}

// Table is all tools, in the order in which they are listed.
type Table[S any] []Def[S]

// List tells of the tools a model may see.
func (t Table[S]) List() []Info {
	var list []Info
	for _, d := range t {
		if !d.Hidden {
			list = append(list, Info{Name: d.Name, Doc: d.Doc, Schema: string(d.Schema)})
		}
	}
	return list
}

// Bind makes the table answer calls; open finds the session a call belongs to.
func (t Table[S]) Bind(open func(context.Context, Origin) (S, error)) Caller {
	return bound[S]{t, open}
}

type bound[S any] struct {
	table Table[S]
	open  func(context.Context, Origin) (S, error)
}

// Call never panics and never fails in another form than Fail's: a mistake in
// one tool must not end the session of the one who called it.
func (b bound[S]) Call(ctx context.Context, c Call) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res = Fail(fmt.Errorf("internal error in %s: %v", c.Tool, p))
		}
	}()
	for _, d := range b.table {
		if d.Name != c.Tool {
			continue
		}
		session, err := b.open(ctx, c.From)
		if err != nil {
			return Fail(err)
		}
		return d.call(ctx, session, c.Args)
	}
	return Fail(Unknown(c.Tool, b.names()))
}

func (b bound[S]) names() []string {
	var names []string
	for _, i := range b.table.List() {
		names = append(names, i.Name)
	}
	return names
}
