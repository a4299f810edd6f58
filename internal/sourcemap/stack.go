// Package sourcemap leads from the place that a browser names, in what a
// bundler made, to the place that a developer wrote: it reads stacks, finds and
// decodes source maps, and picks the application's own frame among those of
// frameworks and wrappers.
//
// Stacks and maps come from the page and are not trusted: everything is bounded,
// nothing of it is run, files are only looked at inside the project's folder,
// and when anything is missing or broken the answer is the compiled place.
package sourcemap

import (
	"net/url"
	"strconv"
	"strings"

	"oriel/internal/lazyre"
	"oriel/internal/quote"
)

// Bounds of a stack.
const (
	maxStackBytes = 64 << 10
	maxFrames     = 100
	maxFunction   = 120
	maxURL        = 2048
	maxNumber     = 1 << 30
)

// Frame is one line of a stack. File, Line and Column are the best known place:
// the source when Mapped, else the compiled one. Lines and columns count from 1;
// 0 means not known.
type Frame struct {
	Function string
	// File is relative to the project's root, with slashes, when InProject;
	// otherwise the path as the map or the URL has it.
	File         string
	Line, Column int
	// Mapped says that File and Line are what a developer wrote.
	Mapped bool
	// InProject says that File exists beneath the project's root.
	InProject bool

	// URL, URLLine and URLColumn are the compiled place as the stack gives it.
	URL                string
	URLLine, URLColumn int
	// Async: reached through an await; New: a constructor; Eval: in text that
	// was evaluated, the place being that of the eval; Native: no place at all.
	Async, New, Eval, Native bool

	vendor bool // the map says that others wrote it
	read   bool // the source was there to be read
}

// String is the frame as an editor takes it: file:line in function. A compiled
// place carries its column, for it may be one long line.
func (f Frame) String() string {
	s := f.File
	if f.Line > 0 {
		s += ":" + strconv.Itoa(f.Line)
		if !f.Mapped && f.Column > 0 {
			s += ":" + strconv.Itoa(f.Column)
		}
	}
	if f.Function != "" {
		s += " in " + f.Function
	}
	return s
}

var (
	placeForm = lazyre.New(`^(.*?):(\d{1,10})(?::(\d{1,10}))?$`)
	// evalForm is Firefox's "url line 5 > eval:1:2"; the number is the eval's line.
	evalForm   = lazyre.New(`^(.*?) line (\d{1,10}) > .*$`)
	schemeForm = lazyre.New(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	asForm     = lazyre.New(` \[as [^\]]*\]$`)
)

// ParseStack reads a stack as V8, SpiderMonkey or JavaScriptCore words it, the
// innermost frame first. Lines that are no frames, such as the error's message,
// are left out.
func ParseStack(stack string) []Frame {
	if len(stack) > maxStackBytes {
		stack = stack[:maxStackBytes]
	}
	var frames []Frame
	for line := range strings.SplitSeq(quote.Lines(stack, maxStackBytes), "\n") {
		line = strings.TrimSpace(line)
		f, ok := parseV8(line)
		if !ok {
			f, ok = parseGecko(line)
		}
		if !ok {
			continue
		}
		f.Function = quote.Text(f.Function, maxFunction)
		f.File, f.Line, f.Column = compiledFile(f.URL), f.URLLine, f.URLColumn
		if frames = append(frames, f); len(frames) == maxFrames {
			break
		}
	}
	return frames
}

// parseV8 reads "at [async ][new ]name [as alias] (place)" and "at place".
func parseV8(line string) (Frame, bool) {
	rest, ok := strings.CutPrefix(line, "at ")
	if !ok {
		return Frame{}, false
	}
	var f Frame
	if r, ok := strings.CutPrefix(rest, "async "); ok {
		f.Async, rest = true, r
	}
	name, place := splitPlace(rest)
	if n, ok := strings.CutPrefix(name, "new "); ok {
		f.New, name = true, n
	}
	if f.Function = plainName(asForm.ReplaceAllString(name, "")); strings.Contains(f.Function, "/") {
		f.Function = "" // a module's name, given to the function around it
	}
	if strings.HasPrefix(place, "eval at ") {
		f.Eval = true
		place = evalOrigin(place)
	}
	if f.take(place) {
		return f, true
	}
	// "<anonymous>", "native", "index 0" of a Promise.all: a frame without a place.
	f.Native = true
	if name == "" {
		return f, place == "<anonymous>" || place == "native"
	}
	return f, true
}

// splitPlace cuts "name (place)" at the bracket that matches the last one, since
// both a name and a URL may have brackets of their own.
func splitPlace(s string) (name, place string) {
	if !strings.HasSuffix(s, ")") {
		return "", s
	}
	depth := 0
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 && s[i-1] == ' ' {
				return s[:i-1], s[i+1 : len(s)-1]
			}
		}
	}
	if name, place, ok := strings.Cut(s, " ("); ok {
		return name, strings.TrimSuffix(place, ")")
	}
	return "", s
}

