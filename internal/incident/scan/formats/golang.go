package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	goBuildForm = lazyre.New(`^(?:vet: )?(\S+\.go):(\d+):(\d+): (.+)$`)
	goPanicForm = lazyre.New(`^(?:panic: |fatal error: |.*\bhttp: panic serving \S+: |.*\[Recovery\].* panic recovered:)(.*)$`)
	goFrameForm = lazyre.New(`^\s+(\S+\.(?:go|s)):(\d+)(?: \+0x[0-9a-f]+)?$`)
	goCallForm  = lazyre.New(`^\s*(?:created by )?([\w./*()\[\]~·-]+?)(?:\([^()]*\)| in goroutine \d+)?$`)
	goFailForm  = lazyre.New(`^\s*--- FAIL: (\S+) \(`)
	goTestLine  = lazyre.New(`^\s+(\S+\.go):(\d+): (.*)$`)
	goFailed    = lazyre.New(`^FAIL\s+(\S+)\s`)
)

// openGoBuild reads go build, vet and the linters that print like them. A
// column is required: the log package prints places without one.
func openGoBuild(_ *Context, text string) Reader {
	m := goBuildForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "go", Kind: Build, Message: m[4]}
	p.at(place{m[1], number(m[2]), number(m[3])})
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if !strings.HasPrefix(text, "\t") {
			return false
		}
		if len(p.Message) < 200 {
			p.Message += " " + strings.TrimSpace(text)
		}
		return true
	}}
}

// goStack reads a panic and the stack below it.
type goStack struct {
	p        Problem
	function string
	routines int
}

func openPanic(_ *Context, text string) Reader {
	m := goPanicForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	message, _, _ := strings.Cut(strings.TrimSpace(m[1]), " [recovered")
	if strings.HasPrefix(text, "fatal error: ") {
		message = "fatal error: " + message
	} else {
		message = "panic: " + message
	}
	return &goStack{p: Problem{Tool: "go", Kind: Crash, Message: message}}
}

func (r *goStack) Next(text string) bool {
	switch {
	case text == "":
		return r.routines < 2
	case strings.HasPrefix(text, "goroutine ") && strings.HasSuffix(text, "]:"):
		r.routines++
		return true
	case strings.HasPrefix(text, "[signal ") || strings.HasPrefix(text, "\tpanic: ") || strings.HasPrefix(text, "exit status "):
		return true
	case r.routines == 0:
		return false
	}
	if m := goFrameForm.FindStringSubmatch(text); m != nil {
		if r.p.File == "" && r.routines == 1 && !foreign(m[1]) {
			r.p.at(place{file: m[1], line: number(m[2])})
			r.p.Function = r.function
		}
		return true
	}
	if m := goCallForm.FindStringSubmatch(text); m != nil && strings.Contains(m[1], ".") || strings.HasPrefix(text, "panic(") {
		if m != nil {
			r.function = goName(m[1])
		}
		return true
	}
	return strings.HasPrefix(text, "...")
}

func (r *goStack) Problems() []Problem {
	if r.routines == 0 && strings.HasPrefix(r.p.Message, "panic: ") && r.p.File == "" && !strings.HasPrefix(r.p.Message, "panic: runtime error") {
		return nil // the word alone, without a stack
	}
	return []Problem{r.p}
}

// goName is a function without its package's path: main.(*Cart).Add → (*Cart).Add.
func goName(full string) string {
	name := full[strings.LastIndexByte(full, '/')+1:]
	if _, after, ok := strings.Cut(name, "."); ok {
		return after
	}
	return name
}

// race reads a report of the race detector.
type race struct {
	p        Problem
	function string
	done     bool
}

func openRace(_ *Context, text string) Reader {
	if !strings.HasPrefix(text, "WARNING: DATA RACE") {
		return nil
	}
	return &race{p: Problem{Tool: "go", Kind: Crash, Message: "DATA RACE"}}
}

func (r *race) Next(text string) bool {
	if r.done || strings.HasPrefix(text, "Found ") {
		return false
	}
	switch {
	case strings.HasPrefix(text, "====="):
		r.done = true
	case strings.HasPrefix(text, "Read at") || strings.HasPrefix(text, "Write at") || strings.HasPrefix(text, "Previous "):
		what, _, _ := strings.Cut(text, " at 0x")
		_, by, _ := strings.Cut(text, " by ")
		sep := ": "
		if strings.Contains(r.p.Message, ": ") {
			sep = ", "
		}
		r.p.Message += sep + strings.ToLower(what) + " by " + strings.TrimSuffix(routineForm.ReplaceAllString(by, "goroutine"), ":")
	case text == "" || indented(text) || strings.HasPrefix(text, "Goroutine "):
	default:
		return false
	}
	if m := goFrameForm.FindStringSubmatch(text); m != nil {
		if r.p.File == "" && !foreign(m[1]) {
			r.p.at(place{file: m[1], line: number(m[2])})
			r.p.Function = r.function
		}
	} else if strings.HasPrefix(text, "  ") {
		if m := goCallForm.FindStringSubmatch(text); m != nil {
			r.function = goName(m[1])
		}
	}
	return true
}

var routineForm = lazyre.New(`goroutine \d+`)

func (r *race) Problems() []Problem { return []Problem{r.p} }

// goTest reads failed tests up to the line that names their package.
type goTest struct {
	list  []Problem
	name  string
	stack *goStack
	ended bool
}

func openGoTest(_ *Context, text string) Reader {
	r := &goTest{}
	if !r.Next(text) {
		return nil
	}
	return r
}

func (r *goTest) Next(text string) bool {
	if r.ended {
		return false
	}
	if r.stack != nil {
		if r.stack.Next(text) {
			return true
		}
		r.list = append(r.list, r.stack.Problems()...)
		r.stack = nil
	}
	if m := goFailForm.FindStringSubmatch(text); m != nil {
		r.name = clip(m[1], 120)
		return true
	}
	if m := goTestLine.FindStringSubmatch(text); m != nil && r.name != "" {
		if m[1] == "testing.go" { // a race, which has a report of its own
			r.name = ""
			return true
		}
		p := Problem{Tool: "go test", Kind: Test, Message: r.name + ": " + m[3], Function: r.name}
		p.at(place{file: m[1], line: number(m[2])})
		r.list = append(r.list, p)
		return len(r.list) < 50
	}
	if n := len(r.list); n > 0 && strings.HasPrefix(text, "        ") && len(r.list[n-1].Message) < 200 {
		r.list[n-1].Message += " " + strings.TrimSpace(text)
		return true
	}
	if m := goFailed.FindStringSubmatch(text); m != nil {
		for i := range r.list {
			r.list[i].Package = m[1]
		}
		r.ended = true
		return true
	}
	if p, ok := openPanic(nil, text).(*goStack); ok && p != nil {
		r.stack = p
		return true
	}
	return indented(text) || text == "" || text == "FAIL" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- ")
}

func (r *goTest) Problems() []Problem {
	if r.stack != nil {
		r.list = append(r.list, r.stack.Problems()...)
	}
	if len(r.list) == 0 && r.name != "" {
		return []Problem{{Tool: "go test", Kind: Test, Message: r.name + " failed"}}
	}
	return r.list
}
