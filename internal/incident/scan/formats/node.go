package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	nodeHead   = lazyre.New(`^(.*?)\b(?:Uncaught )?([A-Z]\w*(?:Error|Exception)|Error|UnhandledPromiseRejection\w*)(?: \[(\w+)\])?: (.*)$`)
	nodeFrames = lazyre.New(`^\s+at (?:(?:async )?(.+?) \()?((?:file://|node:|[A-Za-z]:[\\/]|webpack-internal:///|/|\.{0,2}/?[\w@.-]+)[^()\s]*?):(\d+)(?::(\d+))?\)?(?: \{)?$`)
	nodeAt     = lazyre.New(`^\s+at (?:async |new )?\S+`)
	nodeCause  = lazyre.New(`^\s*\[(?:cause|errors)\]: (.+?)(?: \{)?$`)
	nodeOne    = lazyre.New(`^\s+((?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?: .+)$`)
	nodeCode   = lazyre.New(`^\s+code: '(\w+)'`)
	rejected   = lazyre.New(`reason "(.*)"\.`)
	importedBy = lazyre.New(`imported from (\S+?)$`)
	listing    = lazyre.New(`^\d+: `)                    // source as Rollup quotes it
	answered   = lazyre.New(`^ [A-Z]+ /\S* \d{3} in \d`) // Next's line about a request
	logPrefix  = lazyre.New(`^[\s⨯×✖!\[\]():.,\w/-]{0,80}$`)
)

type nodePlace struct {
	place
	function string
}

func nodeFrame(text string) (nodePlace, bool) {
	if !strings.Contains(text, "at ") {
		return nodePlace{}, false
	}
	m := nodeFrames.FindStringSubmatch(text)
	if m == nil {
		return nodePlace{}, false
	}
	fn := strings.TrimPrefix(m[1], "new ")
	if i := strings.Index(fn, " [as "); i > 0 {
		fn = fn[:i]
	}
	if strings.Contains(fn, "<anonymous>") {
		fn = ""
	}
	return nodePlace{place{m[2], number(m[3]), number(m[4])}, fn}, true
}

// nodeHeader is the place that node prints before an uncaught error.
func nodeHeader(text string) (place, bool) {
	if !strings.HasPrefix(text, "file://") && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "node:") && (len(text) < 3 || text[1] != ':') {
		return place{}, false
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 || strings.ContainsAny(text[:i], " ()") || number(text[i+1:]) == 0 {
		return place{}, false
	}
	return place{file: text[:i], line: number(text[i+1:])}, true
}

// node reads an error with its stack as JavaScript prints it.
type node struct {
	p      Problem
	header bool
	frames int
	cause  bool
}

func openNode(c *Context, text string) Reader {
	m := nodeHead.FindStringSubmatch(text)
	if m == nil || !logPrefix.MatchString(m[1]) {
		return nil
	}
	r := &node{p: Problem{Tool: "node", Kind: Logged, Message: m[2] + ": " + m[4], Code: m[3]}, header: c.left > 0}
	r.p.Forwarded = strings.Contains(m[1], "[browser]")
	if strings.HasSuffix(m[1], "[") { // one without a stack, inspected
		r.p.Message, _, _ = strings.Cut(r.p.Message, "]")
	}
	if strings.HasPrefix(strings.TrimSpace(m[1]), "⨯") {
		r.p.Tool = "next"
	}
	if strings.HasPrefix(m[2], "UnhandledPromiseRejection") {
		r.p.Kind, r.p.Message = Crash, m[2]
		if why := rejected.FindStringSubmatch(text); why != nil {
			r.p.Message += ": " + why[1]
		}
	}
	if r.header {
		r.p.Kind = Crash
		if !foreign(c.header.file) {
			r.p.at(c.header)
		}
		c.left = 0
	}
	return r
}

func (r *node) Next(text string) bool {
	if m := nodeCause.FindStringSubmatch(text); m != nil {
		r.cause, r.frames = true, r.frames+1
		if m[1] != "[" { // a list of them comes below
			r.p.Causes = append(r.p.Causes, clip(m[1], 200))
		}
		return true
	}
	if m := nodeOne.FindStringSubmatch(text); m != nil && r.cause {
		r.p.Causes = append(r.p.Causes, clip(m[1], 200))
		return true
	}
	if f, ok := nodeFrame(text); ok {
		r.frames++
		own := !foreign(f.file)
		samePlace := cleanFile(f.file) == cleanFile(r.p.File) && f.line == r.p.Line
		if own && (r.p.File == "" || !r.cause && samePlace && r.p.Column == 0) {
			r.p.at(f.place)
			r.p.Function = f.function
		}
		return true
	}
	if m := nodeCode.FindStringSubmatch(text); m != nil && r.p.Code == "" {
		r.p.Code = m[1]
		return true
	}
	if nodeAt.MatchString(text) {
		r.frames++
		return true
	}
	if at, ok := quotedPlace(text); ok && r.frames == 0 && r.p.File == "" {
		r.p.at(at)
		r.p.Kind, r.header = Build, true
		return true
	}
	if r.frames == 0 {
		// A message of several lines, until the stack or the next thing said.
		return text != "" && (codeForm.MatchString(text) || listing.MatchString(text) || indented(text))
	}
	return text == "}" || indented(text) && !answered.MatchString(text) || codeForm.MatchString(text) || listing.MatchString(text) || strings.HasPrefix(text, "Emitted 'error' event") || strings.HasPrefix(text, "Node.js v")
}

// problems: words with a capital E and a colon are an error only with a stack,
// or when node itself announced them.
func (r *node) Problems() []Problem {
	if r.frames == 0 && !r.header {
		if !strings.HasPrefix(r.p.Message, "Error: ") {
			return nil
		}
	}
	if m := importedBy.FindStringSubmatch(r.p.Message); m != nil && r.p.File == "" {
		r.p.File = m[1] // the line is not told
	}
	return []Problem{r.p}
}
