package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	tscForm    = lazyre.New(`^(.+?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$`)
	tscPretty  = lazyre.New(`^(?:\S+ )??(\S.*?):(\d+):(\d+) - (error|warning) (TS\d+): (.*)$`)
	tscNoPlace = lazyre.New(`^error (TS\d+): (.*)$`)
	babelForm  = lazyre.New(`^(?:Module build failed.*?: )?(?:\[.*?\] )?(\w*Error): (.+?\.\w+): (.+?) ?\((\d+):(\d+)\)$`)
	fileFirst  = lazyre.New(`^\[error\] (.+?\.\w+): (\w*Error: .+?) ?\((\d+):(\d+)\)$`)
	eslintForm = lazyre.New(`^\s+(\d+):(\d+)\s+(error|warning)\s+(.*\S)$`)
	eslintRule = lazyre.New(`^(.*?)\s{2,}(@?[\w-]+(?:/[\w@-]+)*)$`)
)

// openTSC reads TypeScript's compiler, with and without --pretty.
func openTSC(_ *Context, text string) Reader {
	m := tscForm.FindStringSubmatch(text)
	if m == nil {
		m = tscPretty.FindStringSubmatch(text)
	}
	if m == nil {
		if n := tscNoPlace.FindStringSubmatch(text); n != nil {
			return &plain{p: Problem{Tool: "tsc", Kind: Build, Checker: true, Code: n[1], Message: n[2]}, more: tscMore}
		}
		return nil
	}
	p := Problem{Tool: "tsc", Kind: Build, Checker: true, Code: m[5], Message: m[6], Warning: m[4] == "warning"}
	p.at(place{m[1], number(m[2]), number(m[3])})
	return &plain{p: p, more: tscMore}
}

var tscCode = lazyre.New(`^\d+ |^\s*~+$|^ +\S*\s*~+$`)

// tscMore passes over quoted source and related places. The first lines of an
// indented chain of reasons belong to the message.
func tscMore(_ *Problem, text string) bool {
	return text == "" || indented(text) || tscCode.MatchString(text)
}

// openBabel reads Babel's own words, which several bundlers repeat.
func openBabel(_ *Context, text string) Reader {
	if m := fileFirst.FindStringSubmatch(text); m != nil {
		p := Problem{Tool: "prettier", Kind: Build, Checker: true, Message: m[2]}
		p.at(place{m[1], number(m[3]), number(m[4])})
		return &plain{p: p}
	}
	m := babelForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "babel", Kind: Build, Message: m[1] + ": " + strings.TrimSpace(m[3])}
	p.at(place{m[2], number(m[4]), number(m[5])})
	return &plain{p: p, more: stackMore}
}

// stackMore passes over quoted source, a stack and an inspected object.
func stackMore(_ *Problem, text string) bool {
	return text == "" || text == "}" || indented(text) || codeForm.MatchString(text)
}

// eslint reads the problems below the name of a file.
type eslint struct {
	file string
	list []Problem
}

func openESLint(c *Context, text string) Reader {
	file := strings.TrimSpace(c.heading)
	if !eslintForm.MatchString(text) || strings.ContainsAny(file, ":()") && !strings.Contains(file, `:\`) || !strings.Contains(file, ".") {
		return nil
	}
	r := &eslint{file: file}
	r.Next(text)
	return r
}

func (r *eslint) Next(text string) bool {
	m := eslintForm.FindStringSubmatch(text)
	if m == nil || len(r.list) >= 50 {
		return false
	}
	p := Problem{Tool: "eslint", Kind: Build, Checker: true, Message: m[4], Warning: m[3] == "warning"}
	if rule := eslintRule.FindStringSubmatch(m[4]); rule != nil {
		p.Message, p.Code = rule[1], rule[2]
	}
	p.at(place{r.file, number(m[1]), number(m[2])})
	r.list = append(r.list, p)
	return true
}

func (r *eslint) Problems() []Problem { return r.list }

// openPlaced reads the form of svelte-check and of Next: the place on a line of
// its own, the message below.
func openPlaced(c *Context, text string) Reader {
	m := placedForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	bare := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(c.prev), "⨯ "), "[browser] ")
	at, ok := readPlace(bare)
	if !ok {
		return nil
	}
	p := Problem{Tool: "svelte", Kind: Build, Message: m[2], Warning: strings.HasPrefix(m[1], "Warn")}
	if bare != c.prev || strings.HasPrefix(bare, "./") {
		p.Tool = "next"
	}
	p.Checker = p.Tool == "svelte"
	p.Forwarded = strings.Contains(c.prev, "[browser] ")
	if c := svelteSource.FindStringSubmatch(p.Message); c != nil {
		p.Message, p.Code = c[1], c[2]
	}
	p.at(at)
	return &plain{p: p, more: codeMore}
}

var (
	placedForm   = lazyre.New(`^(?:[A-Z]\w*)?(Error|Warn|Warning): (.+)$`)
	svelteSource = lazyre.New(`^(.*) \((ts|js|svelte|css)\)$`)
)

// codeMore passes over quoted source, which ends with the blank line after it.
func codeMore(_ *Problem, text string) bool { return text != "" && !strings.HasPrefix(text, "===") }
