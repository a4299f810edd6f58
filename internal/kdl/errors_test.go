package kdl

import (
	"errors"
	"strings"
	"testing"
)

// Each text is wrong in both versions; the message says what was expected and
// the position is where a person would look.
func TestErrors(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"not UTF-8", "a\n b \xff", `2:4: expected UTF-8 text, got byte 0xFF`},
		{"control character", "a \x01", `1:3: code point U+0001 is not allowed in a document (in a quoted string write \u{1})`},
		{"direction override in a comment", "a // \u202E", `1:6: code point U+202E is not allowed in a document (in a quoted string write \u{202e})`},
		{"second byte order mark", "\uFEFF\uFEFFa", `1:1: code point U+FEFF is not allowed in a document (in a quoted string write \u{feff})`},
		{"unknown version", "/- kdl-version 3\na", `1:16: expected kdl-version 1 or 2, got "3"`},

		{"number as a name", "1 2", `1:1: expected a node name, got "1"`},
		{"semicolon as a name", "a;;b", `1:3: expected a node name, got ";"`},
		{"stray closing brace", "a\n}", `2:1: expected a node name, got "}"`},
		{"stray brace behind a node", "a }", `1:3: expected a value, got "}"`},
		{"keyword as a name", "#true 1", `1:1: expected a node name, got "#"`},
		{"block never closed", "a {\n b {\n }\n", `4:1: expected "}" to close the block opened at 1:3, got the end of the file`},
		{"two blocks", "a {} {}", `1:6: node "a" already has a block of children`},
		{"argument behind a block", "a {} 1", `1:6: expected a newline or ";" after the block, got "1"`},
		{"argument behind a dropped block", "a /-{} 1", `1:8: expected a newline or ";" after the block, got "1"`},
		{"no space before a string", `a"b"`, `1:2: expected a space, a newline or ";", got '"'`},
		{"no space between arguments", `a "b"1`, `1:6: expected a space, a newline or ";", got "1"`},
		{"backslash inside a line", `a \b`, `1:4: expected the end of the line after "\", got "b"`},
		{"square bracket", "a [1]", `1:3: expected a value, got "["`},

		{"no value", "a k=\nb", `1:5: expected a value, got the end of the line`},
		{"no value at the end", "a k=", `1:5: expected a value, got the end of the file`},
		{"number as a key", "a 1=2", `1:4: unexpected "=": only a string can be a property name, and its type annotation goes before the value`},
		{"type before a key", "a (t)k=2", `1:7: unexpected "=": only a string can be a property name, and its type annotation goes before the value`},
		{"keyword as a key", "a true=1", `1:3: true is a keyword: write #true for its value or "true" for the text`},
		{"empty type", "a ()1", `1:4: expected a type name, got ")"`},
		{"type never closed", "(t a", `1:4: expected ")" after the type name, got "a"`},
		{"type without a value", "a (t)", `1:6: expected a value, got the end of the file`},
		{"slashdash in a type", "(/-t)a", `1:2: expected a type name, got "/"`},

		{"unknown keyword", "a #yes", `1:3: expected #true, #false, #null, #inf, #-inf, #nan or a raw string, got "#yes"`},
		{"word that begins with a digit", "a 3000ms", `1:3: expected a number (a word cannot begin with a digit; put it in quotes), got "3000ms"`},
		{"two points", "a 1.2.3", `1:3: expected a number (a word cannot begin with a digit; put it in quotes), got "1.2.3"`},
		{"no fraction", "a 1.", `1:3: expected digits after the decimal point, got "1."`},
		{"fraction begins with an underscore", "a 1._5", `1:3: expected digits after the decimal point, got "1._5"`},
		{"no whole part", "a -.5", `1:3: expected a digit before the decimal point, got "-.5"`},
		{"no exponent", "a 1e+", `1:3: expected digits in the exponent, got "1e+"`},
		{"exponent begins with an underscore", "a 1e_5", `1:3: expected digits in the exponent, got "1e_5"`},
		{"two exponents", "a 1e5e5", `1:3: expected a number (a word cannot begin with a digit; put it in quotes), got "1e5e5"`},
		{"bad hexadecimal", "a 0xfg", `1:3: expected hexadecimal digits after 0x, got "0xfg"`},
		{"underscore begins hexadecimal", "a -0x_f", `1:3: expected hexadecimal digits after 0x, got "-0x_f"`},
		{"bad octal", "a 0o8", `1:3: expected octal digits after 0o, got "0o8"`},
		{"no binary digits", "a 0b", `1:3: expected binary digits after 0b, got "0b"`},

		{"string not closed on its line", "a \"x\nb \"y\"\nc", `1:3: expected " to close this string before the end of the line (a string of several lines begins with """)`},
		{"string never closed", `a "x`, `1:3: expected " to close this string before the end of the file`},
		{"raw string never closed", `a ##"x"#`, `1:5: expected "## to close this string before the end of the file`},
		{"too many hashes behind", `a #"x"##`, `1:8: expected a space, a newline or ";", got "#"`},
		{"unknown escape", `a "b\qc"`, `1:5: expected \n, \r, \t, \b, \f, \s, \", \\, \u{…} or white space after it, got a backslash and "q"`},
		{"escape at the end", `a "\`, `1:4: expected \n, \r, \t, \b, \f, \s, \", \\, \u{…} or white space after it, got a backslash and the end of the file`},
		{"unicode escape without braces", `a "\u0041"`, `1:4: expected \u{…} with 1 to 6 hexadecimal digits`},
		{"empty unicode escape", `a "\u{}"`, `1:4: expected \u{…} with 1 to 6 hexadecimal digits`},
		{"unicode escape too long", `a "\u{0000041}"`, `1:4: expected \u{…} with 1 to 6 hexadecimal digits`},
		{"unicode escape never closed", `a "\u{41"`, `1:4: expected \u{…} with 1 to 6 hexadecimal digits`},
		{"surrogate", `a "\u{D800}"`, `1:4: expected a Unicode scalar value, got \u{D800}`},
		{"beyond Unicode", `a "\u{110000}"`, `1:4: expected a Unicode scalar value, got \u{110000}`},
		{"text behind three quotes", `a """x"""`, `1:6: expected a newline after """, got "x"`},
		{"text before closing quotes", "a \"\"\"\n  x\n  y\"\"\"", `3:1: expected nothing but white space before the closing """`},
		{"line indented less", "a \"\"\"\n  x\n y\n  \"\"\"", `3:1: expected the line to begin with the same white space as the line of the closing """`},
		{"line indented otherwise", "a \"\"\"\n\tx\n  \"\"\"", `2:1: expected the line to begin with the same white space as the line of the closing """`},
		{"escaped indentation is none", "a \"\"\"\n\\s\\sx\n  \"\"\"", `2:1: expected the line to begin with the same white space as the line of the closing """`},
		{"multi-line never closed", "a \"\"\"\nx\n", `1:3: expected """ to close this string before the end of the file`},

		{"comment never closed", "a /* /* */", `1:3: expected "*/" to close this comment before the end of the file`},
		{"slashdash of nothing", "a\n/-", `2:3: expected something to drop after "/-", got the end of the file`},
		{"slashdash of nothing in a block", "a { /- }", `1:8: expected something to drop after "/-", got "}"`},
		{"slashdash of a slashdash", "/- /- a\nb", `1:4: expected something to drop after "/-", got "/"`},
		{"slashdash before a value", "a k=/-1", `1:5: expected a value, got "/"`},
		{"slashdash before the equals sign", "a k /-=1", `1:7: expected a value, got "="`},

		{"too deep", strings.Repeat("a{", MaxDepth+1), `1:402: blocks are nested deeper than 200 levels`},
		{"far too deep", strings.Repeat("a{", 1<<20), `1:402: blocks are nested deeper than 200 levels`},
		{"far too deep, dropped", "a" + strings.Repeat("/-{a", 1<<20), `1:804: blocks are nested deeper than 200 levels`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := Parse([]byte(test.src))
			if err == nil {
				t.Fatalf("Parse(%.60q) = %s, want an error", test.src, render(doc.Nodes))
			}
			if got := err.Error(); got != test.want {
				t.Errorf("Parse(%.60q)\n got %s\nwant %s", test.src, got, test.want)
			}
			if positioned := new(Error); !errors.As(err, &positioned) {
				t.Errorf("the error is a %T, not an *Error", err)
			}
			if doc.Nodes != nil || doc.Version != 0 {
				t.Errorf("a failed Parse returns %+v", doc)
			}
		})
	}
}

