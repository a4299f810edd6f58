package install

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"oriel/internal/install/jsonc"
)

// tomlFormat is a table of servers, as Codex has it.
type tomlFormat struct{}

var tomlPath = []string{"mcp_servers", Name}

// tomlFile is the part of a settings file that concerns us.
type tomlFile struct {
	Servers map[string]tomlServer `toml:"mcp_servers"`
}

type tomlServer struct {
	Command string   `toml:"command"`
	Args    []string `toml:"args"`
	Enabled *bool    `toml:"enabled"`
}

func (tomlFormat) render(e Entry) string { return tomlTable(e, "\n") }

func tomlTable(e Entry, newline string) string {
	return strings.Join([]string{
		"[" + strings.Join(tomlPath, ".") + "]",
		"command = " + tomlQuote(e.Command),
		"args = " + list(e.Args),
		"",
	}, newline)
}

// tomlQuote is a basic string: its escapes are those of JSON.
func tomlQuote(s string) string { return strings.ReplaceAll(jsonc.Quote(s), "\x7f", `\u007F`) }

func (tomlFormat) find(src []byte) (*Found, []string, error) {
	body := bytes.TrimPrefix(src, []byte("\ufeff"))
	// First whether it is TOML at all, then whether the part of ours has a
	// form we know.
	var whole map[string]any
	if err := toml.Unmarshal(body, &whole); err != nil {
		return nil, nil, tomlError(err)
	}
	servers, ok := whole[tomlPath[0]].(map[string]any)
	if _, there := whole[tomlPath[0]]; there && !ok {
		return nil, nil, fmt.Errorf("%s is no table", tomlPath[0])
	}
	if _, there := servers[Name]; !there {
		return nil, nil, nil
	}
	found := &Found{}
	var file tomlFile
	if toml.Unmarshal(body, &file) == nil {
		server := file.Servers[Name]
		found.Entry = Entry{server.Command, server.Args}
		found.Disabled = server.Enabled != nil && !*server.Enabled
	}
	from, to, ok := tomlSection(body)
	if !ok {
		text, err := toml.Marshal(map[string]any{tomlPath[0]: map[string]any{Name: servers[Name]}})
		if err != nil {
			return nil, nil, fmt.Errorf("show the entry: %w", err)
		}
		found.Text = strings.TrimSpace(string(text))
		return found, nil, nil
	}
	found.Text = strings.TrimSpace(string(body[from:to]))
	found.Line, found.Column = 1+bytes.Count(body[:from], []byte("\n")), 1
	return found, nil, nil
}

func tomlError(err error) error {
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return &jsonc.Error{Line: line, Column: column, Message: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	return err
}

// tomlSection finds the lines of our table, from its header to the end of its
// last key; false when the entry is written in some other way.
func tomlSection(src []byte) (from, to int, ok bool) {
	var p unstable.Parser
	p.Reset(src)
	from, to = -1, len(src)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		if from >= 0 {
			to = lineStart(src, tomlOffset(e))
			break
		}
		if e.Kind == unstable.Table && slices.Equal(tomlKey(e), tomlPath) {
			from = lineStart(src, tomlOffset(e))
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	// Comments and blank lines at the end belong to what follows. No value
	// ends in such a line.
	for to > from {
		start := lineStart(src, to-1)
		line := bytes.TrimSpace(src[start:to])
		if len(line) > 0 && line[0] != '#' {
			break
		}
		to = start
	}
	return from, to, true
}

func tomlKey(e *unstable.Node) []string {
	var parts []string
	for it := e.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}

func tomlOffset(e *unstable.Node) int {
	it := e.Key()
	it.Next()
	return int(it.Node().Raw.Offset)
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

func (tomlFormat) add(src []byte, e Entry, replace bool) ([]byte, error) {
	newline := "\n"
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		newline = "\r\n"
	}
	if replace {
		body := bytes.TrimPrefix(src, []byte("\ufeff"))
		from, to, ok := tomlSection(body)
		if !ok {
			return nil, fmt.Errorf("the entry is not written as a [%s] table: change it by hand", strings.Join(tomlPath, "."))
		}
		skip := len(src) - len(body)
		return slices.Concat(src[:skip+from], []byte(tomlTable(e, newline)), src[skip+to:]), nil
	}
	out := slices.Clone(src)
	if text := bytes.TrimPrefix(src, []byte("\ufeff")); len(bytes.TrimSpace(text)) > 0 {
		if !bytes.HasSuffix(text, []byte("\n")) {
			out = append(out, newline...)
		}
		out = append(out, newline...)
	}
	return append(out, tomlTable(e, newline)...), nil
}
