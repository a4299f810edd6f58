package kdl

import "strings"

// atNumber tells whether a number begins here: a digit, or a sign and a digit.
func (p *parser) atNumber() bool {
	r := p.peek()
	return isDigit(r) || isSign(r) && isDigit(p.peekAt(1))
}

// word consumes the longest run of word characters. In version 1 a slash is one
// of them, unless a comment begins with it.
func (p *parser) word() string {
	start := p.off
	for isWord(p.peek(), p.version) && !p.has("//") && !p.has("/*") && !p.has("/-") {
		p.next()
	}
	return p.text[start:p.off]
}

// number reads a number and returns it without its underscores.
func (p *parser) number() (Kind, string, *Error) {
	at := p.position()
	word := p.word()
	kind, problem := p.classify(word)
	if problem != "" {
		return 0, "", p.errorAt(at, "%s, got %q", problem, word)
	}
	return kind, strings.ReplaceAll(word, "_", ""), nil
}

// classify checks the form of a number, and says what is wrong with it if
// anything is.
func (p *parser) classify(word string) (kind Kind, problem string) {
	rest := strings.TrimLeft(word[:1], "+-") + word[1:]
	for _, radix := range []struct{ prefix, digits, name string }{
		{"0x", "0123456789abcdefABCDEF", "hexadecimal"},
		{"0o", "01234567", "octal"},
		{"0b", "01", "binary"},
	} {
		if digits, ok := strings.CutPrefix(rest, radix.prefix); ok {
			if digitsOnly(digits, radix.digits) != "" || digits == "" {
				return 0, "expected " + radix.name + " digits after " + radix.prefix
			}
			return Integer, ""
		}
	}
	const decimal = "0123456789"
	kind, rest = Integer, digitsOnly(rest, decimal)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		kind, rest = Decimal, digitsOnly(fraction, decimal)
		digits := fraction[:len(fraction)-len(rest)]
		if digits == "" || p.version == V1 && strings.Contains(digits, "_") {
			return 0, "expected digits after the decimal point"
		}
	}
	if exponent, ok := strings.CutPrefix(strings.Replace(rest, "E", "e", 1), "e"); ok {
		if exponent != "" && isSign(rune(exponent[0])) {
			exponent = exponent[1:]
		}
		kind, rest = Decimal, digitsOnly(exponent, decimal)
		if rest == exponent {
			return 0, "expected digits in the exponent"
		}
	}
	if rest != "" {
		return 0, "expected a number (a word cannot begin with a digit; put it in quotes)"
	}
	return kind, ""
}

// digitsOnly returns what follows the digits, and the underscores between and
// behind them, that s begins with; s itself if it does not begin with a digit.
func digitsOnly(s, digits string) string {
	if s == "" || !strings.Contains(digits, s[:1]) {
		return s
	}
	return strings.TrimLeft(s, digits+"_")
}
