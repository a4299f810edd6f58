package kdl

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// render writes nodes in one line, strings quoted and everything else as it is
// stored, so that a table can show what a text was read as.
func render(nodes []Node) string {
	var parts []string
	for _, node := range nodes {
		text := renderType(node.Type) + strconv.Quote(node.Name)
		for _, arg := range node.Args {
			text += " " + renderValue(arg)
		}
		for _, prop := range node.Props {
			text += " " + strconv.Quote(prop.Name) + "=" + renderValue(prop.Value)
		}
		if node.Block {
			text += " {" + render(node.Children) + "}"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

func renderType(a Annotation) string {
	if !a.Given() {
		return ""
	}
	return "(" + strconv.Quote(a.Name) + ")"
}

func renderValue(v Value) string {
	kinds := map[Kind]string{Null: "null:", Bool: "bool:", Integer: "int:", Decimal: "dec:", Infinity: "inf:", NaN: "nan:"}
	if v.Kind == String {
		return renderType(v.Type) + strconv.Quote(v.Text)
	}
	return renderType(v.Type) + kinds[v.Kind] + v.Text
}

type syntaxCase struct{ name, src, want string }

func checkSyntax(t *testing.T, version Version, tests []syntaxCase) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc, err := Parse([]byte(test.src))
			if err != nil {
				t.Fatalf("Parse(%q): %v", test.src, err)
			}
			if got := render(doc.Nodes); got != test.want {
				t.Errorf("Parse(%q)\n got %s\nwant %s", test.src, got, test.want)
			}
			if version != 0 && doc.Version != version {
				t.Errorf("Parse(%q) read it as version %d, want %d", test.src, doc.Version, version)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"nothing", "", ``},
		{"blank lines and spaces", " \n\t\n", ``},
		{"one name", "dev", `"dev"`},
		{"several by newline", "a\nb\n\nc", `"a"; "b"; "c"`},
		{"several by semicolon", "a;b; c;", `"a"; "b"; "c"`},
		{"same name kept apart", "a 1\na 2", `"a" int:1; "a" int:2`},
		{"arguments and properties mixed", `a 1 k=2 x l="y" z`, `"a" int:1 "x" "z" "k"=int:2 "l"="y"`},
		{"last property wins at its place", "a k=1 l=2 k=3", `"a" "l"=int:2 "k"=int:3`},
		{"space around the equals sign", "a k = 1 l= 2 m =3", `"a" "k"=int:1 "l"=int:2 "m"=int:3`},
		{"continued around the equals sign", "a k \\\n = \\\n 1", `"a" "k"=int:1`},
		{"block", "a {\n b\n c {\n  d 1\n }\n}\ne", `"a" {"b"; "c" {"d" int:1}}; "e"`},
		{"block on one line", "a { b; c }", `"a" {"b"; "c"}`},
		{"block without space", "a{b}", `"a" {"b"}`},
		{"empty block is told from none", "a {}\nb", `"a" {}; "b"`},
		{"semicolon behind a block", "a {};b", `"a" {}; "b"`},
		{"quoted names", `"two words" "key with ="=1 "k"="v"`, `"two words" "key with ="=int:1 "k"="v"`},
		{"empty name", `"" 1`, `"" int:1`},
		{"raw name", `#"a\b"# 1`, `"a\\b" int:1`},
		{"continuation", "a \\\n  1 \\ // why\n  2\nb", `"a" int:1 int:2; "b"`},
		{"continuation to the end", "a \\", `"a"`},
		{"continuation between nodes", "a\n\\\nb", `"a"; "b"`},
		{"continuation over an empty line ends the node", "a \\\n\nb", `"a"; "b"`},
	})
}

