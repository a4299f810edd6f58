package enclosing

import (
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

// body says what the brace about to open is the body of.
func (s *scanner) body() (function, class string) {
	last := len(s.tokens) - 1
	if last < 0 {
		return "", ""
	}
	if s.tokens[last].text == "=>" {
		return s.arrowName(last), ""
	}
	if class, ok := s.className(last); ok {
		return "", class
	}
	params := s.parameters(last)
	if params < 0 {
		return "", ""
	}
	return s.functionName(params), ""
}

// parameters is the index of the opening bracket of the parameter list that
// ends at or, with a return type between, before last; -1 when there is none.
func (s *scanner) parameters(last int) int {
	if s.tokens[last].text == ")" {
		return s.tokens[last].pair
	}
	for i, steps := last, 0; i > 0 && steps < 60; i, steps = i-1, steps+1 {
		switch t := s.tokens[i]; t.text {
		case ":":
			if i < last && s.tokens[i-1].text == ")" {
				return s.tokens[i-1].pair
			}
		case ")", "]", "}":
			if t.pair < 0 {
				return -1
			}
			i = t.pair
		case ";", "{", "(", "=", "=>", "?", "else", "do", "try", "finally":
			return -1
		}
	}
	return -1
}

var notFunctions = strings.Fields("if for while switch catch with return await typeof new super import yield in of do else case")

// functionName is the name before a parameter list that opens at token open.
func (s *scanner) functionName(open int) string {
	i := s.skipTypes(open - 1)
	if i < 0 {
		return ""
	}
	t := s.tokens[i].text
	switch {
	case t == "function" || t == "*":
		// function () {}: the name of what it is assigned to.
		for i >= 0 && (s.tokens[i].text == "function" || s.tokens[i].text == "*" || s.tokens[i].text == "async") {
			i--
		}
		return s.assigned(i)
	case !isName(t) || slices.Contains(notFunctions, t):
		return ""
	case s.before(i) == "function" || (s.before(i) == "*" && s.word(i-2) == "function"):
		return t
	}
	// A method: in a class or an object, where a statement may not stand; a
	// call cannot be followed by a brace.
	return strings.TrimPrefix(t, "#")
}

// skipTypes steps back over <T, U> before a parameter list.
func (s *scanner) skipTypes(i int) int {
	if i < 0 || s.tokens[i].text != ">" {
		return i
	}
	depth := 0
	for steps := 0; i >= 0 && steps < maxBack; i, steps = i-1, steps+1 {
		switch s.tokens[i].text {
		case ">":
			depth++
		case "<":
			if depth--; depth == 0 {
				return i - 1
			}
		case ")", "]", "}":
			if i = s.tokens[i].pair; i < 0 {
				return -1
			}
		case ";", "{":
			return -1
		}
	}
	return -1
}

// arrowName is the name that an arrow function, whose arrow is token at, is
// given: by const, property, field or assignment, also through wrappers such as
// useCallback(…) and memo(forwardRef(…)).
func (s *scanner) arrowName(at int) string {
	i := at - 1
	if i < 0 {
		return ""
	}
	switch {
	case s.tokens[i].text == ")":
		i = s.tokens[i].pair - 1
	case isName(s.tokens[i].text) && s.before(i) != ":":
		i--
	default:
		if i = s.parameters(i); i < 0 {
			return ""
		}
		i--
	}
	i = s.skipTypes(i)
	if i >= 0 && s.tokens[i].text == "async" {
		i--
	}
	return s.assigned(i)
}

var wrappers = lazyre.New(`^(?:useCallback|useMemo|useEvent|useEffectEvent|memo|forwardRef|observer|action|flow|debounce|throttle|once|cache|withRouter|connect|defineComponent|computed|createAsyncThunk|defineStore|asyncHandler|wrap[A-Z]?\w*|with[A-Z]\w*|styled|lazy)$`)

// assigned is the name on the left of "=" or ":" at token i.
func (s *scanner) assigned(i int) string {
	for range 4 {
		if i < 0 || s.tokens[i].text != "(" {
			break
		}
		// memo(, React.memo(, useCallback<T>(
		callee := s.skipTypes(i - 1)
		if callee < 0 || !wrappers.MatchString(s.tokens[callee].text) {
			return ""
		}
		i = callee - 1
		for i > 0 && s.tokens[i].text == "." {
			i -= 2
		}
	}
	if i < 1 {
		return ""
	}
	switch s.tokens[i].text {
	case ":":
		if n := s.tokens[i-1].text; isName(n) && s.before(i-1) != "?" {
			return n
		}
	case "=":
		return s.target(i - 1)
	case "default":
		return "default"
	}
	return ""
}

// target is the name that is assigned to: x, this.x, x: Type.
func (s *scanner) target(i int) string {
	for j, steps := i, 0; j > 0 && steps < 40; j, steps = j-1, steps+1 {
		switch t := s.tokens[j]; t.text {
		case ":":
			if isName(s.tokens[j-1].text) {
				return strings.TrimPrefix(s.tokens[j-1].text, "#")
			}
			return ""
		case ")", "]", "}":
			if t.pair < 0 {
				return ""
			}
			j = t.pair
		case "const", "let", "var", ";", "{", "(", ",", "=":
			steps = 40
		}
	}
	if i >= 0 && isName(s.tokens[i].text) {
		return strings.TrimPrefix(s.tokens[i].text, "#")
	}
	return ""
}

// className finds "class X extends Y<Z> implements A, B" before a brace.
func (s *scanner) className(last int) (string, bool) {
	for i := last; i >= 0 && last-i < 40; i-- {
		switch t := s.tokens[i]; t.text {
		case "class":
			if i == last || s.tokens[i+1].text == "extends" {
				return s.assigned(i - 1), true
			}
			return s.tokens[i+1].text, true
		case ")", "]", "}":
			if t.pair < 0 {
				return "", false
			}
			i = t.pair
		case ";", "{", "(", "=", "=>", ":":
			return "", false
		}
	}
	return "", false
}

// classOf is the class whose member the function at brackets[i] is.
func (s *scanner) classOf(i int) string {
	for i--; i > 0; i-- {
		if s.brackets[i].open != '>' {
			return s.brackets[i].class
		}
	}
	return ""
}

func (s *scanner) before(i int) string { return s.word(i - 1) }

func (s *scanner) word(i int) string {
	if i < 0 {
		return ""
	}
	return s.tokens[i].text
}
