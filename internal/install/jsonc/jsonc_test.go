package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	path   = []string{"mcpServers", "oriel"}
	fields = []Field{{"command", `"oriel"`}, {"args", `["mcp"]`}}
)

const whole = `{
  "mcpServers": {
    "oriel": {
      "command": "oriel",
      "args": ["mcp"]
    }
  }
}
`

func TestInsert(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", "", whole},
		{"white space", " \n\t\n", whole},
		{"byte order mark alone", "\ufeff", "\ufeff" + whole},
		{"comments alone", "// mine\n", "// mine\n" + whole},
		{"comment without a line end", "// mine", "// mine\n" + whole},
		{"empty object", "{}", strings.TrimSuffix(whole, "\n")},
		{"empty object, line end kept", "{}\n", whole},
		{"empty object with a space", "{ }\n", whole},
		{"empty object on two lines", "{\n}\n", whole},
		{"byte order mark", "\ufeff{}", "\ufeff" + strings.TrimSuffix(whole, "\n")},
		{"CRLF", "{\r\n}\r\n", strings.ReplaceAll(whole, "\n", "\r\n")},
		{"CRLF and nothing else", "\r\n", strings.ReplaceAll(whole, "\n", "\r\n")},
		{"comment in an empty object", "{\n  // nothing yet\n}\n", "{\n  // nothing yet\n" + strings.TrimPrefix(whole, "{\n")},
		{"block comment in an empty object", "{/* c */}", "{/* c */\n" + strings.TrimSuffix(strings.TrimPrefix(whole, "{\n"), "\n")},
		{
			"other keys", "{\n  \"theme\": \"dark\",\n  \"n\": 1e3\n}\n",
			"{\n  \"theme\": \"dark\",\n  \"n\": 1e3,\n" + strings.TrimPrefix(whole, "{\n"),
		},
		{
			"other servers",
			"{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  },\n  \"z\": [\n    1\n  ]\n}",
			"{\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    },\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  },\n  \"z\": [\n    1\n  ]\n}",
		},
		{
			"servers empty, four spaces",
			"{\n    \"mcpServers\": {}\n}\n",
			"{\n    \"mcpServers\": {\n        \"oriel\": {\n            \"command\": \"oriel\",\n            \"args\": [\"mcp\"]\n        }\n    }\n}\n",
		},
		{
			"tabs, trailing comment",
			"{\n\t\"a\": 1 // one\n\t// end\n}\n// after\n",
			"{\n\t\"a\": 1, // one\n\t// end\n\t\"mcpServers\": {\n\t\t\"oriel\": {\n\t\t\t\"command\": \"oriel\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n// after\n",
		},
		{
			"trailing comma kept as a habit",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // a\n  },\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // a\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    },\n  },\n}",
		},
		{"one line", `{"a": 1}`, `{"a": 1, "mcpServers": {"oriel": {"command": "oriel", "args": ["mcp"]}}}`},
		{"one line, no spaces", `{"a":1,"mcpServers":{}}` + "\n", `{"a":1,"mcpServers":{"oriel":{"command":"oriel","args":["mcp"]}}}` + "\n"},
		{"one line, trailing comma", `{"a":1,}`, `{"a":1,"mcpServers":{"oriel":{"command":"oriel","args":["mcp"]}},}`},
		{"one line, block comment", `{"a": 1 /* x */}`, `{"a": 1, /* x */ "mcpServers": {"oriel": {"command": "oriel", "args": ["mcp"]}}}`},
		{
			"one line in a file of many",
			"{\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}}\n}\n",
			"{\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}, \"oriel\": {\"command\": \"oriel\", \"args\": [\"mcp\"]}}\n}\n",
		},
		{
			"brace at the end of the last line",
			"{\n  \"a\": 1}",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }}",
		},
		{
			"the whole thing indented",
			"    {\n      \"mcpServers\": {\n      }\n    }\n",
			"    {\n      \"mcpServers\": {\n        \"oriel\": {\n          \"command\": \"oriel\",\n          \"args\": [\"mcp\"]\n        }\n      }\n    }\n",
		},
		{
			"same names deeper down are others",
			"{\n  \"projects\": {\"mcpServers\": {\"oriel\": 1}}\n}",
			"{\n  \"projects\": {\"mcpServers\": {\"oriel\": 1}},\n  \"mcpServers\": {\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
		},
		{
			"braces in strings and comments",
			"{\n  \"a\": \"}// not a comment\", /* } */\n  \"\\u006dcpServers\": {\n    \"b\": {\"command\": \"{\"}\n  }\n}",
			"{\n  \"a\": \"}// not a comment\", /* } */\n  \"\\u006dcpServers\": {\n    \"b\": {\"command\": \"{\"},\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
		},
		{"old line ends do not swallow it", "{\"a\":1 // c\r}", "{\"a\":1, // c\n  \"mcpServers\":{\n    \"oriel\":{\n      \"command\":\"oriel\",\n      \"args\":[\"mcp\"]\n    }\n  }\r}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := insert(t, tt.src)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if v, ok, err := mustParse(t, got).Find(path...); !ok || err != nil || !json.Valid(v.JSON()) {
				t.Errorf("not found afterwards: %v", err)
			}
		})
	}
}

