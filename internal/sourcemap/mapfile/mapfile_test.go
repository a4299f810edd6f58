package mapfile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	oracle "github.com/go-sourcemap/sourcemap"
	"github.com/google/go-cmp/cmp"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAgreesWithAnotherDecoder on every place of maps that a bundler made.
func TestAgreesWithAnotherDecoder(t *testing.T) {
	inline := fixture(t, "inline/app.js")
	data, err := DataURL(mapReference(inline))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2][]byte{
		"minified": {fixture(t, "minified/app.js"), fixture(t, "minified/app.js.map")},
		"inline":   {inline, data},
	} {
		ours, err := Decode(pair[1])
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := oracle.Parse("", pair[1])
		if err != nil {
			t.Fatal(err)
		}
		places := 0
		for i, text := range strings.Split(string(pair[0]), "\n") {
			for column := range len(text) {
				p, ok := ours.Find(i+1, column+1)
				if !ok {
					continue
				}
				places++
				source, word, line, col, ok := theirs.Source(i+1, column)
				// Before the first mapping of a line the other one takes the line before.
				if first, _ := ours.Find(i+1, 1); first == p && column == 0 {
					continue
				}
				got := fmt.Sprint(p.Source.Name, p.Line, p.Column-1, p.Name)
				if want := fmt.Sprint(source, line, col, word); ok && got != want && column > len(text)-len(strings.TrimLeft(text, " \t")) {
					t.Errorf("%s %d:%d: %s, want %s", name, i+1, column, got, want)
				}
			}
		}
		if places < 300 {
			t.Errorf("%s: only %d places are mapped", name, places)
		}
	}
}

func find(t *testing.T, m *Map, line, column int) string {
	t.Helper()
	p, ok := m.Find(line, column)
	if !ok {
		return "none"
	}
	return strings.TrimSpace(fmt.Sprintf("%s:%d:%d %s", p.Source.Name, p.Line, p.Column, p.Name))
}

