package kdl

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever the bytes: no panic, an *Error or a document, and every position
// inside the text.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "\uFEFFa", "/- kdl-version 1\na true", "/- kdl-version 2\na #true",
		"(t)a (u)1 k=(s)\"v\" { b; /-c }\n", "a \"\"\"\n  x\\\n  y\n  \"\"\" #\"z\"# ##\"\"\"\n\"\"\"##",
		"a /-1 /-{} { } // c\n/* /* */ */ b \\\n 0xff -1.5e+3 #nan", "a r#\"b\"# \"\\u{41}\\/\" true\r\n",
		"a \"\\", "a \"\\u{", "#", "r#", "(", "a k=", "/-", "/*", "\\", "a\x00", "a \xff", strings.Repeat("a{", 300),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lines, columns := extent(src)
		inside := func(what string, at Position) {
			t.Helper()
			if at.Line < 1 || at.Line > lines || at.Column < 1 || at.Column > columns[at.Line-1]+1 {
				t.Errorf("%s of %q at %d:%d, outside of the text", what, src, at.Line, at.Column)
			}
		}
		doc, err := Parse(src)
		if err != nil {
			positioned := new(Error)
			if !errors.As(err, &positioned) || positioned.Message == "" {
				t.Fatalf("Parse(%q) fails with %T %v", src, err, err)
			}
			inside("error", Position{positioned.Line, positioned.Column})
			return
		}
		var check func(nodes []Node)
		check = func(nodes []Node) {
			for _, node := range nodes {
				inside("node", node.Position)
				for _, arg := range node.Args {
					inside("argument", arg.Position)
					checkValue(t, arg)
				}
				for _, prop := range node.Props {
					inside("property", prop.Position)
					inside("property value", prop.Value.Position)
					checkValue(t, prop.Value)
				}
				check(node.Children)
			}
		}
		check(doc.Nodes)
	})
}

// checkValue asserts that a number's text is one Go can read too.
func checkValue(t *testing.T, v Value) {
	t.Helper()
	if !utf8.ValidString(v.Text) {
		t.Errorf("text %q is not UTF-8", v.Text)
	}
	if _, ok := v.Big(); v.Kind == Integer && !ok {
		t.Errorf("integer %q has no value", v.Text)
	}
	if _, ok := v.Float(); ok != (v.Kind >= Integer) {
		t.Errorf("Float() of %s reports %v", v.Describe(), ok)
	}
	if v.Describe() == "" {
		t.Error("a value describes itself as nothing")
	}
}

// extent counts the lines of src and the code points of each, independently of
// the parser's own counting. Bytes that are no UTF-8 count as one each.
func extent(src []byte) (lines int, columns []int) {
	text := strings.TrimPrefix(string(src), "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	split := strings.FieldsFunc(strings.ReplaceAll(mark(text), "\n", "x\n"), func(r rune) bool { return r == '\n' })
	for _, line := range split {
		columns = append(columns, utf8.RuneCountInString(line)-1)
	}
	return len(columns), columns
}

// mark makes every newline a line feed and ends the last line with one.
func mark(text string) string {
	for _, newline := range []string{"\r", "\v", "\f", "\u0085", "\u2028", "\u2029"} {
		text = strings.ReplaceAll(text, newline, "\n")
	}
	return text + "\n"
}
