package sourcemap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParseStack(t *testing.T) {
	at := func(function, url string, line, column int) Frame {
		return Frame{Function: function, URL: url, URLLine: line, URLColumn: column}
	}
	with := func(f Frame, change func(*Frame)) Frame { change(&f); return f }
	async := func(f Frame) Frame { return with(f, func(f *Frame) { f.Async = true }) }
	eval := func(f Frame) Frame { return with(f, func(f *Frame) { f.Eval = true }) }
	native := func(name string) Frame { return Frame{Function: name, Native: true} }

	for line, want := range map[string]Frame{
		// V8
		"    at loadUsers (http://h:1/app.js:10:5)":                                                       at("loadUsers", "http://h:1/app.js", 10, 5),
		"at http://h:1/app.js:10:5":                                                                       at("", "http://h:1/app.js", 10, 5),
		"at async loadUsers (http://h/app.js:10:5)":                                                       async(at("loadUsers", "http://h/app.js", 10, 5)),
		"at async http://h/app.js:10:5":                                                                   async(at("", "http://h/app.js", 10, 5)),
		"at async Promise.all (index 3)":                                                                  async(native("Promise.all")),
		"at new Store (http://h/app.js:1:2)":                                                              with(at("Store", "http://h/app.js", 1, 2), func(f *Frame) { f.New = true }),
		"at Object.load [as default] (http://h/app.js:1:2)":                                               at("load", "http://h/app.js", 1, 2),
		"at UserStore.load (http://h/app.js:1:2)":                                                         at("UserStore.load", "http://h/app.js", 1, 2),
		"at HTMLButtonElement.onClick (http://h/app.js:1:2)":                                              at("onClick", "http://h/app.js", 1, 2),
		"at Store.<anonymous> (http://h/app.js:1:2)":                                                      at("Store", "http://h/app.js", 1, 2),
		"at Object.get users [as users] (http://h/app.js:1:2)":                                            at("get users", "http://h/app.js", 1, 2),
		"at (intermediate value).load (http://h/app.js:1:2)":                                              at("(intermediate value).load", "http://h/app.js", 1, 2),
		"at Array.map (<anonymous>)":                                                                      native("Array.map"),
		"at <anonymous>":                                                                                  native(""),
		"at foo (native)":                                                                                 native("foo"),
		"at eval (webpack-internal:///./src/x.js:10:5)":                                                   at("", "webpack-internal:///./src/x.js", 10, 5),
		"at load (webpack-internal:///(app-pages-browser)/./src/app/(shop)/page.tsx:10:5)":                at("load", "webpack-internal:///(app-pages-browser)/./src/app/(shop)/page.tsx", 10, 5),
		"at webpack-internal:///(app-pages-browser)/./src/page.tsx:10:5":                                  at("", "webpack-internal:///(app-pages-browser)/./src/page.tsx", 10, 5),
		"at eval (eval at run (http://h/app.js:7:3), <anonymous>:1:9)":                                    eval(at("", "http://h/app.js", 7, 3)),
		"at inner (eval at outer (eval at run (http://h/a(b).js:7:3), <anonymous>:2:2), <anonymous>:1:9)": eval(at("inner", "http://h/a(b).js", 7, 3)),
		"at load (http://h/src/App.tsx?t=1731679:48:9)":                                                   at("load", "http://h/src/App.tsx?t=1731679", 48, 9),
		"at load (http://h/@fs/home/dev/x.ts:4:9)":                                                        at("load", "http://h/@fs/home/dev/x.ts", 4, 9),
		"at load (file:///C:/app/x.js:4:9)":                                                               at("load", "file:///C:/app/x.js", 4, 9),
		"at ./src/main.ts (http://h/app.js:50:1)":                                                         at("", "http://h/app.js", 50, 1),
		"at _callee$ (http://h/app.js:50:1)":                                                              at("", "http://h/app.js", 50, 1),
		// SpiderMonkey
		"loadUsers@http://h/app.js:10:5":                                at("loadUsers", "http://h/app.js", 10, 5),
		"@http://h/app.js:10:5":                                         at("", "http://h/app.js", 10, 5),
		"async*loadUsers@http://h/app.js:10:5":                          async(at("loadUsers", "http://h/app.js", 10, 5)),
		"promise callback*loadUsers/<@http://h/app.js:10:5":             async(at("loadUsers", "http://h/app.js", 10, 5)),
		"setTimeout handler*@http://h/app.js:10:5":                      async(at("", "http://h/app.js", 10, 5)),
		"loadUsers/users<@http://h/node_modules/@scope/x.js:10:5":       at("loadUsers", "http://h/node_modules/@scope/x.js", 10, 5),
		"load@http://h/app.js line 7 > eval:1:9":                        eval(at("load", "http://h/app.js", 7, 0)),
		"anonymous@http://h/app.js line 7 > Function:1:9":               eval(at("", "http://h/app.js", 7, 0)),
		"load@webpack-internal:///(app-pages-browser)/./src/x.tsx:10:5": at("load", "webpack-internal:///(app-pages-browser)/./src/x.tsx", 10, 5),
		"load@http://h/old.js:10":                                       at("load", "http://h/old.js", 10, 0),
		// JavaScriptCore
		"global code@http://h/app.js:10:5":       at("", "http://h/app.js", 10, 5),
		"http://h/@fs/app.js:10:5":               at("", "http://h/@fs/app.js", 10, 5),
		"fetch@[native code]":                    native("fetch"),
		"async loadUsers@http://h/app.js:1:2":    async(at("loadUsers", "http://h/app.js", 1, 2)),
		"at load (http://h/app.js:9999999999:2)": at("load", "http://h/app.js", maxNumber, 2),
	} {
		got := ParseStack(line)
		if want == (Frame{}) {
			if len(got) != 0 {
				t.Errorf("%s: %+v, want no frame", line, got)
			}
			continue
		}
		if len(got) != 1 {
			t.Errorf("%s: %d frames", line, len(got))
			continue
		}
		if diff := cmp.Diff(want, got[0], cmpopts.IgnoreUnexported(Frame{}), cmpopts.IgnoreFields(Frame{}, "File", "Line", "Column")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", line, diff)
		}
	}
}