func insert(t *testing.T, src string) string {
	t.Helper()
	out, err := mustParse(t, src).Insert(path, fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func mustParse(t *testing.T, src string) *Doc {
	t.Helper()
	d, err := Parse([]byte(src))
	if err != nil {
		t.Fatalf("parse %q: %v", src, err)
	}
	return d
}

func TestReplace(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{
			"lines", "{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"oriel\": {\n      \"url\": \"x\" // y\n    }, // keep\n    \"b\": 2\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": 1,\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }, // keep\n    \"b\": 2\n  }\n}",
		},
		{"one line", `{"mcpServers":{"oriel":{"url":1},"b":2}}`, `{"mcpServers":{"oriel":{"command":"oriel","args":["mcp"]},"b":2}}`},
		{"not even an object", `{"mcpServers": {"oriel": null}}`, `{"mcpServers": {"oriel": {"command": "oriel", "args": ["mcp"]}}}`},
		{"one line among many", "{\n \"mcpServers\": {\n  \"oriel\": {\"a\": 1}\n }\n}", "{\n \"mcpServers\": {\n  \"oriel\": {\"command\": \"oriel\", \"args\": [\"mcp\"]}\n }\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := mustParse(t, tt.src).Replace(path, fields)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if _, err := mustParse(t, `{"mcpServers": {}}`).Replace(path, fields); err == nil {
		t.Error("replaced nothing")
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"never closed", "{\n  \"a\": {\n", `2:8: "{" is never closed`},
		{"closed twice", "{}\n}", "2:1: '}' after the end of the value"},
		{"no comma", "{\n  \"a\": 1\n  \"b\": 2\n}", `3:3: '"' where ',' or "}" is expected`},
		{"two commas", `{"a": 1,, "b": 2}`, "1:9: ',' where a key in double quotes, or '}', is expected"},
		{"comma first", `{,}`, "1:2: ',' where a key in double quotes, or '}', is expected"},
		{"comma alone in an array", `[,]`, "1:2: ',' where a value is expected"},
		{"no quotes", "{a: 1}", "1:2: 'a' where a key in double quotes, or '}', is expected"},
		{"single quotes", "{'a': 1}", `1:2: '\'' where a key in double quotes, or '}', is expected`},
		{"no colon", `{"a" 1}`, "1:6: '1' where ':' is expected"},
		{"no value", `{"a": }`, "1:7: '}' where a value is expected"},
		{"string over the line", "{\"a\": \"x\n\"}", "1:7: a string that does not end"},
		{"tab in a string", "{\"a\": \"x\ty\"}", "1:9: a control character in a string"},
		{"wrong escape", `{"a": "\x"}`, "1:7: a string with a wrong escape"},
		{"number", `{"a": 01}`, `1:7: "01" is no number`},
		{"comment open", "{} /* ", "1:4: a comment that does not end"},
		{"a slash", `{"a": /}`, "1:7: '/' where a value is expected"},
		{"columns are characters", `{"äöü": x}`, "1:9: 'x' where a value is expected"},
		{"after a byte order mark", "\ufeffx", "1:1: 'x' where a value is expected"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "1:1: the file is UTF-16, UTF-8 is expected"},
		{"too deep", strings.Repeat("[", maxDepth+1), "1:10001: more than 10000 levels"},
		{"an array as the file", `[]`, "1:1: the file is an array where an object is expected"},
		{"an array as the servers", "{\n  \"mcpServers\": []\n}", `2:17: "mcpServers" is an array where an object is expected`},
		{"null as the servers", `{"mcpServers": null}`, `1:16: "mcpServers" is null where an object is expected`},
		{"text as the servers", `{"mcpServers": "x"}`, `1:16: "mcpServers" is a string where an object is expected`},
		{"servers twice", `{"mcpServers": {}, "mcpServers": {}}`, `1:20: "mcpServers" is there twice`},
		{"there already", `{"mcpServers": {"oriel": {}}}`, `1:26: "oriel" is there already`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse([]byte(tt.src))
			if err == nil {
				_, err = d.Insert(path, fields)
			}
			if _, ok := errors.AsType[*Error](err); !ok || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestPlain(t *testing.T) {
	tests := []struct{ src, want string }{
		{`{"a": "// no"}`, ""},
		{"{\n // c\n}", "2:2: a comment"},
		{"{\"a\": [1,], /* x */ \"b\": 2}", "1:9: a trailing comma"},
	}
	for _, tt := range tests {
		found, plain := mustParse(t, tt.src).Plain()
		if plain != (tt.want == "") || (!plain && found.Error() != tt.want) {
			t.Errorf("%s: got %v, want %q", tt.src, found, tt.want)
		}
	}
}

func TestQuote(t *testing.T) {
	for s, want := range map[string]string{`C:\a b\oriel.exe`: `"C:\\a b\\oriel.exe"`, "<&>": `"<&>"`, "\"\n": `"\"\n"`} {
		if got := Quote(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestRender(t *testing.T) {
	if got := Render(path, fields); got != whole {
		t.Errorf("got %s", got)
	}
}

// shape lists the keys and values of a document in order, without the path
// that was added.
func shape(d *Doc) []string {
	var out []string
	var visit func(prefix string, n *node)
	visit = func(prefix string, n *node) {
		if n.kind != Object || len(n.members) == 0 {
			if n.kind != Object {
				var b bytes.Buffer
				_ = json.Compact(&b, d.standard()[n.start:n.end])
				out = append(out, prefix+"="+b.String())
			}
			return
		}
		for _, m := range n.members {
			visit(prefix+"/"+Quote(m.key), m.value)
		}
	}
	if d.root != nil {
		visit("", d.root)
	}
	return out
}

func comments(d *Doc) []string {
	var out []string
	for _, c := range d.comments {
		out = append(out, string(d.src[c[0]:c[1]]))
	}
	return out
}

// FuzzInsert: whatever is accepted is JSON, and adding to it keeps every key,
// value and comment in order, adds the fields, and is not done twice.
func FuzzInsert(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{ }", "// c", "{\"a\":1,}", "{\n\t\"a\": [1, 2,], // c\n}\n", "\ufeff{\"mcpServers\":{\"x\":{\"y\":null}}}",
		"{\r\n  \"a\": {\r\n    \"b\": \"\\\"}\" /* } */\r\n  }\r\n}\r\n", "{\"mcpServers\":{/* c */}}", "{\"a\":1 // c\r}", "[1]", "{\"a\":-0.1e+5,\"b\":true}",
		"{\"mcpServers\":{\"oriel\":{}}}", "{\"mcpServers\":{},\"mcpServers\":{}}", "{// c\n}", "{\"a\":{}\n,}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		d, err := Parse(src)
		if err != nil {
			if json.Valid(src) {
				t.Fatalf("JSON was refused: %v", err)
			}
			return
		}
		if d.root != nil && !json.Valid(d.standard()) {
			t.Fatalf("accepted what is not JSON: %q", src)
		}
		out, err := d.Insert(path, fields)
		if err != nil {
			return
		}
		after, err := Parse(out)
		if err != nil {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		added := []string{`/"mcpServers"/"oriel"/"command"="oriel"`, `/"mcpServers"/"oriel"/"args"=["mcp"]`}
		kept := slices.DeleteFunc(shape(after), func(s string) bool { return slices.Contains(added, s) })
		if diff := cmp.Diff(shape(d), kept); diff != "" && len(shape(d))+len(kept) > 0 {
			t.Fatalf("%q became %q\n%s", src, out, diff)
		}
		if diff := cmp.Diff(comments(d), comments(after)); diff != "" {
			t.Fatalf("comments of %q in %q\n%s", src, out, diff)
		}
		if v, ok, err := after.Find(path...); !ok || err != nil || v.Kind != Object {
			t.Fatalf("%q became %q, and it is not there: %v", src, out, err)
		}
		if _, err := after.Insert(path, fields); err == nil {
			t.Fatalf("inserted twice into %q", src)
		}
		if bytes.HasPrefix(src, bom) != bytes.HasPrefix(out, bom) {
			t.Fatalf("byte order mark of %q", src)
		}
		again, err := after.Replace(path, fields)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("replacing by the same changed %q to %q: %v", out, again, err)
		}
	})
}
