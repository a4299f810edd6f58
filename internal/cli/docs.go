package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"oriel/internal/tool"
)

// toolsTable is the README's table of tools.
func toolsTable(list []tool.Info) string {
	var b strings.Builder
	b.WriteString("| tool | purpose |\n|---|---|\n")
	for _, t := range list {
		fmt.Fprintf(&b, "| `%s` | %s |\n", t.Name, t.Doc.Title)
	}
	return b.String()
}

// toolsPage is docs/tools.md: what a model is told, for people.
func toolsPage(list []tool.Info) (string, error) {
	var b strings.Builder
	b.WriteString("<!-- Generated from the tool table by make generate; do not edit. -->\n# Tools\n\n")
	b.WriteString("Every tool also takes `raw: true`, which returns the whole typed result as JSON. Every failure is a result flagged as an error whose text is `{\"error\": \"…\"}`.\n")
	for _, t := range list {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n%s\n", t.Name, t.Doc.Title, t.Doc.Text)
		if err := writeParameters(&b, t.Schema); err != nil {
			return "", fmt.Errorf("describe %s: %w", t.Name, err)
		}
	}
	return b.String(), nil
}

func writeParameters(b *strings.Builder, schema string) error {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		return err
	}
	names, err := keysInOrder(s.Properties)
	if err != nil {
		return err
	}
	var props map[string]struct {
		Type        string   `json:"type"`
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
	}
	if err := json.Unmarshal(s.Properties, &props); err != nil {
		return err
	}
	if len(names) < 2 { // raw alone
		return nil
	}
	b.WriteString("\n| parameter | type | |\n|---|---|---|\n")
	for _, name := range names {
		if name == "raw" {
			continue
		}
		p := props[name]
		kind := p.Type
		if len(p.Enum) > 0 {
			kind = strings.Join(p.Enum, " \\| ")
		}
		note := p.Description
		if slices.Contains(s.Required, name) {
			note = strings.TrimSpace("required; " + note)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind, note)
	}
	return nil
}

// keysInOrder are an object's keys as they are written.
func keysInOrder(object json.RawMessage) ([]string, error) {
	dec := json.NewDecoder(strings.NewReader(string(object)))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		keys = append(keys, fmt.Sprint(key))
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return nil, err
		}
	}
	return keys, nil
}
