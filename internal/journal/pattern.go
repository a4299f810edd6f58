package journal

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// Pattern matches URLs. Its zero value matches every URL.
type Pattern struct {
	source string
	text   string // substring, lower case
	re     *regexp.Regexp
	parts  []string // with re: what every match contains, in this order and case
	glob   *glob
}

// ParsePattern reads a URL pattern: "/…/" between slashes with at least one
// metacharacter inside is a regular expression (a trailing i after the closing
// slash ignores case), text with * or ** is a glob that must cover the whole
// URL or its path, anything else is a substring in any case.
//
// A pattern such as "/api/" is a path a person means literally, which is why
// slashes alone do not make a regular expression.
func ParsePattern(s string) (Pattern, error) {
	p := Pattern{source: s}
	if body, fold, ok := regexpBody(s); ok {
		if fold {
			body = "(?i)" + body
		}
		re, err := regexp.Compile(body)
		if err != nil {
			return Pattern{}, fmt.Errorf("parse URL pattern %q: %w", s, err)
		}
		p.re = re
		if tree, err := syntax.Parse(body, syntax.Perl); err == nil {
			p.parts = required(tree)
		}
		return p, nil
	}
	if strings.Contains(s, "*") {
		p.glob = parseGlob(s)
		return p, nil
	}
	p.text = strings.ToLower(s)
	return p, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.source }

// Match says whether url fits.
func (p Pattern) Match(url string) bool {
	switch {
	case p.re != nil:
		return containsAll(url, p.parts) && p.re.MatchString(url)
	case p.glob != nil:
		return p.glob.match(url)
	}
	return p.text == "" || containsFold(url, p.text)
}

func regexpBody(s string) (body string, fold, ok bool) {
	rest, ok := strings.CutPrefix(s, "/")
	if !ok {
		return "", false, false
	}
	rest, fold = strings.CutSuffix(rest, "/i")
	if !fold {
		if rest, ok = strings.CutSuffix(rest, "/"); !ok {
			return "", false, false
		}
	}
	if !strings.ContainsAny(rest, `\^$+?()[]{}|`) && !strings.Contains(rest, ".*") {
		return "", false, false
	}
	return rest, fold, true
}

// glob is a compiled glob: * stays within one path segment, ** crosses them.
// One that starts with a slash is about the path, wherever the origin ends; a
// query after it need not be written. Matching is by hand because the regexp
// package takes three times a query's whole time budget on a full journal.
type glob struct {
	text   string // lower case
	first  string // before the first star
	last   string // after the last star
	single bool   // there is only one, and it is a *
	path   bool
	query  bool
}

func parseGlob(s string) *glob {
	g := &glob{text: strings.ToLower(s), path: strings.HasPrefix(s, "/"), query: strings.Contains(s, "?")}
	g.first = g.text[:strings.IndexByte(g.text, '*')]
	g.last = g.text[strings.LastIndexByte(g.text, '*')+1:]
	g.single = len(g.first)+1+len(g.last) == len(g.text)
	return g
}

func (g *glob) match(url string) bool {
	if g.path && !strings.HasPrefix(url, "/") {
		if _, rest, ok := strings.Cut(url, "://"); ok {
			slash := strings.IndexByte(rest, '/')
			if slash < 0 {
				return false
			}
			url = rest[slash:]
		}
	}
	if !g.query {
		url = withoutQuery(url)
	}
	middle := len(url) - len(g.first) - len(g.last)
	if middle < 0 || !hasPrefixFold(url, g.first) || !hasPrefixFold(url[len(url)-len(g.last):], g.last) {
		return false
	}
	if g.single {
		return !strings.ContainsAny(url[len(g.first):len(g.first)+middle], "/?#")
	}
	return matchGlob(g.text, url)
}

func withoutQuery(url string) string {
	for i := range len(url) {
		if url[i] == '?' || url[i] == '#' {
			return url[:i]
		}
	}
	return url
}

// matchGlob backtracks to the last * and the last ** only, so its time is at
// most the product of the two lengths.
func matchGlob(pat, s string) bool {
	p, i := 0, 0
	starP, starI := -1, 0 // after the last *, and where it ends in s
	deepP, deepI := -1, 0 // the same for **
	for i < len(s) || p < len(pat) {
		switch {
		case strings.HasPrefix(pat[p:], "**"):
			p += 2
			deepP, deepI = p, i
			starP = -1
		case p < len(pat) && pat[p] == '*':
			p++
			starP, starI = p, i
		case p < len(pat) && i < len(s) && lower(s[i]) == pat[p]:
			p++
			i++
		case starP >= 0 && starI < len(s) && s[starI] != '/' && s[starI] != '?' && s[starI] != '#':
			starI++
			p, i = starP, starI
		case deepP >= 0 && deepI < len(s):
			deepI++
			p, i = deepP, deepI
			starP = -1
		default:
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// required returns texts that every match of a regular expression contains one
// after the other: looking for them first spares most of the work.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpConcat:
		var all []string
		for _, sub := range re.Sub {
			all = append(all, required(sub)...)
		}
		return all
	}
	return nil
}

func containsAll(s string, parts []string) bool {
	for _, part := range parts {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}

// containsFold reports whether s contains text, which is in lower case, ignoring
// the case of ASCII letters in s. It allocates nothing.
func containsFold(s, text string) bool {
	for i := 0; i+len(text) <= len(s); i++ {
		if lower(s[i]) == text[0] && hasPrefixFold(s[i:], text) {
			return true
		}
	}
	return false
}

func hasPrefixFold(s, text string) bool {
	for i := range len(text) {
		if lower(s[i]) != text[i] {
			return false
		}
	}
	return true
}

// StatusRange is an inclusive range of HTTP status codes. {0, 0} is an exchange
// that got no response.
type StatusRange struct{ From, To int }

// Contains says whether code is in the range.
func (r StatusRange) Contains(code int) bool { return r.From <= code && code <= r.To }

// ParseStatus reads "404", "4xx", "400-499" or ">=400"; "0" is no response.
func ParseStatus(s string) (StatusRange, error) {
	t := strings.ToLower(strings.TrimSpace(s))
	bad := fmt.Errorf("parse status %q: want a code (404), a class (4xx), a range (400-499) or a bound (>=400)", s)
	if from, ok := strings.CutPrefix(t, ">="); ok {
		n, err := strconv.Atoi(strings.TrimSpace(from))
		if err != nil || n < 0 || n > 999 {
			return StatusRange{}, bad
		}
		return StatusRange{n, 999}, nil
	}
	if len(t) == 3 && t[1:] == "xx" && t[0] >= '1' && t[0] <= '5' {
		n := int(t[0]-'0') * 100
		return StatusRange{n, n + 99}, nil
	}
	from, to, isRange := strings.Cut(t, "-")
	if !isRange {
		to = from
	}
	a, errA := strconv.Atoi(strings.TrimSpace(from))
	b, errB := strconv.Atoi(strings.TrimSpace(to))
	if errA != nil || errB != nil || a < 0 || b > 999 || a > b {
		return StatusRange{}, bad
	}
	return StatusRange{a, b}, nil
}
