package nearest

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	keys := []string{"run", "cwd", "env", "autostart", "restart", "ready-port", "ready-url", "ready-pattern", "depends-on"}
	tests := []struct {
		name, word string
		valid      []string
		want       string
	}{
		{"missing letter", "autstart", keys, "autostart"},
		{"extra letter", "runn", keys, "run"},
		{"swapped neighbours", "rnu", keys, "run"},
		{"swapped neighbours in a long word", "autosatrt", keys, "autostart"},
		{"wrong letter", "resturt", keys, "restart"},
		{"nearest of several", "redy-url", keys, "ready-url"},
		{"other case", "AutoStart", keys, "autostart"},
		{"camel case for a dash", "dependsOn", keys, "depends-on"},
		{"underscore for a dash", "ready_pattern", keys, "ready-pattern"},
		{"exact", "env", keys, "env"},
		{"abbreviation of one", "depends", keys, "depends-on"},
		{"abbreviation of several", "ready", keys, ""},
		{"extension of one", "target_url_string", []string{"port", "target"}, "target"},
		{"two letters are no abbreviation", "de", keys, ""},
		{"unrelated", "colour", keys, ""},
		{"unrelated of the same length", "xyz", keys, ""},
		{"single letters never match", "a", []string{"b", "c"}, ""},
		{"empty word", "", keys, ""},
		{"nothing valid", "run", nil, ""},
		{"first of equals", "bat", []string{"cat", "hat"}, "cat"},
		{"letters beyond ASCII count once", "fünf", []string{"funf"}, "funf"},
		{"absurdly long", strings.Repeat("x", 1<<20), keys, ""},
		{"not valid UTF-8", "\xff\xfe\xfd", keys, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := Of(test.word, test.valid); got != test.want {
				t.Errorf("Of(%.40q) = %q, want %q", test.word, got, test.want)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "", 3}, {"", "abc", 3},
		{"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "acbd", 1}, {"ca", "abc", 3},
	}
	for _, test := range tests {
		if got := distance([]rune(test.a), []rune(test.b), 10); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
