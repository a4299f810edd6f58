// Package keys reads the names of keys and chords, as "Enter" and
// "Control+Shift+P", and knows what a keyboard sends for them.
package keys

import (
	"fmt"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Modifier is a set of keys that are held, as CDP counts them.
type Modifier int64

// The keys that can be held.
const (
	Alt Modifier = 1 << iota
	Control
	Meta
	Shift
)

// Key is one key with what it sends.
type Key struct {
	Key  string // its meaning, such as "a", "A", "Enter"
	Code string // its place, such as "KeyA"
	VK   int64  // Windows' virtual key code
	Text string // what it types
}

// Stroke is a key with others held.
type Stroke struct {
	Held []Key
	Mods Modifier
	Key
	// Command is the editing that the keys mean where the system, and not the
	// browser, knows them.
	Command string
}

var named = map[string]Key{
	"enter": {"Enter", "Enter", 13, "\r"}, "tab": {"Tab", "Tab", 9, ""}, "escape": {"Escape", "Escape", 27, ""},
	"backspace": {"Backspace", "Backspace", 8, ""}, "delete": {"Delete", "Delete", 46, ""}, "insert": {"Insert", "Insert", 45, ""},
	"space": {" ", "Space", 32, " "}, "home": {"Home", "Home", 36, ""}, "end": {"End", "End", 35, ""},
	"pageup": {"PageUp", "PageUp", 33, ""}, "pagedown": {"PageDown", "PageDown", 34, ""},
	"arrowleft": {"ArrowLeft", "ArrowLeft", 37, ""}, "arrowup": {"ArrowUp", "ArrowUp", 38, ""},
	"arrowright": {"ArrowRight", "ArrowRight", 39, ""}, "arrowdown": {"ArrowDown", "ArrowDown", 40, ""},
	"contextmenu": {"ContextMenu", "ContextMenu", 93, ""}, "capslock": {"CapsLock", "CapsLock", 20, ""},
	"plus": {"+", "Equal", 187, "+"},
}

var aliases = map[string]string{
	"return": "enter", "esc": "escape", "del": "delete", "spacebar": "space", "left": "arrowleft", "right": "arrowright",
	"up": "arrowup", "down": "arrowdown", "pgup": "pageup", "pgdn": "pagedown", "ins": "insert",
}

var modifiers = map[string]struct {
	mod Modifier
	key Key
}{
	"control": {Control, Key{"Control", "ControlLeft", 17, ""}}, "shift": {Shift, Key{"Shift", "ShiftLeft", 16, ""}},
	"alt": {Alt, Key{"Alt", "AltLeft", 18, ""}}, "meta": {Meta, Key{"Meta", "MetaLeft", 91, ""}},
}

var held = map[string]string{
	"ctrl": "control", "option": "alt", "cmd": "meta", "command": "meta", "win": "meta", "super": "meta",
}

// punctuation is where the signs are on an American keyboard: the key's code,
// its virtual code, and the signs without and with Shift.
var punctuation = []struct {
	code         string
	vk           int64
	plain, shift rune
}{
	{"Backquote", 192, '`', '~'}, {"Minus", 189, '-', '_'}, {"Equal", 187, '=', '+'}, {"BracketLeft", 219, '[', '{'},
	{"BracketRight", 221, ']', '}'}, {"Backslash", 220, '\\', '|'}, {"Semicolon", 186, ';', ':'}, {"Quote", 222, '\'', '"'},
	{"Comma", 188, ',', '<'}, {"Period", 190, '.', '>'}, {"Slash", 191, '/', '?'}, {"Digit1", 49, '1', '!'}, {"Digit2", 50, '2', '@'},
	{"Digit3", 51, '3', '#'}, {"Digit4", 52, '4', '$'}, {"Digit5", 53, '5', '%'}, {"Digit6", 54, '6', '^'}, {"Digit7", 55, '7', '&'},
	{"Digit8", 56, '8', '*'}, {"Digit9", 57, '9', '('}, {"Digit0", 48, '0', ')'},
}

// Parse reads strokes, separated by spaces: "Control+A", "Tab Tab Enter", "?".
func Parse(text string) ([]Stroke, error) { return parse(runtime.GOOS, text) }

func parse(goos, text string) ([]Stroke, error) {
	if text == " " {
		text = "Space"
	}
	var list []Stroke
	for _, word := range strings.Fields(text) {
		s, err := stroke(goos, word)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf(`no key given: expected such as "Enter", "Control+A" or "Tab Tab Enter"`)
	}
	return list, nil
}

func stroke(goos, word string) (Stroke, error) {
	var s Stroke
	rest := word
	for {
		head, tail, more := strings.Cut(rest, "+")
		if !more || tail == "" || head == "" {
			break // also "+" itself, and "Control++"
		}
		name := strings.ToLower(head)
		if full, ok := held[name]; ok {
			name = full
		}
		if name == "controlormeta" || name == "mod" {
			name = "control"
			if goos == "darwin" {
				name = "meta"
			}
		}
		m, ok := modifiers[name]
		if !ok {
			return s, fmt.Errorf("%q: %q cannot be held (valid: Control, Shift, Alt, Meta)", word, head)
		}
		if s.Mods&m.mod == 0 {
			s.Mods |= m.mod
			s.Held = append(s.Held, m.key)
		}
		rest = tail
	}
	if s.Mods&(Control|Alt|Meta) != 0 && s.Mods&Shift == 0 && len(rest) == 1 {
		rest = strings.ToLower(rest) // Control+A is written so, but not with Shift
	}
	key, ok := lookup(rest, s.Mods&Shift != 0)
	if !ok {
		return s, fmt.Errorf("unknown key %q (valid: one character, Enter, Tab, Escape, Backspace, Delete, Space, Home, End, PageUp, PageDown, ArrowLeft/Right/Up/Down, F1 to F12, with Control+, Shift+, Alt+, Meta+ before it)", rest)
	}
	s.Key = key
	if s.Mods&(Control|Alt|Meta) != 0 {
		s.Text = "" // a shortcut types nothing
	}
	if goos == "darwin" && s.Mods&Meta != 0 {
		s.Command = map[string]string{"a": "selectAll", "c": "copy", "x": "cut", "v": "paste", "z": "undo"}[strings.ToLower(s.Key.Key)]
	}
	return s, nil
}

func lookup(name string, shift bool) (Key, bool) {
	lower := strings.ToLower(name)
	if full, ok := aliases[lower]; ok {
		lower = full
	}
	if k, ok := named[lower]; ok {
		return k, true
	}
	if m, ok := modifiers[lower]; ok {
		return m.key, true
	}
	var n int64
	if _, err := fmt.Sscanf(lower, "f%d", &n); err == nil && n >= 1 && n <= 12 && lower == fmt.Sprintf("f%d", n) {
		return Key{Key: fmt.Sprintf("F%d", n), Code: fmt.Sprintf("F%d", n), VK: 111 + n}, true
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) || r == utf8.RuneError || unicode.IsControl(r) {
		return Key{}, false
	}
	return character(r, shift), true
}

func character(r rune, shift bool) Key {
	if upper := unicode.ToUpper(r); upper >= 'A' && upper <= 'Z' {
		if shift {
			r = upper
		}
		return Key{string(r), "Key" + string(upper), int64(upper), string(r)}
	}
	for _, p := range punctuation {
		if r == p.plain && shift {
			r = p.shift
		}
		if r == p.plain || r == p.shift {
			return Key{string(r), p.code, p.vk, string(r)}
		}
	}
	return Key{Key: string(r), Text: string(r)}
}
