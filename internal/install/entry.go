package install

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oriel/internal/install/jsonc"
)

// Entry is what a client runs.
type Entry struct {
	Command string
	Args    []string
}

// Serve is the entry that makes a client run command as the MCP server.
func Serve(command string) Entry { return Entry{command, []string{"mcp"}} }

// Found is an entry of our name in a settings file.
type Found struct {
	Entry           // zero when what is there has another form
	Text     string // as written
	Disabled bool
	Line     int
	Column   int
}

func (f Found) same(e Entry) bool {
	return f.Command == e.Command && slices.Equal(f.Args, e.Args)
}

// format is one form of settings file.
type format interface {
	// find looks for our entry; nil when there is none. The notes are about
	// the file.
	find(src []byte) (found *Found, notes []string, err error)
	// add writes the entry into the text, in the place of the one that is
	// there if replace is set.
	add(src []byte, e Entry, replace bool) ([]byte, error)
	render(e Entry) string
}

// jsonFormat is an object of servers under one key.
type jsonFormat struct {
	key      string
	typed    bool // an entry says that it is a stdio server
	comments bool // the client reads comments and trailing commas
}

var (
	mcpServers             = jsonFormat{key: "mcpServers"}
	mcpServersWithComments = jsonFormat{key: "mcpServers", comments: true}
)

func (f jsonFormat) path() []string { return []string{f.key, Name} }

func (f jsonFormat) fields(e Entry) []jsonc.Field {
	var fields []jsonc.Field
	if f.typed {
		fields = append(fields, jsonc.Field{Name: "type", JSON: `"stdio"`})
	}
	return append(fields, jsonc.Field{Name: "command", JSON: jsonc.Quote(e.Command)}, jsonc.Field{Name: "args", JSON: list(e.Args)})
}

// list is an array of strings on one line, in JSON and in TOML.
func list(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, jsonc.Quote(w))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func (f jsonFormat) find(src []byte) (*Found, []string, error) {
	doc, err := jsonc.Parse(src)
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	if odd, plain := doc.Plain(); !plain && !f.comments {
		notes = append(notes, fmt.Sprintf("there is %s at %d:%d, which a reader of plain JSON refuses", odd.Message, odd.Line, odd.Column))
	}
	v, ok, err := doc.Find(f.path()...)
	if !ok || err != nil {
		return nil, notes, err
	}
	found := &Found{Text: v.Text, Line: v.Line, Column: v.Column}
	found.Entry, found.Disabled = readEntry(v.JSON())
	return found, notes, nil
}

// readEntry understands the fields that clients share. Others are the user's.
func readEntry(data []byte) (e Entry, disabled bool) {
	var form struct {
		Type     string   `json:"type"`
		Command  string   `json:"command"`
		Args     []string `json:"args"`
		Disabled bool     `json:"disabled"`
		Enabled  *bool    `json:"enabled"`
	}
	if json.Unmarshal(data, &form) != nil || (form.Type != "" && form.Type != "stdio") {
		return Entry{}, false
	}
	return Entry{form.Command, form.Args}, form.Disabled || (form.Enabled != nil && !*form.Enabled)
}

func (f jsonFormat) add(src []byte, e Entry, replace bool) ([]byte, error) {
	doc, err := jsonc.Parse(src)
	if err != nil {
		return nil, err
	}
	if replace {
		return doc.Replace(f.path(), f.fields(e))
	}
	return doc.Insert(f.path(), f.fields(e))
}

func (f jsonFormat) render(e Entry) string { return jsonc.Render(f.path(), f.fields(e)) }
