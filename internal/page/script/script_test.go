package script

import (
	"strings"
	"testing"
)

// Where the last statement begins; a real parser has the last word, so what
// matters here is that a value is found where there is one and that nothing
// which would parse but mean something else is proposed.
func TestLastStatement(t *testing.T) {
	for code, want := range map[string]string{
		"1+1":                                  "",
		"a; b":                                 "b",
		"a\nb":                                 "b",
		"a;\n// comment\nb // end":             "b",
		"const x = 1; x":                       "x",
		"const x = 1":                          "",
		"a; const x = 1":                       "",
		"a\n  .b()\n  .c()":                    "",
		"x;\na\n  .b()":                        "a\n  .b()",
		"a\n(b)":                               "",
		"a\n[b]":                               "",
		"a\n`b`":                               "",
		"a\n/b/.test(c)":                       "",
		"a +\nb":                               "",
		"a\n+ b":                               "",
		"a\n!b":                                "!b",
		"a\n!= b":                              "",
		"if (x)\n  y()":                        "",
		"for (;;)\n  y()":                      "",
		"while (x)\n  y()":                     "",
		"for await (const a of b)\n  y()":      "",
		"if (x) { y() } else\n  z()":           "",
		"do\n  x()\nwhile (y)":                 "",
		"foo(x)\n bar()":                       "bar()",
		"if (x) { y() }\nz":                    "z",
		"f(); function f() {}":                 "",
		"f(); async function f() {}":           "",
		"f(); class K {}":                      "",
		"a; {b: 1}":                            "",
		"return 1; x":                          "x",
		"a;;; b;;":                             "b",
		"'a;b'":                                "",
		"\"a\\\";b\"; c":                       "c",
		"`a;${b;\n`${c}`};d`\ne":               "e",
		"/[;/]\\/;/.test(x); y":                "y",
		"a / b; c / d":                         "c / d",
		"x = a\ny in b":                        "y in b",
		"x = a\nin b":                          "",
		"f(function () { a; b })":              "",
		"const f = () => { a; b }\nf()":        "f()",
		"const o = {\n  a: 1,\n  b: 2\n}\no.a": "o.a",
		"const a = await\nb":                   "",
		"const {a, b} = c\n;[a, b]":            "[a, b]",
		"throw new Error('x')":                 "",
		"var a = 1, b = 2\na + b":              "a + b",
		"x => x\ny":                            "y",
		"label:\nwhile (1) break label\nafter": "after",
		"let s = ''\nfor (const c of d) s += c\ns": "s",
	} {
		tokens := scan(code)
		for len(tokens) > 0 && tokens[len(tokens)-1].text == ";" {
			tokens = tokens[:len(tokens)-1]
		}
		got := ""
		if at, ok := lastStatement(tokens); ok {
			got = code[at:tokens[len(tokens)-1].end]
		}
		if got != want {
			t.Errorf("%q: last statement %q, want %q", code, got, want)
		}
	}
}

func TestNothingToRun(t *testing.T) {
	for _, code := range []string{"", "  \n", "// only a comment", "/* this\ntoo */", ";;"} {
		if forms := Forms(code); forms != nil {
			t.Errorf("%q: %d forms", code, len(forms))
		}
	}
}

func TestFormsKeepPositions(t *testing.T) {
	code := "const a = 1;\r\na.b.c"
	for i, f := range Forms(code) {
		lines := strings.Split(f.Text, "\n")
		at := strings.Index(lines[2], "a.b.c") + 1
		if line, column, ok := f.Position(3, at); line != 2 || column != 1 || !ok {
			t.Errorf("form %d: %d:%d %v", i, line, column, ok)
		}
		if _, _, ok := f.Position(len(lines), 1); ok {
			t.Errorf("form %d: a place behind the code is inside it", i)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{"`${`", "a/b/c", "({[", ")]}", "\"\\", "/[/", "/*", "`${a}${`${b}`}`;c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		end := 0
		for _, tok := range scan(code) {
			if tok.start < end || tok.end <= tok.start || tok.end > len(code) || tok.text == "" {
				t.Fatalf("token %+v after %d in %q", tok, end, code)
			}
			end = tok.end
		}
		Forms(code)
	})
}

func TestDeepNestingIsSurvived(t *testing.T) {
	Forms(strings.Repeat("`${", 300_000))
	Forms(strings.Repeat("([{", 300_000))
}
