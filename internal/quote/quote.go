// Package quote makes words that came from a page safe to repeat: bounded, free
// of control characters, and never able to begin a line of their own in an
// answer, where they could be taken for Oriel's words.
package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Cut marks where a text was shortened.
const Cut = "…"

// Text returns s on one line: line breaks and tabs become spaces, other control
// and invisible formatting characters are left out, broken UTF-8 becomes
// U+FFFD, and at most limit characters are kept, the last of them Cut when
// something was.
func Text(s string, limit int) string {
	return clean(s, limit, func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	})
}

// Lines is Text for words of several lines, such as a stack: line feeds and
// tabs stay. Whoever prints the result must indent or prefix each line; Block
// does.
func Lines(s string, limit int) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return clean(s, limit, func(r rune) rune {
		switch r {
		case '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return '\n'
		}
		return r
	})
}

// Quoted returns Text between double quotes, with quotes and backslashes inside
// escaped, so that a reader sees where the page's words end.
func Quoted(s string, limit int) string {
	s = Text(s, limit)
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		if r == '"' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String()
}

// Block returns Lines with prefix before each line.
func Block(s string, limit int, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimRight(Lines(s, limit), "\n"), "\n", "\n"+prefix)
}

func clean(s string, limit int, replace func(rune) rune) string {
	if plain(s, limit) {
		return s
	}
	var b strings.Builder
	b.Grow(min(len(s), 4*limit))
	count, end := 0, 0 // end: where to cut so that Cut still fits
	for _, r := range s {
		r = replace(r)
		if hidden(r) {
			continue
		}
		if count == limit {
			return b.String()[:end] + Cut
		}
		if count == limit-1 {
			end = b.Len()
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}

// plain says that nothing is to be done, which is nearly always.
func plain(s string, limit int) bool {
	if len(s) > limit {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// hidden says whether r could change how the text around it is shown or read:
// controls (terminal escapes), bidirectional overrides, zero-width characters
// and tags that only a model would see. Joiners stay: emoji and several scripts
// need them.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u200c' || r == '\u200d':
		return false
	case r >= 0xe0000 && r <= 0xe0fff:
		return true
	case r == utf8.RuneError:
		return false
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}