func TestWords(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"signs and dots", "a - + . -- -. +. ... -a +b .c -.d", `"a" "-" "+" "." "--" "-." "+." "..." "-a" "+b" ".c" "-.d"`},
		{"odd characters", "a~!@$%^&*:'|?<>,`-_ b", "\"a~!@$%^&*:'|?<>,`-_\" \"b\""},
		{"beyond ASCII", "größe 日本=😀", `"größe" "日本"="😀"`},
		{"beginning like a keyword", "trueish nullable informal nano", `"trueish" "nullable" "informal" "nano"`},
		{"digits behind a letter", "a1 v2.0 x-9", `"a1" "v2.0" "x-9"`},
		{"an underscore begins a word", "a _15", `"a" "_15"`},
		{"r is a word like any other", "r r=r", `"r" "r"="r"`},
	})
}

func TestTypeAnnotations(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"everywhere", `(n)a (u8)1 k=(s)"v" (t)#true`, `("n")"a" ("u8")int:1 ("t")bool:true "k"=("s")"v"`},
		{"space within and behind", "( n ) a ( u8 ) 1 k=( s ) v", `("n")"a" ("u8")int:1 "k"=("s")"v"`},
		{"comments within", "(/*x*/n/*y*/)/*z*/a", `("n")"a"`},
		{"quoted", `("a b")c (#"x"#)1`, `("a b")"c" ("x")int:1`},
		{"empty is told from none", `("")a`, `("")"a"`},
	})
}

func TestKeywordsAndNumbers(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"keywords", "a #true #false #null #inf #-inf #nan", `"a" bool:true bool:false null:null inf:inf inf:-inf nan:nan`},
		{"decimal", "a 0 1 -1 +1 007 1_000_ 10", `"a" int:0 int:1 int:-1 int:+1 int:007 int:1000 int:10`},
		{"hexadecimal", "a 0xff 0xDEAD_beef -0x1 +0xA_", `"a" int:0xff int:0xDEADbeef int:-0x1 int:+0xA`},
		{"octal and binary", "a 0o17 -0o7_7 0b1010 0b1_0_", `"a" int:0o17 int:-0o77 int:0b1010 int:0b10`},
		{"fractions", "a 1.5 -0.25 +1_0.0_1", `"a" dec:1.5 dec:-0.25 dec:+10.01`},
		{"exponents", "a 1e3 1E+3 1.5e-3 1e1_0", `"a" dec:1e3 dec:1E+3 dec:1.5e-3 dec:1e10`},
		{"right before a block", "a 1{}", `"a" int:1 {}`},
		{"right before a comment", "a 1/*c*/ 2//d", `"a" int:1 int:2`},
		{"right before a slashdash", "a 1/-2 3", `"a" int:1 int:3`},
	})
}

func TestStrings(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"plain", `a "" "b c" "// /* /- { ; ="`, `"a" "" "b c" "// /* /- { ; ="`},
		{"escapes", `a "\"\\\n\r\t\b\f\s|"`, `"a" "\"\\\n\r\t\b\f |"`},
		{"unicode escapes", `a "\u{41}\u{1F600}\u{00000a}\u{10FFFF}"`, `"a" "A😀\n\U0010ffff"`},
		{"escaped forbidden code points", `a "\u{0}\u{200E}\u{FEFF}"`, `"a" "\x00\u200e\ufeff"`},
		{"white space escape", "a \"x\\   y\\\n\n  z\"", `"a" "xyz"`},
		{"raw", `a #"b"c"# ##"d"#e"## #"\n"# #""#`, `"a" "b\"c" "d\"#e" "\\n" ""`},
		{"raw with many hashes", `a ####""###"####`, `"a" "\"###"`},
		{"raw as a property", `a k=#"v"# #"l"#=1`, `"a" "k"="v" "l"=int:1`},
	})
}

