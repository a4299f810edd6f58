package aim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

// Element is an element of a page in words, which are the page's own.
type Element struct {
	Role string `json:"role"` // or the name of the tag
	Name string `json:"name"`
	Hint string `json:"hint"` // a selector that finds it
}

// String names the element: button "Buy" (#buy). The page's words are quoted.
func (e Element) String() string {
	text := clean(e.Role)
	if e.Name != "" {
		text += " " + fmt.Sprintf("%q", e.Name)
	}
	if e.Hint != "" {
		text += " (" + clean(e.Hint) + ")"
	}
	return text
}

// clean keeps a selector or a role, which cannot be quoted, on its line.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}

// Near returns at most n elements, the most similar to the aim first. Those
// that are alike come once.
func (a Aim) Near(all []Element, n int) []Element {
	type ranked struct {
		Element
		score float64
	}
	want := a.words()
	var list []ranked
	seen := map[Element]bool{}
	for _, e := range all {
		key := Element{Role: e.Role, Name: e.Name}
		if key.Name == "" {
			key.Hint = e.Hint
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		score := max(likeness(want, e.Name), likeness(want, strings.Trim(e.Hint, `#[]"`)))
		if a.Kind == Role && e.Role == a.Role {
			score += 0.5
		}
		list = append(list, ranked{e, score})
	}
	slices.SortStableFunc(list, func(x, y ranked) int { return cmp.Compare(y.score, x.score) })
	out := make([]Element, 0, n)
	for _, r := range list[:min(n, len(list))] {
		out = append(out, r.Element)
	}
	return out
}

var identifiers = lazyre.New(`[\p{L}\p{N}_-]+`)

// words are what an aim is about.
func (a Aim) words() string {
	switch a.Kind {
	case Text:
		return a.Text
	case Role:
		return a.Name
	default:
		return strings.Join(identifiers.FindAllString(a.CSS, -1), " ")
	}
}

// Nearest returns at most n of the words, the most similar first.
func Nearest(word string, all []string, n int) []string {
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(x, y string) int { return cmp.Compare(likeness(word, y), likeness(word, x)) })
	return list[:min(n, len(list))]
}

// likeness compares two texts by the pairs of neighbouring letters they share,
// and, since a slip in a short word leaves no pair whole, a little by the
// letters: about 1 for the same, 0 for nothing in common. Unlike counting
// slips, it also finds a word within a sentence.
func likeness(a, b string) float64 {
	const letters = 0.3
	return (1-letters)*shared(parts(a, 2), parts(b, 2)) + letters*shared(parts(a, 1), parts(b, 1))
}

func shared(x, y []string) float64 {
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	count := map[string]int{}
	for _, p := range x {
		count[p]++
	}
	both := 0
	for _, p := range y {
		if count[p] > 0 {
			count[p]--
			both++
		}
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

func parts(s string, size int) []string {
	r := []rune(strings.ToLower(tidy(s)))
	const longest = 200
	r = r[:min(len(r), longest)]
	var list []string
	for i := range len(r) - size + 1 {
		list = append(list, string(r[i:i+size]))
	}
	return list
}
