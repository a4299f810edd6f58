package grade

import "testing"

func TestLimits(t *testing.T) {
	for score, want := range map[int]string{
		0: "F needs attention", 59: "F needs attention", 60: "D moderate", 69: "D moderate", 70: "C moderate", 79: "C moderate",
		80: "B good", 89: "B good", 90: "A good", 100: "A good",
	} {
		if got := Of(score) + " " + Word(score); got != want {
			t.Errorf("%d: %s, want %s", score, got, want)
		}
	}
}
