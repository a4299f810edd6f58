package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	pyFrame  = lazyre.New(`^\s*File "(.+?)", line (\d+)(?:, in (.+))?$`)
	pyError  = lazyre.New(`^((?:[\w]+\.)*[A-Za-z_]\w*)(?:: (.*))?$`)
	flaskReq = lazyre.New(`ERROR in \w+: Exception on (\S+) \[(\w+)\]$`)
	djangoID = lazyre.New(`^Internal Server Error: (/\S*)$`)
)

// traceback reads a Python traceback, those it was caused by included.
type traceback struct {
	p       Problem
	frames  int
	closed  bool // the exception itself was read
	chained bool
	group   bool // it is one of several
	inner   bool // those are being read
}

func openTraceback(c *Context, text string) Reader {
	r := &traceback{p: Problem{Tool: "python", Kind: Logged}, group: strings.Contains(text, "Exception Group Traceback")}
	switch {
	case djangoID.MatchString(c.prev):
		r.p.Tool, r.p.Request = "django", djangoID.FindStringSubmatch(c.prev)[1]
	case flaskReq.MatchString(c.prev):
		m := flaskReq.FindStringSubmatch(c.prev)
		r.p.Tool, r.p.Request = "flask", m[2]+" "+m[1]
	case strings.Contains(c.prev, "Exception in ASGI"):
		r.p.Tool = "uvicorn"
	case strings.HasPrefix(text, "Traceback") || r.group:
		r.p.Kind = Crash
	}
	return r
}

// openPythonSyntax reads a file that could not be parsed: there is no traceback
// because nothing ran.
func openPythonSyntax(_ *Context, text string) Reader {
	m := pyFrame.FindStringSubmatch(text)
	if m == nil || m[3] != "" {
		return nil
	}
	r := &traceback{p: Problem{Tool: "python", Kind: Crash}}
	r.Next(text)
	return r
}

func (r *traceback) Next(text string) bool {
	text = ungroup(text)
	switch {
	case strings.HasSuffix(text, "Traceback (most recent call last):"):
		switch {
		case r.closed && r.group && !r.chained:
			r.inner, r.closed = true, false
			return true
		case r.closed && !r.chained:
			return false
		}
		r.again()
		return true
	case strings.HasPrefix(text, "The above exception was the direct cause") || strings.HasPrefix(text, "During handling of the above exception"):
		r.chained = true
		return true
	case text == "":
		return true
	case r.closed:
		return false
	}
	if m := pyFrame.FindStringSubmatch(text); m != nil {
		r.frames++
		if (!foreign(m[1]) || r.p.File == "" || m[3] == "") && (!r.inner || len(r.p.Causes) == 0) { // of the first
			r.p.at(place{file: m[1], line: number(m[2])})
			r.p.Function = m[3]
		}
		return true
	}
	if indented(text) {
		return true
	}
	if m := pyError.FindStringSubmatch(text); m != nil && r.frames > 0 {
		if r.closed = true; r.inner {
			r.p.Causes = append(r.p.Causes, clip(text, 200))
		} else {
			r.p.Message = text
		}
		return true
	}
	return r.frames > 0 && r.p.Message == ""
}

// again begins the next traceback of a chain; what was read is its cause.
func (r *traceback) again() {
	if !r.closed {
		return
	}
	cause := r.p.Message
	r.p.Causes = append([]string{clip(cause, 200)}, r.p.Causes...)
	r.p.Message, r.p.File, r.p.Line, r.p.Function = "", "", 0, ""
	r.frames, r.closed, r.chained = 0, false, false
}

// ungroup takes off the bars of an exception group.
func ungroup(text string) string {
	switch t := strings.TrimLeft(text, " "); {
	case strings.HasPrefix(t, "| "), strings.HasPrefix(t, "+ "):
		return t[2:]
	case strings.HasPrefix(t, "+-"):
		return ""
	}
	return text
}

func (r *traceback) Problems() []Problem {
	if r.frames == 0 || r.p.Message == "" {
		return nil
	}
	return []Problem{r.p}
}

// openRequest passes over the line by which Flask and Django say which request
// failed; the traceback below refers back to it.
func openRequest(_ *Context, text string) Reader {
	if flaskReq.MatchString(text) || djangoID.MatchString(text) {
		return &plain{}
	}
	return nil
}
