package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	webpackForm   = lazyre.New(`^(?:\[\S+\] )?(ERROR|WARNING) in (.+)$`)
	webpackPlace  = lazyre.New(`^(\S+?)(?: (\d+):(\d+)(?:-[\d:]+)?|:(\d+):(\d+)|\((\d+),(\d+)\))$`)
	inMessage     = lazyre.New(`\((\d+):(\d+)\)$`)
	tslForm       = lazyre.New(`^\[tsl\] ERROR in (.+)\((\d+),(\d+)\)$`)
	tslMessage    = lazyre.New(`^\s+(TS\d+): (.*)$`)
	webpackEnd    = lazyre.New(`^webpack .*compiled |^ERROR in |^WARNING in |^asset |^\d+ (?:errors?|warnings?) (?:have|has) detailed`)
	esbuildForm   = lazyre.New(`^(?:✘|X|▲|!) \[(ERROR|WARNING)\] (.+)$`)
	esbuildPlace  = lazyre.New(`^\s+(\S.*?):(\d+):(\d+):$`)
	esbuildCode   = lazyre.New(`^(.*) \[([a-z][\w-]+)\]$`)
	viteForm      = lazyre.New(`\[vite\] (?:\((\w+)\) )?(?:(?:Internal server error|Pre-transform error|Error when evaluating SSR module [^:]+): ?|\[console\.error\] |\[Unhandled (?:error|rejection)\] )(.*)$`)
	viteStack     = lazyre.New(`^ > (?:(.+) )?(\S+?):(\d+):(\d+)$`)
	viteFile      = lazyre.New(`^\s*File: (.+?)(?::(\d+):(\d+))?$`)
	rolldownPlace = lazyre.New(`^\s*(?:╭─|,-)\[ ?(.+?):(\d+):(\d+) ?\]`)
	rolldownHead  = lazyre.New(`^\[([A-Z][A-Z_]+)\] (?:Error: )?(.+)$`)
	swcHead       = lazyre.New(`^\s+[×x] (.+)$`)
	pluginForm    = lazyre.New(`^\[plugin ([^\]]+)\]\s*(.*)$`)
	leadPlace     = lazyre.New(`^(\S+\.\w+):(\d+):(\d+):? (.+)$`)
	failedWith    = lazyre.New(`^(?:Transform|Build) failed with \d+ errors?:$`)
)

// webpack reads ERROR in … and what stands below it.
type webpack struct {
	p     Problem
	lines int
}

func openWebpack(_ *Context, text string) Reader {
	m := webpackForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	r := &webpack{p: Problem{Tool: "webpack", Kind: Build, Warning: m[1] == "WARNING"}}
	if at := webpackPlace.FindStringSubmatch(m[2]); at != nil {
		r.p.at(place{at[1], number(at[2] + at[4] + at[6]), number(at[3] + at[5] + at[7])})
	} else if strings.ContainsAny(m[2], "/\\") && !strings.Contains(m[2], " ") {
		r.p.File = m[2]
	} else {
		return nil // a log line of somebody else
	}
	return r
}

func (r *webpack) Next(text string) bool {
	switch {
	case webpackEnd.MatchString(text):
		return false
	case r.p.Message != "":
		return text != ""
	case text == "":
		return r.lines == 0
	}
	r.lines++
	if m := tslForm.FindStringSubmatch(text); m != nil {
		r.p.at(place{m[1], number(m[2]), number(m[3])})
		return true
	}
	if m := tslMessage.FindStringSubmatch(text); m != nil {
		r.p.Tool, r.p.Code, r.p.Message = "tsc", m[1], m[2]
		return true
	}
	if m := babelForm.FindStringSubmatch(strings.TrimPrefix(text, "Module build failed (from ./node_modules/babel-loader/lib/index.js):")); m != nil {
		r.p.Tool, r.p.Message = "babel", m[1]+": "+m[3]
		r.p.at(place{m[2], number(m[4]), number(m[5])})
		return true
	}
	if strings.HasPrefix(text, "Module build failed") || strings.HasPrefix(text, "./") {
		return true // the message comes after it
	}
	r.p.Message = strings.Replace(text, "Module not found: Error: ", "Module not found: ", 1)
	if m := inMessage.FindStringSubmatch(text); m != nil && r.p.Line == 0 {
		r.p.Line, r.p.Column = number(m[1]), number(m[2])
	}
	return true
}

func (r *webpack) Problems() []Problem { return []Problem{r.p} }

// openEsbuild reads esbuild, also where other tools use it.
func openEsbuild(_ *Context, text string) Reader {
	m := esbuildForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "esbuild", Kind: Build, Message: m[2], Warning: m[1] == "WARNING"}
	if c := esbuildCode.FindStringSubmatch(p.Message); c != nil {
		p.Message, p.Code = c[1], c[2]
	}
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if m := esbuildPlace.FindStringSubmatch(text); m != nil && p.File == "" {
			p.at(place{m[1], number(m[2]), number(m[3])})
		}
		return text == "" || indented(text)
	}}
}

