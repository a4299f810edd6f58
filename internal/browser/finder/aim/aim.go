// Package aim reads how a person or a model points at an element of a page,
// and finds the words for what is near when nothing is there.
package aim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind is a way of pointing.
type Kind int

// The ways of pointing.
const (
	CSS  Kind = iota // #buy, css=#buy
	Role             // role=button[name="Buy"]
	Text             // text=Add to cart
)

// Aim points at elements.
type Aim struct {
	Kind  Kind
	CSS   string
	Role  string
	Name  string // accessible name; empty: any
	Text  string
	Exact bool // the whole name or text, in this letter case: it was quoted
	Nth   int  // which of several, from 0
	Given bool // Nth was given
}

// Parse reads an aim. A CSS selector is not checked here: the page knows best.
func Parse(text string) (Aim, error) {
	a := Aim{}
	text = strings.TrimSpace(text)
	if head, nth, ok := cutLast(text, ">>"); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(nth), "nth="))
		if err != nil || n < 0 {
			return a, fmt.Errorf("%q: after >> expected nth=0, nth=1, …", text)
		}
		a.Nth, a.Given = n, true
		text = strings.TrimSpace(head)
	}
	switch prefix, rest, _ := strings.Cut(text, "="); strings.TrimSpace(prefix) {
	case "text":
		a.Kind = Text
		a.Text, a.Exact = unquote(rest)
		if a.Text == "" {
			return a, errors.New("text= needs words, such as text=Add to cart")
		}
	case "role":
		a.Kind = Role
		return a, a.role(strings.TrimSpace(rest))
	case "css":
		a.CSS = strings.TrimSpace(rest)
	default:
		a.CSS = text
	}
	if a.Kind == CSS && a.CSS == "" {
		return a, errors.New(`empty selector: expected CSS (#buy), role=button[name="Buy"] or text=Buy`)
	}
	return a, nil
}

func (a *Aim) role(text string) error {
	role, rest, named := strings.Cut(text, "[")
	a.Role = strings.ToLower(strings.TrimSpace(role))
	if a.Role == "" || strings.ContainsAny(a.Role, " \"'=") {
		return fmt.Errorf(`role=%s: expected role=button or role=button[name="Buy"]`, text)
	}
	if !named {
		return nil
	}
	key, value, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(rest), "]"), "=")
	if !ok || strings.TrimSpace(key) != "name" || !strings.HasSuffix(strings.TrimSpace(rest), "]") {
		return fmt.Errorf(`role=%s: expected role=%s[name="…"]`, text, a.Role)
	}
	a.Name, a.Exact = unquote(value)
	return nil
}

// unquote takes the quotes off, and says whether there were any.
func unquote(text string) (string, bool) {
	text = strings.TrimSpace(text)
	for _, q := range []string{`"`, `'`} {
		if len(text) >= 2 && strings.HasPrefix(text, q) && strings.HasSuffix(text, q) {
			return strings.ReplaceAll(text[1:len(text)-1], `\`+q, q), true
		}
	}
	return text, false
}

func cutLast(text, sep string) (string, string, bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// String writes the aim as Parse reads it.
func (a Aim) String() string {
	var text string
	switch {
	case a.Kind == Text && a.Exact:
		text = "text=" + strconv.Quote(a.Text)
	case a.Kind == Text:
		text = "text=" + a.Text
	case a.Kind == Role && a.Name != "":
		text = fmt.Sprintf("role=%s[name=%q]", a.Role, a.Name)
	case a.Kind == Role:
		text = "role=" + a.Role
	default:
		text = a.CSS
	}
	if a.Given {
		text += fmt.Sprintf(" >> nth=%d", a.Nth)
	}
	return text
}

// NameFits says whether an accessible name is the one aimed at: 2 for the very
// name, 1 for a part of it, 0 for another. A quoted name is meant whole, but
// not to the letter's case, since the case on the screen is often made by CSS.
func (a Aim) NameFits(name string) int {
	want, have := strings.ToLower(tidy(a.Name)), strings.ToLower(tidy(name))
	switch {
	case a.Name == "" || want == have:
		return 2
	case !a.Exact && strings.Contains(have, want):
		return 1
	}
	return 0
}

func tidy(text string) string { return strings.Join(strings.Fields(text), " ") }
