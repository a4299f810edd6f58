package pixels

import (
	"hash/maphash"
	"image"
)

// Shift says that rows came in or went away, and all below them moved.
type Shift struct {
	From int // the row at which it begins
	By   int // pixels; above 0 down
}

const (
	enoughRows = 8   // that are like no other and moved alike
	manyRows   = 100 // when the page is as long as it was: less is an element that moved
	agreement  = 0.6 // of the rows below the shift that must be found again
)

var seed = maphash.MakeSeed()

// hashes of the rows of a picture.
func hashes(img *image.RGBA) []uint64 {
	rows := make([]uint64, img.Rect.Dy())
	for y := range rows {
		rows[y] = maphash.Bytes(seed, img.Pix[y*img.Stride:y*img.Stride+4*img.Rect.Dx()])
	}
	return rows
}

// places of the rows that are like no other in their picture.
func places(rows []uint64) map[uint64]int {
	at := make(map[uint64]int, len(rows))
	for y, h := range rows {
		if _, again := at[h]; again {
			at[h] = -1
			continue
		}
		at[h] = y
	}
	return at
}

// findShift finds out whether everything from some row on moved by one amount.
// Rows that are like no other vote; where it began follows from the votes.
func findShift(before, after *image.RGBA) *Shift {
	old, now := hashes(before), hashes(after)
	was, is := places(old), places(now)
	votes := map[int]int{}
	for h, y := range was {
		if to, ok := is[h]; ok && y >= 0 && to >= 0 {
			votes[to-y]++
		}
	}
	by, most := 0, 0
	for d, n := range votes {
		if d != 0 && (n > most || n == most && d > by) {
			by, most = d, n
		}
	}
	if most < enoughRows || most < manyRows && len(now)-len(old) != by {
		return nil
	}
	// It begins above the first row that moved, below the last that stayed.
	first, stayed := len(now), 0
	for h, y := range was {
		if to, ok := is[h]; ok && y >= 0 && to-y == by {
			first = min(first, y, to)
		}
	}
	for h, y := range was {
		if to, ok := is[h]; ok && y >= 0 && to == y && y < first {
			stayed = max(stayed, y+1)
		}
	}
	if !follows(after, old, now, first, by) {
		return nil
	}
	// Equal rows without a mark of their own, such as an empty margin, may
	// belong to either side: as much as possible is said to have stayed.
	for stayed < first && stayed < len(old) && stayed < len(now) && old[stayed] == now[stayed] {
		stayed++
	}
	return &Shift{From: stayed, By: by}
}

// follows says that most rows with something on them, from the first that moved
// on, are those that were there before: a column that moved beside another
// takes no whole row with it.
func follows(after *image.RGBA, old, now []uint64, first, by int) bool {
	found, all := 0, 0
	for y := max(first, first+by); y < len(now); y++ {
		if plain(after.Pix[y*after.Stride : y*after.Stride+4*after.Rect.Dx()]) {
			continue
		}
		all++
		if was := y - by; was >= 0 && was < len(old) && old[was] == now[y] {
			found++
		}
	}
	return float64(found) >= agreement*float64(all)
}