// vite reads a report of Vite's dev server: whose plugin, which file, and, from
// some plugins, a drawing of the place.
type vite struct {
	p Problem
}

func openVite(_ *Context, text string) Reader {
	m := viteForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	r := &vite{p: Problem{Tool: "vite", Kind: Build}}
	r.p.Forwarded = strings.Contains(text, "[console.error]") || strings.Contains(text, "[Unhandled ")
	if r.p.Forwarded || strings.Contains(text, "evaluating SSR") {
		r.p.Kind = Logged
	}
	if !failedWith.MatchString(m[2]) {
		r.message(m[2])
	}
	return r
}

func (r *vite) message(text string) {
	if m := leadPlace.FindStringSubmatch(text); m != nil {
		r.p.at(place{m[1], number(m[2]), number(m[3])})
		text = m[4]
	}
	if m := babelForm.FindStringSubmatch(text); m != nil {
		r.p.at(place{m[2], number(m[4]), number(m[5])})
		text = m[3]
	} else if m := babelForm.FindStringSubmatch("Error: " + text); m != nil {
		r.p.at(place{m[2], number(m[4]), number(m[5])})
		text = m[3]
	}
	r.p.Message = text
}

func (r *vite) Next(text string) bool {
	if text == "" {
		return true
	}
	if m := rolldownHead.FindStringSubmatch(text); m != nil {
		r.p.Code, r.p.Message = m[1], m[2]
		return true
	}
	if m := rolldownPlace.FindStringSubmatch(text); m != nil {
		r.p.at(place{m[1], number(m[2]), number(m[3])})
		return true
	}
	if m := viteFile.FindStringSubmatch(text); m != nil {
		if r.p.Line == 0 || m[2] != "" {
			r.p.at(place{m[1], number(m[2]), number(m[3])})
		}
		return true
	}
	if m := viteStack.FindStringSubmatch(text); m != nil {
		if r.p.File == "" && !foreign(m[2]) {
			r.p.at(place{m[2], number(m[3]), number(m[4])})
			r.p.Function = m[1]
		}
		return true
	}
	if f, ok := nodeFrame(text); ok {
		if r.p.File == "" && !foreign(f.file) {
			r.p.at(place{f.file, f.line, f.column})
			r.p.Function = f.function
		}
		return true
	}
	if r.p.Message == "" {
		r.message(strings.TrimSpace(text))
		return true
	}
	return indented(text) || codeForm.MatchString(text) || strings.HasPrefix(text, "───╯") || strings.HasPrefix(text, "https://")
}

func (r *vite) Problems() []Problem { return []Problem{r.p} }

// openRolldown reads a report of Rolldown; its message stood on the line before
// the drawing.
func openRolldown(c *Context, text string) Reader {
	at := rolldownPlace.FindStringSubmatch(text)
	if at == nil {
		return nil
	}
	p := Problem{Tool: "vite", Kind: Build}
	if head := rolldownHead.FindStringSubmatch(c.prev); head != nil {
		p.Code, p.Message = head[1], head[2]
	} else if head := swcHead.FindStringSubmatch(c.prev); head != nil {
		p.Tool, p.Message = "swc", head[1]
	} else {
		return nil
	}
	p.at(place{at[1], number(at[2]), number(at[3])})
	return &plain{p: p, more: func(_ *Problem, text string) bool {
		return text == "" || text == "}" || indented(text) || strings.HasPrefix(text, "───╯")
	}}
}

// openRolldownPlugin reads what a plugin found in a build.
func openRolldownPlugin(_ *Context, text string) Reader {
	m := pluginForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "vite", Kind: Build}
	if at, ok := readPlace(m[2]); ok {
		p.at(at)
	}
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if p.Message == "" {
			_, message, ok := strings.Cut(text, "Error: ")
			if !ok {
				return false
			}
			if m := leadPlace.FindStringSubmatch(message); m != nil {
				p.at(place{m[1], number(m[2]), number(m[3])})
				message = m[4]
			}
			p.Message = message
			return true
		}
		return stackMore(p, text) || strings.HasPrefix(text, "https://") || strings.HasSuffix(text, p.Message)
	}}
}

// openAnnounced passes over a line that says no more than that a report comes,
// as of what Vite found when it looked for dependencies.
func openAnnounced(*Context, string) Reader { return &plain{} }

var summaryForm = lazyre.New(`(?i)^\s*(?:✖ )?(?:found )?\d+ (?:problems?|errors?|warnings?)\b|\bfound \d+ errors?\b|\bcompiled with \d+|due to \d+ previous errors?|^\d+ warnings? and \d+ errors?$`)

// openSummary passes over the count of what was reported one by one.
func openSummary(_ *Context, text string) Reader {
	if summaryForm.MatchString(text) {
		return &plain{}
	}
	return nil
}
