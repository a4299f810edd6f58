package csp

import (
	"slices"
	"strings"
)

// WantsIntegrity says whether one of a page's Integrity-Policy values, or of
// its report-only sibling's, minds scripts that do not say their own hash.
func WantsIntegrity(values ...string) bool {
	for _, v := range values {
		_, list, ok := strings.Cut(strings.ReplaceAll(v, " ", ","), "blocked-destinations=(")
		if !ok {
			continue
		}
		list, _, _ = strings.Cut(list, ")")
		if slices.Contains(strings.Split(list, ","), "script") {
			return true
		}
	}
	return false
}
