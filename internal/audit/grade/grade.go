// Package grade is the contract's words and letters for a score.
package grade

// Word is the summary's word for a score.
func Word(score int) string {
	switch {
	case score >= 80:
		return "good"
	case score >= 60:
		return "moderate"
	}
	return "needs attention"
}

// Of is the letter for a score.
func Of(score int) string {
	switch {
	case score >= 90:
		return "A"
	case score >= 80:
		return "B"
	case score >= 70:
		return "C"
	case score >= 60:
		return "D"
	}
	return "F"
}
