// Package nearest finds the valid name a mistyped one was probably meant to be,
// for messages of the form `unknown key "autstart" (did you mean "autostart"?)`.
package nearest

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxEdits bounds how far a suggestion may be from what was written, and
	// with it the work done for an absurdly long word.
	maxEdits = 4
	// minPrefix is the shortest shared beginning that counts as an abbreviation.
	minPrefix = 3
)

// Of returns the entry of valid that word was most likely meant to be, or ""
// when nothing is near enough to be worth suggesting. Letter case and the
// difference between "-" and "_" are ignored in the comparison; the entry is
// returned as it is spelled in valid. Of two equally near entries the first
// wins. When no entry is a few typing slips away, the single entry that word
// abbreviates, or extends, is taken; if there are several, none is.
func Of(word string, valid []string) string {
	folded := fold(word)
	best, bestEdits := "", maxEdits+1
	for _, candidate := range valid {
		other := fold(candidate)
		limit := editLimit(len(folded), len(other))
		if edits := distance(folded, other, limit); edits <= limit && edits < bestEdits {
			best, bestEdits = candidate, edits
		}
	}
	if bestEdits <= maxEdits {
		return best
	}
	return byPrefix(string(folded), valid)
}

// fold maps a name to the form in which names are compared. A word longer than
// any plausible name is cut: it can be near nothing, and must not cost much.
func fold(name string) []rune {
	const longest = 256
	if utf8.RuneCountInString(name) > longest {
		name = string([]rune(name)[:longest])
	}
	return []rune(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
}

// editLimit is the number of slips forgiven between names of these lengths:
// about one in three letters, none for single letters.
func editLimit(a, b int) int {
	return min((max(a, b)+1)/3, maxEdits)
}

// distance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b. It gives up with limit+1 when the lengths
// alone rule out anything within limit.
func distance(a, b []rune, limit int) int {
	if max(len(a), len(b))-min(len(a), len(b)) > limit {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func byPrefix(folded string, valid []string) string {
	found := ""
	for _, candidate := range valid {
		other := string(fold(candidate))
		shorter := min(utf8.RuneCountInString(folded), utf8.RuneCountInString(other))
		if shorter < minPrefix || !strings.HasPrefix(other, folded) && !strings.HasPrefix(folded, other) {
			continue
		}
		if found != "" {
			return ""
		}
		found = candidate
	}
	return found
}