func TestMultilineStrings(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"no indentation", "a \"\"\"\nx\n y\n\"\"\"", `"a" "x\n y"`},
		{"indentation of the closing quotes goes", "a \"\"\"\n    x\n      y\n    \"\"\" b", `"a" "x\n  y" "b"`},
		{"tabs are indentation too", "a \"\"\"\n\t x\n\t \ty\n\t \"\"\"", `"a" "x\n\ty"`},
		{"empty", "a \"\"\"\n\"\"\" \"\"\"\n  \"\"\"", `"a" "" ""`},
		{"one empty line", "a \"\"\"\n\n\"\"\"", `"a" ""`},
		{"two empty lines", "a \"\"\"\n\n\n\"\"\"", `"a" "\n"`},
		{"white space lines are empty whatever they hold", "a \"\"\"\n  x\n \n      \n  y\n  \"\"\"", `"a" "x\n\n\ny"`},
		{"quotes inside", "a \"\"\"\n\"x\" \"\"\n\"\"\"", `"a" "\"x\" \"\""`},
		{"escaped quotes inside", "a \"\"\"\n\\\"\"\"x\n\"\"\"", `"a" "\"\"\"x"`},
		{"escapes are no indentation", "a \"\"\"\n  \\sx\n  \\ty\n  \"\"\"", `"a" " x\n\ty"`},
		{"escaped newline is no newline", "a \"\"\"\n  x \\\n    y\n  \"\"\"", `"a" "x y"`},
		{"a continued line needs no indentation", "a \"\"\"\n  x\\\ny\n  \"\"\"", `"a" "xy"`},
		{"every newline becomes a line feed", "a \"\"\"\r\nx\ry\u0085z\u2028w\n\"\"\"", `"a" "x\ny\nz\nw"`},
		{"an escaped newline character stays", "a \"\"\"\n  x\\ny\n  \"\"\"", `"a" "x\ny"`},
		{"raw", "a #\"\"\"\n  \\n \"\"\"\n   y\n  \"\"\"#", `"a" "\\n \"\"\"\n y"`},
		{"raw with hashes", "a ##\"\"\"\n\"\"\"#\n\"\"\"##", `"a" "\"\"\"#"`},
		{"as a name and a key", "\"\"\"\nn\n\"\"\" \"\"\"\nk\n\"\"\"=1", `"n" "k"=int:1`},
	})
}

func TestComments(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"line comments", "// x\na // y\n//\nb//z", `"a"; "b"`},
		{"block comments", "/* x */a/* y */1/**/2", `"a" int:1 int:2`},
		{"block comments over lines do not end a node", "a /*\n\n*/ 1", `"a" int:1`},
		{"nested block comments", "a /* /* x */ /*/**/*/ */ 1", `"a" int:1`},
		{"line comment inside a block comment", "a /* // */ 1", `"a" int:1`},
		{"very deep block comments", "a " + strings.Repeat("/*", 100000) + strings.Repeat("*/", 100000) + " 1", `"a" int:1`},
		{"slashdash node", "/-a 1 {\n b\n}\nc", `"c"`},
		{"slashdash node with space and newlines", "/- \n // x\n a\nc", `"c"`},
		{"slashdash argument", "a /-1 2 /- 3", `"a" int:2`},
		{"slashdash argument on the next line", "a 1 /-\n2 3", `"a" int:1 int:3`},
		{"slashdash property", "a k=1 /-k=2 /- l = 3 m=4", `"a" "k"=int:1 "m"=int:4`},
		{"slashdash block", "a /-{ b } { c } /-{ d }", `"a" {"c"}`},
		{"slashdash blocks only", "a 1 /-{} /- {\nb\n}\nc", `"a" int:1; "c"`},
		{"slashdash in a slashdash", "/-a /-1\nb", `"b"`},
		{"slashdash without a space before", `a "x"/-1/-k=2/-{}`, `"a" "x"`},
		{"slashdash typed", "a /-(t)1 /-k=(t)2 /-(t)#null", `"a"`},
		{"slashdash in a block", "a { /-b; c; /-d }", `"a" {"c"}`},
		{"slashdash over a continuation", "a /-\\\n1 2", `"a" int:2`},
	})
}