func TestParseStackPassesOverWords(t *testing.T) {
	frames := ParseStack("TypeError: cannot read properties of undefined (reading 'x')\n  mail me at bob@example.com\n\nat the end\n    at load (http://h/app.js:1:2)\r\nnot a frame\n\x1b[31m    at boot (http://h/app.js:3:4)")
	var got []string
	for _, f := range frames {
		if !f.Native {
			got = append(got, f.String())
		}
	}
	if diff := cmp.Diff([]string{"/app.js:1:2 in load"}, got[:1]); diff != "" {
		t.Error(diff)
	}
}

func TestParseStackIsBounded(t *testing.T) {
	if n := len(ParseStack(strings.Repeat("at f (http://h/a.js:1:1)\n", 5000))); n != maxFrames {
		t.Errorf("%d frames", n)
	}
	f := ParseStack("at " + strings.Repeat("f", 9000) + " (http://h/" + strings.Repeat("a", 1000) + ".js:1:1)")
	if len(f) != 1 || len([]rune(f[0].Function)) > maxFunction {
		t.Errorf("%+v", f)
	}
	if f := ParseStack("at x (http://h/" + strings.Repeat("a", maxURL) + ".js:1:1)"); len(f) != 1 || f[0].URL != "" {
		t.Errorf("a URL of any length is taken: %+v", f)
	}
}

func FuzzParseStack(f *testing.F) {
	f.Add("Error: x\n    at eval (eval at run (http://h/app.js:7:3), <anonymous>:1:9)\n    at async Promise.all (index 0)")
	f.Add("async*a/b<@http://h/x line 7 > eval:1:2\n[native code]")
	f.Add(strings.Repeat("at eval (eval at ", 50))
	f.Fuzz(func(t *testing.T, stack string) {
		for _, frame := range ParseStack(stack) {
			if frame.Line < 0 || frame.Column < 0 || strings.ContainsAny(frame.String(), "\n\x1b") {
				t.Errorf("%q gives %+v", stack, frame)
			}
		}
	})
}
