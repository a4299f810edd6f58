package scan

import (
	"strings"

	"oriel/internal/incident/scan/formats"
)

// hints finds, in one pass over a line, which of all hints are in it. Nearly
// every line has none, so the pass looks at two bytes at a time and goes no
// further unless a hint begins with them.
type hints struct {
	begins [1 << 16 / 64]uint64 // a bit for every two bytes that begin a hint
	lists  map[uint16][]hint
}

type hint struct {
	text string
	set  int // 0: signals, 1: openers
	bit  uint64
}

func newHints() *hints {
	h := &hints{lists: map[uint16][]hint{}}
	add := func(text string, set, n int) {
		k := uint16(text[0])<<8 | uint16(text[1])
		h.begins[k/64] |= 1 << (k % 64)
		h.lists[k] = append(h.lists[k], hint{text, set, 1 << n})
	}
	for i, s := range signals {
		add(s.hint, 0, i)
	}
	for i, o := range formats.Families {
		add(o.Hint, 1, i)
	}
	if max(len(signals), len(formats.Families)) > 64 {
		panic("scan: more hints than bits")
	}
	return h
}

var known = newHints()

// find returns which signals and which openers have their hint in text.
func find(text string) (has [2]uint64) {
	for i := 1; i < len(text); i++ {
		k := uint16(text[i-1])<<8 | uint16(text[i])
		if known.begins[k/64]&(1<<(k%64)) == 0 {
			continue
		}
		for _, h := range known.lists[k] {
			if has[h.set]&h.bit == 0 && strings.HasPrefix(text[i-1:], h.text) {
				has[h.set] |= h.bit
			}
		}
	}
	return has
}
