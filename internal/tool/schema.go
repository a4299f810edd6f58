package tool

import (
	"encoding/json"
	"strings"
)

// schemaOf writes the JSON schema of a tool's arguments, in a fixed order and
// in as few bytes as say it: every client pays for them in every session.
// Every tool takes raw.
func schemaOf(fields []field, actions []string) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	if actions != nil {
		b.WriteString(`"action":{"type":"string","enum":` + encode(actions) + `},`)
	}
	named := make(map[string]bool, len(fields))
	for _, f := range fields {
		named[f.name] = true
	}
	for _, f := range fields {
		b.WriteString(encode(f.name) + `:` + property(f) + `,`)
		if f.alias != "" && !named[f.alias] {
			named[f.alias] = true
			b.WriteString(encode(f.alias) + `:{"type":"string"},`)
		}
		// A required field with an alias cannot be listed: either name will do.
		if f.required && f.alias == "" {
			required = append(required, f.name)
		}
	}
	b.WriteString(`"raw":{"type":"boolean"}}`)
	if len(required) > 0 {
		b.WriteString(`,"required":` + encode(required))
	}
	b.WriteString(`}`)
	return json.RawMessage(b.String())
}

func property(f field) string {
	types := map[kind]string{
		kindStrings:  `"type":"array","items":{"type":"string"}`,
		kindInts:     `"type":"array","items":{"type":"integer"}`,
		kindMap:      `"type":"object","additionalProperties":{"type":"string"}`,
		kindDuration: `"type":"string"`,
		kindWords:    `"type":"array","items":{"type":"string"}`,
	}
	s, ok := types[f.kind]
	if !ok {
		s = `"type":` + encode(string(f.kind))
	}
	if len(f.enum) > 0 {
		s += `,"enum":` + encode(f.enum)
	}
	if f.doc != "" {
		s += `,"description":` + encode(f.doc)
	}
	return "{" + s + "}"
}
