package csp

import "testing"

func TestWantsIntegrity(t *testing.T) {
	for v, want := range map[string]bool{
		"":                              false,
		"blocked-destinations=(script)": true,
		"blocked-destinations=(script), endpoints=(e)":              true,
		"sources=(inline),   blocked-destinations=( style script )": true,
		"blocked-destinations=(style)":                              false,
		"blocked-destinations=(), endpoints=(script)":               false,
		"endpoints=(script)":                                        false,
		"blocked-destinations=(scripts)":                            false,
		"blocked-destinations=(script":                              true, // a browser ignores it: an integrity harms nobody
	} {
		if got := WantsIntegrity(v); got != want {
			t.Errorf("%q: %v", v, got)
		}
	}
	if !WantsIntegrity("endpoints=(a)", "blocked-destinations=(script)") || WantsIntegrity() {
		t.Error("several values")
	}
}