// evalOrigin finds the innermost place in "eval at f (eval at g (url:1:2), <anonymous>:1:1)":
// the file whose code called eval.
func evalOrigin(place string) string {
	for range maxFrames {
		rest, ok := strings.CutPrefix(place, "eval at ")
		if !ok {
			return place
		}
		if i := strings.LastIndex(rest, "), "); i >= 0 {
			rest = rest[:i+1]
		}
		_, place = splitPlace(rest)
	}
	return place
}

// parseGecko reads "name@place" of SpiderMonkey and JavaScriptCore, and the bare
// place that the latter writes for a function without a name.
func parseGecko(line string) (Frame, bool) {
	var f Frame
	name, place := "", line
	if !strings.Contains(line, "@") || schemeForm.MatchString(line) {
		if !strings.Contains(line, "://") {
			return f, false
		}
	} else {
		name, place, _ = strings.Cut(line, "@")
	}
	// "async*name", "promise callback*name", "setTimeout handler*name"
	if before, after, ok := strings.Cut(name, "*"); ok {
		f.Async, name = before != "", after
	}
	if n, ok := strings.CutPrefix(name, "async "); ok {
		f.Async, name = true, n
	}
	switch name {
	case "global code", "module code", "eval code", "anonymous":
		name = ""
	}
	// "outer/inner<" is a function without a name inside outer.
	name, _, _ = strings.Cut(name, "/")
	f.Function = plainName(strings.TrimSuffix(name, "<"))
	if place == "[native code]" {
		f.Native = true
		return f, name != ""
	}
	if m := placeForm.FindStringSubmatch(place); m != nil {
		if e := evalForm.FindStringSubmatch(m[1]); e != nil {
			f.Eval = true
			place = e[1] + ":" + e[2]
		}
	}
	return f, f.take(place) && (strings.Contains(f.URL, ":") || strings.HasPrefix(f.URL, "/"))
}

// take reads url:line:column.
func (f *Frame) take(place string) bool {
	m := placeForm.FindStringSubmatch(place)
	if m == nil || m[1] == "" || m[1] == "<anonymous>" || len(m[1]) > maxURL {
		return false
	}
	f.URL = m[1]
	f.URLLine, f.URLColumn = number(m[2]), number(m[3])
	return true
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxNumber)
}

// plainName takes off what engines and compilers put around a function's name.
func plainName(name string) string {
	name = strings.TrimSuffix(name, ".<anonymous>")
	for _, receiver := range []string{"Object.", "Module.", "Window.", "window.", "Function.", "exports."} {
		name = strings.TrimPrefix(name, receiver)
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && strings.HasSuffix(name[:dot], "Element") {
		name = name[dot+1:] // HTMLButtonElement.onclick
	}
	switch name {
	case "<anonymous>", "anonymous", "eval", "_callee$", "_callee", "_loop", "__async", "step", "fulfilled", "rejected", "asyncGeneratorStep", "_next":
		return ""
	}
	return name
}

// compiledFile is how a compiled place is shown: the path of its URL.
func compiledFile(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || (u.Scheme != "http" && u.Scheme != "https") {
		return quote.Text(address, maxURL)
	}
	if u.Path == "" {
		return "/"
	}
	return quote.Text(u.Path, maxURL)
}