func TestNewlinesAndSpaces(t *testing.T) {
	checkSyntax(t, V2, []syntaxCase{
		{"byte order mark", "\uFEFFa", `"a"`},
		{"every newline", "a\nb\rc\r\nd\ve\ff\u0085g\u2028h\u2029i", `"a"; "b"; "c"; "d"; "e"; "f"; "g"; "h"; "i"`},
		{"every space", "a\t1 2\u00A03\u16804\u20005\u200A6\u202F7\u205F8\u30009", `"a" int:1 int:2 int:3 int:4 int:5 int:6 int:7 int:8 int:9`},
		{"a zero-width space is none", "a\u200Bb", `"a\u200bb"`},
	})
}

func TestVersion1(t *testing.T) {
	checkSyntax(t, V1, []syntaxCase{
		{"keywords", "a true false null k=true", `"a" bool:true bool:false null:null "k"=bool:true`},
		{"a project file", "scripts {\n dev {\n  run \"npm run dev\"\n  autostart true\n }\n}", `"scripts" {"dev" {"run" "npm run dev"; "autostart" bool:true}}`},
		{"raw strings", `a r"b\n" r#"c"d"# k=r##"e"#f"##`, `"a" "b\\n" "c\"d" "k"="e\"#f"`},
		{"raw name", `r"a" true`, `"a" bool:true`},
		{"raw of a quote", `a r#"""#`, `"a" "\""`},
		{"strings over lines", "a \"x\n y\" true", `"a" "x\n y" bool:true`},
		{"escaped solidus", `a "x\/y"`, `"a" "x/y"`},
		{"hash and solidus in a word", "a#b/c true", `"a#b/c" bool:true`},
		{"comments around words with solidus", "a/*x*/ true//y\n/- b true", `"a" bool:true`},
		{"slashdash", "a /-true /-k=false null /-{\n b\n}", `"a" null:null`},
		{"typed", `(t)a (u8)1 k=(s)"v" (b)true`, `("t")"a" ("u8")int:1 ("b")bool:true "k"=("s")"v"`},
		{"block on one line", "a { b true; c false }", `"a" {"b" bool:true; "c" bool:false}`},
		{"words beginning like keywords as keys", "a nullable=true true-ish=false", `"a" "nullable"=bool:true "true-ish"=bool:false`},
		{"keyword-like words only version 2 keeps", "a inf=true nan=1", `"a" "inf"=bool:true "nan"=int:1`},
	})
}

func TestVersionMarker(t *testing.T) {
	checkSyntax(t, V1, []syntaxCase{
		{"1 is obeyed", "/- kdl-version 1\na 1", `"a" int:1`},
		{"1 without space, behind a byte order mark", "\uFEFF/-kdl-version\t1 \r\na true", `"a" bool:true`},
		{"1 and nothing else", "/- kdl-version 1", ``},
	})
	checkSyntax(t, V2, []syntaxCase{
		{"2 is obeyed", "/- kdl-version 2\na b", `"a" "b"`},
		{"not on the first line it is a comment", "\n/- kdl-version 1\na b", `"a" "b"`},
		{"with more behind it is a comment", "/- kdl-version 1 x\na b", `"a" "b"`},
		{"a similar name is a comment", "/- kdl-versions 1\na b", `"a" "b"`},
	})
	for _, src := range []string{"/- kdl-version 1\na b", "/- kdl-version 2\na true", "/- kdl-version 1\na #true"} {
		if doc, err := Parse([]byte(src)); err == nil {
			t.Errorf("Parse(%q) = %s, want an error: the marker forbids it", src, render(doc.Nodes))
		}
	}
}

func TestPositions(t *testing.T) {
	src := "\uFEFF// c\r\n(t)größe \"é\" k=(u8)1 { /* x\n */ 子 k=2 k=3\u2028  \\\n  \"\"\"\n n\n \"\"\" -1 }"
	doc, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	top := doc.Nodes[0]
	got := map[string]Position{
		"type": top.Type.Position, "node": top.Position, "arg": top.Args[0].Position,
		"prop": top.Props[0].Position, "prop value": top.Props[0].Value.Position, "prop type": top.Props[0].Value.Type.Position,
		"child": top.Children[0].Position, "winning prop": top.Children[0].Props[0].Position,
		"continued node": top.Children[1].Position, "its arg": top.Children[1].Args[0].Position,
	}
	want := map[string]Position{
		"type": {2, 2}, "node": {2, 4}, "arg": {2, 10}, "prop": {2, 14}, "prop type": {2, 17}, "prop value": {2, 20},
		"child": {3, 5}, "winning prop": {3, 11}, "continued node": {5, 3}, "its arg": {7, 6},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions (-want +got):\n%s", diff)
	}
}