func TestFind(t *testing.T) {
	plain := `{"version":3,"sources":["a.ts"],"names":["load"],"mappings":"AAAA,IAAIA,K;;EACE"}`
	indexed := `{"version":3,"sections":[
		{"offset":{"line":0,"column":0},"map":{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA;AACA"}},
		{"offset":{"line":1,"column":10},"map":{"version":3,"sources":["b.ts"],"names":[],"mappings":"AAAA;CACA"}},
		{"offset":{"line":4,"column":0},"map":{"version":3,"sources":[],"names":[],"mappings":""}},
		{"offset":{"line":5,"column":0},"map":null},
		{"offset":{"line":6,"column":0},"map":{"version":3,"sources":["c.ts"],"names":[],"mappings":"AAAA"}}]}`
	for name, tc := range map[string]struct {
		text         string
		line, column int
		want         string
	}{
		"first":                    {plain, 1, 1, "a.ts:1:1"},
		"within":                   {plain, 1, 4, "a.ts:1:1"},
		"named":                    {plain, 1, 5, "a.ts:1:5 load"},
		"generated":                {plain, 1, 20, "none"},
		"line without mappings":    {plain, 2, 1, "none"},
		"before the first":         {plain, 3, 1, "a.ts:2:7"},
		"behind the last line":     {plain, 4, 1, "none"},
		"line 0":                   {plain, 0, 1, "none"},
		"no column":                {plain, 1, 0, "a.ts:1:1"},
		"section a":                {indexed, 1, 5, "a.ts:1:1"},
		"section a, shared line":   {indexed, 2, 10, "a.ts:2:1"},
		"section b, shared line":   {indexed, 2, 11, "b.ts:1:1"},
		"section b, its next line": {indexed, 3, 2, "b.ts:2:1"},
		"empty section":            {indexed, 5, 1, "none"},
		"section c":                {indexed, 7, 1, "c.ts:1:1"},
		"guarded":                  {")]}'\n" + plain, 1, 1, "a.ts:1:1"},
		"guarded, same line":       {")]}'" + plain, 1, 1, "a.ts:1:1"},
		"byte order mark":          {"\ufeff" + plain, 1, 1, "a.ts:1:1"},
		"source root":              {`{"version":3,"sourceRoot":"/src/","sources":["a.ts"],"mappings":"AAAA"}`, 1, 1, "/src/a.ts:1:1"},
		"source root, not twice":   {`{"version":3,"sourceRoot":"/src","sources":["webpack:///a.ts"],"mappings":"AAAA"}`, 1, 1, "webpack:///a.ts:1:1"},
		"null among sources":       {`{"version":3,"sources":[null,"b.ts"],"names":[null],"mappings":"ACAAA"}`, 1, 1, "b.ts:1:1"},
		"source out of range":      {`{"version":3,"sources":["a.ts"],"mappings":"ACAA"}`, 1, 1, "none"},
		"negative source":          {`{"version":3,"sources":["a.ts"],"mappings":"ADAA"}`, 1, 1, "none"},
		"name out of range":        {`{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAAK"}`, 1, 1, "a.ts:1:1"},
		"unsorted":                 {`{"version":3,"sources":["a.ts"],"mappings":"UAAA,VACA"}`, 1, 1, "a.ts:2:1"},
	} {
		m, err := Decode([]byte(tc.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := find(t, m, tc.line, tc.column); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestVendorSources(t *testing.T) {
	for _, field := range []string{"ignoreList", "x_google_ignoreList"} {
		m, err := Decode([]byte(`{"version":3,"sources":["a.ts","lib.js"],"mappings":"AAAA,UCAA","` + field + `":[1,7]}`))
		if err != nil {
			t.Fatal(err)
		}
		if own, _ := m.Find(1, 1); own.Source.Vendor {
			t.Errorf("%s: the application's source is ignored", field)
		}
		if lib, _ := m.Find(1, 11); !lib.Source.Vendor {
			t.Errorf("%s: the library is not", field)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "page": "<!doctype html><title>404</title>", "version 2": `{"version":2,"mappings":""}`, "no version": `{}`, "array": `[]`, "guard alone": ")]}'",
		"character": `{"version":3,"mappings":"AA!A"}`, "unfinished": `{"version":3,"mappings":"AAAg"}`, "too long a number": `{"version":3,"mappings":"ggggggggggA"}`,
		"two fields": `{"version":3,"mappings":"AA"}`, "six fields": `{"version":3,"mappings":"AAAAAA"}`,
	} {
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s was decoded", name)
		}
	}
}

func TestMappingsAreBounded(t *testing.T) {
	for name, mappings := range map[string]string{"lines": strings.Repeat(";", 100), "segments": strings.Repeat("A,", 100) + "A"} {
		text := []byte(`{"version":3,"mappings":"` + mappings + `"}`)
		if _, err := decodeWithin(text, 99); !errors.Is(err, errTooMany) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := decodeWithin(text, 102); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMapReference(t *testing.T) {
	for name, tc := range map[string]struct{ script, want string }{
		"comment":            {"a()\n//# sourceMappingURL=app.js.map", "app.js.map"},
		"old comment":        {"a()\n//@ sourceMappingURL=app.js.map\n", "app.js.map"},
		"block comment":      {"a()\n/*# sourceMappingURL=app.css.map */\n", "app.css.map"},
		"tight block":        {"a()/*# sourceMappingURL=x.map*/", "x.map"},
		"behind code":        {"a() //# sourceMappingURL=x.map", "x.map"},
		"the last wins":      {"//# sourceMappingURL=a.map\nb()\n//# sourceMappingURL=b.map\n", "b.map"},
		"the last of two":    {"b()\n//# sourceMappingURL=a.map\n//# sourceMappingURL=b.map\n", "b.map"},
		"comments behind":    {"b()\n//# sourceMappingURL=a.map\n//# sourceURL=x.js\n/* end */\n", "a.map"},
		"code behind":        {"//# sourceMappingURL=a.map\nb()", ""},
		"in a string":        {`eval("a()\n//# sourceMappingURL=data:application/json;base64,AA\n//# sourceURL=x\n")`, ""},
		"in a string's name": {"const marker = '//# sourceMappingURL='", ""},
		"windows lines":      {"a()\r\n//# sourceMappingURL=a.map\r\n", "a.map"},
		"none":               {"a()", ""},
		"word alone":         {"// sourceMappingURL=a.map", ""},
	} {
		if got := mapReference([]byte(tc.script)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	header := http.Header{}
	header.Set("SourceMap", "/maps/a.map")
	header.Set("X-SourceMap", "old.map")
	got := References([]byte("//# sourceMappingURL=c.map"), header)
	if diff := cmp.Diff([]string{"/maps/a.map", "old.map", "c.map"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDataURL(t *testing.T) {
	text := `{"a":"ü?>"}`
	encoded := base64.StdEncoding.EncodeToString([]byte(text))
	for in, want := range map[string]string{
		"data:application/json;base64," + encoded:                         text,
		"data:application/json;charset=utf-8;base64," + encoded:           text,
		"data:application/json;base64," + strings.TrimRight(encoded, "="): text,
		"data:application/json,%7B%22a%22%3A1%7D":                         `{"a":1}`,
		"data:,{}": "{}",
	} {
		got, err := DataURL(in)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "http://h/", "data:application/json;base64", "data:application/json;base64,!!", "data:,%zz"} {
		if _, err := DataURL(in); err == nil {
			t.Errorf("%q was decoded", in)
		}
	}
}

func TestEvalModule(t *testing.T) {
	bundle := fixture(t, "webpack-eval/app.js")
	for name, want := range map[string]string{
		"webpack-internal:///./src/UserList.tsx": "UserList", "webpack-internal:///./src/api/http.ts": "request",
		"webpack-internal:///./src/UserList.ts": "", "webpack-internal:///./src/none.ts": "",
	} {
		ref, ok := EvalModule(bundle, name)
		if ok != (want != "") {
			t.Errorf("%s: found %v", name, ok)
			continue
		}
		if data, err := DataURL(ref); ok && (err != nil || !bytes.Contains(data, []byte(want))) {
			t.Errorf("%s: %v, the map does not speak of %s", name, err, want)
		}
	}
	next := []byte(`eval(__webpack_require__.ts("a()//# sourceURL=[module]\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,e30=\n//# sourceURL=webpack-internal:///(app-pages-browser)/./app/page.tsx\n"));`)
	if ref, ok := EvalModule(next, "webpack-internal:///(app-pages-browser)/./app/page.tsx"); !ok || ref != "data:application/json;charset=utf-8;base64,e30=" {
		t.Errorf("%q, %v", ref, ok)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(fixture(f, "minified/app.js.map"))
	f.Add([]byte(`{"version":3,"sections":[{"offset":{"line":1,"column":-10},"map":{"sources":["b.ts"],"mappings":"AAAA;CACA"}},{"map":null}]}`))
	f.Add([]byte(`{"version":3,"sources":[null],"names":[1],"mappings":"AAAA,DDDDD;;gggggD"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		for _, place := range [][2]int{{0, 0}, {1, 1}, {1, 1 << 30}, {2, 5}, {1 << 30, 1}, {-1, -1}} {
			if p, ok := m.Find(place[0], place[1]); ok && (p.Source == nil || p.Line < 1 || p.Column < 1) {
				t.Errorf("%v leads to %+v", place, p)
			}
		}
		_ = m.Size()
	})
}

func FuzzReference(f *testing.F) {
	f.Add([]byte("a()\n//# sourceMappingURL=a.map\n/*"), "webpack-internal:///./a.js")
	f.Add([]byte(`\n//# sourceMappingURL=data:;base64,AA\n//# sourceURL=x`), "x")
	f.Fuzz(func(t *testing.T, script []byte, name string) {
		for _, ref := range References(script, nil) {
			_, _ = DataURL(ref)
		}
		_, _ = EvalModule(script, name)
	})
}