// Without a marker the error belongs to the version the text was probably
// written in: the one whose reading got further.
func TestErrorOfTheLikelierVersion(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"version 2 with a slip", "a b\nc true", `2:3: true is a keyword: write #true for its value or "true" for the text`},
		{"version 1 with a slip", "a true\nb 1.", `2:3: expected digits after the decimal point, got "1." (read as KDL 1, since KDL 2 ends at 1:3: true is a keyword: write #true for its value or "true" for the text)`},
		{"both mixed", "a true\nb #true", `2:3: expected a value, got "#" (read as KDL 1, since KDL 2 ends at 1:3: true is a keyword: write #true for its value or "true" for the text)`},
		{"the same slip in both", "a 1.", `1:3: expected digits after the decimal point, got "1."`},
		{"a forgotten quote is no string of several lines", "a \"x\nb \"y\" 1.\n", `1:3: expected " to close this string before the end of the line (a string of several lines begins with """)`},
		{"marked 1", "/- kdl-version 1\na b", `2:3: expected a value, got the bare word "b": in KDL 1 strings stand in quotes`},
		{"marked 1, word as a property's value", "/- kdl-version 1\na k=b", `2:5: expected a value, got the bare word "b": in KDL 1 strings stand in quotes`},
		{"marked 1, unknown escape", "/- kdl-version 1\na \"\\s\"", `2:4: expected \n, \r, \t, \b, \f, \", \\, \/ or \u{…}, got a backslash and "s"`},
		{"marked 1, keyword as a key", "/- kdl-version 1\na true=1", `2:3: expected a property name, got the keyword true`},
		{"marked 1, keyword as a name", "/- kdl-version 1\ntrue", `2:1: expected a node name, got "t"`},
		{"marked 1, space in a type", "/- kdl-version 1\n( t)a", `2:2: expected a type name, got " "`},
		{"marked 1, slashdash over a newline", "/- kdl-version 1\na /-\n\"b\"", `2:5: expected something to drop after "/-", got the end of the line`},
		{"marked 2", "/- kdl-version 2\na true", `2:3: true is a keyword: write #true for its value or "true" for the text`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.src))
			if err == nil || err.Error() != test.want {
				t.Errorf("Parse(%q)\n got %v\nwant %s", test.src, err, test.want)
			}
		})
	}
}

func TestDepthIsAllowedUpToTheLimit(t *testing.T) {
	src := strings.Repeat("a{", MaxDepth) + strings.Repeat("}", MaxDepth)
	if _, err := Parse([]byte(src)); err != nil {
		t.Fatal(err)
	}
}
