package keys

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text, goos       string
		key, code, typed string
		mods             Modifier
		command          string
	}{
		{"Enter", "linux", "Enter", "Enter", "\r", 0, ""},
		{"esc", "linux", "Escape", "Escape", "", 0, ""},
		{"a", "linux", "a", "KeyA", "a", 0, ""},
		{"A", "linux", "A", "KeyA", "A", 0, ""},
		{"Shift+a", "linux", "A", "KeyA", "A", Shift, ""},
		{"Shift+1", "linux", "!", "Digit1", "!", Shift, ""},
		{"?", "linux", "?", "Slash", "?", 0, ""},
		{"+", "linux", "+", "Equal", "+", 0, ""},
		{"Control++", "linux", "+", "Equal", "", Control, ""},
		{"Control+A", "linux", "a", "KeyA", "", Control, ""},
		{"ctrl+shift+P", "linux", "P", "KeyP", "", Control | Shift, ""},
		{"Mod+A", "linux", "a", "KeyA", "", Control, ""},
		{"Mod+A", "darwin", "a", "KeyA", "", Meta, "selectAll"},
		{"F12", "linux", "F12", "F12", "", 0, ""},
		{" ", "linux", " ", "Space", " ", 0, ""},
		{"é", "linux", "é", "", "é", 0, ""},
	} {
		list, err := parse(tt.goos, tt.text)
		if err != nil || len(list) != 1 {
			t.Errorf("%q: %v, %v", tt.text, list, err)
			continue
		}
		s := list[0]
		if s.Key.Key != tt.key || s.Code != tt.code || s.Text != tt.typed || s.Mods != tt.mods || s.Command != tt.command {
			t.Errorf("%q: %+v", tt.text, s)
		}
	}
	if list, err := parse("linux", "Tab Tab Control+Alt+Delete"); err != nil || len(list) != 3 || len(list[2].Held) != 2 {
		t.Errorf("several: %v, %v", list, err)
	}
	for _, wrong := range []string{"", "  ", "Entre", "F13", "F1x", "Hyper+A", "Control+", "ab", "A+B"} {
		if list, err := parse("linux", wrong); err == nil {
			t.Errorf("%q is %+v", wrong, list)
		}
	}
}
