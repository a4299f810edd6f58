package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	rustForm   = lazyre.New(`^(error|warning)(?:\[(E\d+)\])?: (.+)$`)
	rustPlace  = lazyre.New(`^\s+--> (\S.*?):(\d+):(\d+)$`)
	rustPanic  = lazyre.New(`^thread '([^']*)' (?:\(\d+\) )?panicked at (?:'(.*)', )?(\S+?):(\d+):(\d+):?$`)
	rustName   = lazyre.New(`^\s+\d+: (\S+)$`)
	rustAt     = lazyre.New(`^\s+at (\S+?):(\d+)(?::\d+)?$`)
	rubyForm   = lazyre.New("^(\\S.*?\\.rb):(\\d+):in [`'](.+?)': (.*) \\(([A-Z][\\w:]*)\\)$")
	rubySyntax = lazyre.New(`^(\S.*?\.rb):(\d+): ((?:--> |syntax error).*|.*\(SyntaxError\))$`)
	rubyFrom   = lazyre.New("^\\s+(?:\\d+: )?from (.+?):(\\d+):in [`'](.+)'$")
	phpForm    = lazyre.New(`^(?:\[[^\]]+\] )?(?:PHP )?(Fatal error|Parse error|Recoverable fatal error|Warning|Notice|Deprecated|Core error|Compile error): +(.+?)(?: in (\S+?)(?::(\d+)| on line (\d+)))?$`)
)

// openRust reads rustc and cargo. Without a place below it, it was somebody
// else's line.
func openRust(c *Context, text string) Reader {
	m := rustForm.FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(m[3], "could not compile") {
		return nil
	}
	return &rust{p: Problem{Tool: "rust", Kind: Build, Warning: m[1] == "warning", Code: m[2], Message: m[3]}, c: c, text: text}
}

type rust struct {
	p    Problem
	c    *Context
	text string
	n    int
}

func (r *rust) Next(text string) bool {
	r.n++
	if m := rustPlace.FindStringSubmatch(text); m != nil {
		if r.p.File == "" {
			r.p.at(place{m[1], number(m[2]), number(m[3])})
		}
		return true
	}
	return r.p.File != "" && text != "" && (indented(text) || codeForm.MatchString(text) || strings.HasPrefix(text, "..."))
}

func (r *rust) Problems() []Problem {
	if r.p.File != "" {
		return []Problem{r.p}
	}
	if other := openLog(r.c, r.text); other != nil {
		return other.Problems()
	}
	return nil
}

func openRustPanic(_ *Context, text string) Reader {
	m := rustPanic.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "rust", Kind: Crash}
	p.at(place{m[3], number(m[4]), number(m[5])})
	if m[2] != "" {
		p.Message = "panicked: " + m[2]
	}
	name := ""
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if p.Message == "" {
			p.Message = "panicked: " + text
			return true
		}
		if m := rustName.FindStringSubmatch(text); m != nil {
			name = m[1]
		}
		if m := rustAt.FindStringSubmatch(text); m != nil && p.Function == "" && strings.TrimPrefix(m[1], "./") == p.File && number(m[2]) == p.Line {
			p.Function = name[strings.LastIndex(name, "::")+1:]
			p.Function = strings.TrimPrefix(p.Function, ":")
		}
		return indented(text) || text == "stack backtrace:" || strings.HasPrefix(text, "note: ")
	}}
}

// openRuby reads an uncaught exception.
func openRuby(_ *Context, text string) Reader {
	if m := rubySyntax.FindStringSubmatch(text); m != nil {
		p := Problem{Tool: "ruby", Kind: Crash, Message: m[3]}
		p.at(place{file: m[1], line: number(m[2])})
		return &plain{p: p, more: func(_ *Problem, text string) bool { return indented(text) || strings.HasPrefix(text, ">") }}
	}
	m := rubyForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "ruby", Kind: Crash, Message: m[5] + ": " + m[4], Function: m[3]}
	p.at(place{file: m[1], line: number(m[2])})
	return &plain{p: p, more: func(p *Problem, text string) bool {
		from := rubyFrom.FindStringSubmatch(text)
		if from != nil && foreign(p.File) && !foreign(from[1]) {
			p.at(place{file: from[1], line: number(from[2])})
			p.Function = from[3]
		}
		if from != nil && from[1] == p.File && number(from[2]) == p.Line && rubyOperator.MatchString(p.Function) {
			p.Function = from[3] // an operator is called there, not written there
		}
		return from != nil || indented(text)
	}}
}

var rubyOperator = lazyre.New(`^(?:block in sum|sum|map|each|[^A-Za-z<]+|\w+#[^A-Za-z]+)$`)

// openPHP reads PHP's own reports, from the log and from the page.
func openPHP(_ *Context, text string) Reader {
	m := phpForm.FindStringSubmatch(text)
	if m == nil || m[3] == "" {
		return nil
	}
	p := Problem{Tool: "php", Kind: Crash, Message: m[2]}
	switch m[1] {
	case "Warning", "Notice", "Deprecated":
		p.Kind, p.Warning = Logged, true
	case "Parse error":
		p.Message = "Parse error: " + m[2]
	}
	p.Message = strings.TrimPrefix(p.Message, "Uncaught ")
	p.at(place{file: m[3], line: number(m[4] + m[5])})
	return &plain{p: p, more: func(_ *Problem, text string) bool {
		return text == "Stack trace:" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "  thrown in ")
	}}
}
