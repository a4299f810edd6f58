package journal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Pattern matches URLs. Its zero value matches every URL.
type Pattern struct {
	text   string         // substring, lower case; unused when re is set
	re     *regexp.Regexp // glob and /regexp/
	source string
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
		return p, nil
	}
	if strings.Contains(s, "*") {
		p.re = globRegexp(s)
		return p, nil
	}
	p.text = strings.ToLower(s)
	return p, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.source }

// Match says whether url fits.
func (p Pattern) Match(url string) bool {
	if p.re != nil {
		return p.re.MatchString(url)
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

// globRegexp translates a glob: * stays within one path segment, ** crosses
// them. A glob that starts with a slash is about the path, wherever the origin
// ends; a query after it need not be written.
func globRegexp(glob string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString("(?i)^")
	if strings.HasPrefix(glob, "/") {
		b.WriteString("(?:[a-z]+://[^/]*)?")
	}
	for i := 0; i < len(glob); i++ {
		switch {
		case strings.HasPrefix(glob[i:], "**"):
			b.WriteString(".*")
			i++
		case glob[i] == '*':
			b.WriteString("[^/?#]*")
		default:
			b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
		}
	}
	if !strings.Contains(glob, "?") {
		b.WriteString(`(?:[?#].*)?`)
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String())
}

// containsFold reports whether s contains lower, ignoring the case of ASCII
// letters in s. It allocates nothing.
func containsFold(s, lower string) bool {
	for i := 0; i+len(lower) <= len(s); i++ {
		if hasPrefixFold(s[i:], lower) {
			return true
		}
	}
	return false
}

func hasPrefixFold(s, lower string) bool {
	for i := range len(lower) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
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
