package formats

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"oriel/internal/lazyre"
)

// clip shortens to whole characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// cleanFile takes off what tools put around a path.
func cleanFile(f string) string {
	f = strings.TrimPrefix(strings.TrimSpace(f), "file://")
	f = strings.TrimPrefix(f, "webpack-internal:///")
	f = strings.TrimPrefix(f, "(rsc)/")
	f, _, _ = strings.Cut(f, "?")
	if len(f) > 3 && f[0] == '/' && f[2] == ':' { // /C:/…
		f = f[1:]
	}
	return clip(f, 300)
}

// foreign says whether a path of a stack is not the program's own: the
// language's own library, or a package.
func foreign(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	for _, part := range foreignParts {
		if strings.Contains(file, part) {
			return true
		}
	}
	return strings.HasPrefix(file, "node:") || strings.HasPrefix(file, "<") || strings.HasPrefix(file, "internal/") || file == ""
}

var foreignParts = []string{
	"/node_modules/", "node_modules/", "/site-packages/", "/dist-packages/", "/lib/python3", "/go/pkg/mod/", "/go/src/", "/libexec/src/", "_testmain.go",
	"/rustc/", "/.cargo/registry/", "/rustlib/src/", "/gems/", "/lib/ruby/", "/vendor/", "/.next/", "/.vite/", "importlib._bootstrap",
}

func indented(s string) bool { return s != "" && (s[0] == ' ' || s[0] == '\t') }

// codeForm is a line of source as tools quote it: a number and a bar, or the
// marks below it.
var codeForm = lazyre.New(`^\s*(?:>\s*)?(?:\d+\s*[|│┃]|[|│╵┃]|[\^~]+\s*$)`)

// placeForm is path:line:column alone.
var placeForm = lazyre.New(`^(\.{0,2}/?[^\s:()'"]+\.\w+|[A-Za-z]:[\\/][^:()'"]+|/[^:()'"]+\.\w+):(\d+):(\d+)$`)

func readPlace(s string) (place, bool) {
	m := placeForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return place{}, false
	}
	return place{m[1], number(m[2]), number(m[3])}, true
}

// plain is a report that is whole on its first lines; the rest, quoted source
// and hints, is passed over so that nobody takes it for reports of their own.
type plain struct {
	p    Problem
	more func(p *Problem, text string) bool // nil: no further line belongs to it
}

func (r *plain) Next(text string) bool { return r.more != nil && r.more(&r.p, text) }
func (r *plain) Problems() []Problem   { return []Problem{r.p} }
