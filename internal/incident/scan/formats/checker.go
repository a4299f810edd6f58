package formats

import (
	"strings"

	"oriel/internal/lazyre"
)

var (
	checkerForm = lazyre.New(`^ ?(ERROR|WARNING)\((\w[\w-]*)\)\s+(?:(TS\d+): )?(.+)$`)
	checkerFile = lazyre.New(`^ ?FILE\s+(.+?):(\d+):(\d+)$`)
	checkerRule = lazyre.New(`^(.*?)\.? \((@?[\w-]+(?:/[\w@-]+)*)\)$`)
	biomeForm   = lazyre.New(`^(\S+?):(\d+):(\d+) ([a-z]\w*(?:/\w+)*) .*━{3,}$`)
	biomeSays   = lazyre.New(`^\s+([×✖!⚠]) (.+)$`)
	sassPlace   = lazyre.New(`^\s+(\S+\.(?:sass|scss|css)) (\d+):(\d+)  `)
	rollupPlace = lazyre.New(`^(\S+\.\w+) \((\d+):(\d+)\)$`)
)

// CheckerTool is the tool behind the name by which vite-plugin-checker calls it.
func CheckerTool(name string) string {
	switch name {
	case "TypeScript", "vue-tsc", "VLS":
		return "tsc"
	}
	return strings.ToLower(name)
}

// openChecker reads vite-plugin-checker: whose word it is, and the place on the
// line below.
func openChecker(_ *Context, text string) Reader {
	m := checkerForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: CheckerTool(m[2]), Kind: Build, Checker: true, Warning: m[1] == "WARNING", Code: m[3], Message: m[4]}
	if rule := checkerRule.FindStringSubmatch(m[4]); rule != nil && m[3] == "" {
		p.Message, p.Code = rule[1], rule[2]
	}
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if m := checkerFile.FindStringSubmatch(text); m != nil && p.File == "" {
			p.at(place{m[1], number(m[2]), number(m[3])})
			return true
		}
		return p.File != "" && !checkerForm.MatchString(text) && (text == "" || indented(text) || codeForm.MatchString(text))
	}}
}

// openBiome reads Biome: the place and the rule above a rule of dashes, the
// words below it.
func openBiome(_ *Context, text string) Reader {
	m := biomeForm.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	p := Problem{Tool: "biome", Kind: Build, Checker: true, Code: m[4][strings.LastIndexByte(m[4], '/')+1:]}
	p.at(place{m[1], number(m[2]), number(m[3])})
	return &plain{p: p, more: func(p *Problem, text string) bool {
		if m := biomeSays.FindStringSubmatch(text); m != nil && p.Message == "" {
			p.Message, p.Warning = m[2], m[1] == "!" || m[1] == "⚠"
		}
		return text == "" || indented(text)
	}}
}

// quotedPlace is the place that Sass and Rollup put below their message.
func quotedPlace(text string) (place, bool) {
	m := sassPlace.FindStringSubmatch(text)
	if m == nil {
		m = rollupPlace.FindStringSubmatch(text)
	}
	if m == nil {
		return place{}, false
	}
	return place{m[1], number(m[2]), number(m[3])}, true
}