func TestNumberValues(t *testing.T) {
	tests := []struct {
		src   string
		want  int64
		fits  bool
		float float64
	}{
		{"0", 0, true, 0}, {"-17", -17, true, -17}, {"+1_000", 1000, true, 1000}, {"007", 7, true, 7},
		{"0xff", 255, true, 255}, {"-0x10", -16, true, -16}, {"0o17", 15, true, 15}, {"0b101", 5, true, 5},
		{"9223372036854775807", math.MaxInt64, true, math.MaxInt64},
		{"-9223372036854775808", math.MinInt64, true, math.MinInt64},
		{"9223372036854775808", 0, false, 9223372036854775808},
		{"0xffff_ffff_ffff_ffff_ffff", 0, false, 1208925819614629174706175},
		{"1.5", 0, false, 1.5}, {"-2.5e-3", 0, false, -0.0025}, {"1E400", 0, false, math.Inf(1)},
		{"#inf", 0, false, math.Inf(1)}, {"#-inf", 0, false, math.Inf(-1)}, {"#nan", 0, false, math.NaN()},
	}
	for _, test := range tests {
		doc, err := Parse([]byte("a " + test.src))
		if err != nil {
			t.Errorf("%s: %v", test.src, err)
			continue
		}
		value := doc.Nodes[0].Args[0]
		if n, ok := value.Int(); n != test.want || ok != test.fits {
			t.Errorf("%s: Int() = %d, %v, want %d, %v", test.src, n, ok, test.want, test.fits)
		}
		f, ok := value.Float()
		if !ok || f != test.float && !(math.IsNaN(f) && math.IsNaN(test.float)) {
			t.Errorf("%s: Float() = %v, %v, want %v", test.src, f, ok, test.float)
		}
	}
	for _, other := range []Value{{Kind: String, Text: "1"}, {Kind: Bool, Text: "true"}, {Kind: Null, Text: "null"}} {
		if _, ok := other.Float(); ok {
			t.Errorf("Float() of %s reports a number", other.Describe())
		}
		if _, ok := other.Int(); ok {
			t.Errorf("Int() of %s reports a number", other.Describe())
		}
	}
	if big, ok := (Value{Kind: Integer, Text: "-0xffffffffffffffffff"}).Big(); !ok || big.String() != "-4722366482869645213695" {
		t.Errorf("Big() = %v, %v", big, ok)
	}
}

func TestDescribe(t *testing.T) {
	doc, err := Parse([]byte("a yes \"a\\nb\" 12 1.5 #true #null #-inf " + strings.Repeat("é", 61)))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`string "yes"`, `string "a\nb"`, "number 12", "number 1.5", "true", "null", "number -inf", `string "` + strings.Repeat("é", 60) + `…"`}
	for i, arg := range doc.Nodes[0].Args {
		if got := arg.Describe(); got != want[i] {
			t.Errorf("Describe() = %s, want %s", got, want[i])
		}
	}
	if !doc.Nodes[0].Args[4].True() || doc.Nodes[0].Args[0].True() || (Value{Kind: String, Text: "true"}).True() {
		t.Error("True() does not hold for exactly the boolean true")
	}
}

func TestNodeProp(t *testing.T) {
	doc, err := Parse([]byte("a k=1 l=2"))
	if err != nil {
		t.Fatal(err)
	}
	if prop, ok := doc.Nodes[0].Prop("l"); !ok || prop.Value.Text != "2" {
		t.Errorf("Prop(l) = %+v, %v", prop, ok)
	}
	if _, ok := doc.Nodes[0].Prop("m"); ok {
		t.Error("Prop(m) finds what is not there")
	}
}
