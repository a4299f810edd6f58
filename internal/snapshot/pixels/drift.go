package pixels

import (
	"cmp"
	"hash/maphash"
	"image"
	"maps"
	"slices"
)

const (
	segment    = 48 // pixels of a row that are looked for elsewhere in their column
	enoughSeen = 12 // segments that went the same way
	mostDrifts = 3
)

// drift finds out how far parts of a page moved up or down, however far: one
// column beside another that stayed, which whole rows do not tell. Pieces of
// rows that are like no other in their column vote.
func drift(before, after *image.RGBA) []image.Point {
	votes := map[int]int{}
	for x := 0; x+segment <= min(before.Rect.Dx(), after.Rect.Dx()); x += segment {
		was, is := column(before, x), column(after, x)
		for h, y := range was {
			if to, ok := is[h]; ok && y >= 0 && to >= 0 && to != y {
				votes[to-y]++
			}
		}
	}
	var list []image.Point
	ways := slices.SortedFunc(maps.Keys(votes), func(a, b int) int { return cmp.Or(cmp.Compare(votes[b], votes[a]), cmp.Compare(a, b)) })
	for _, dy := range ways[:min(mostDrifts, len(ways))] {
		if votes[dy] >= enoughSeen {
			list = append(list, image.Point{0, dy})
		}
	}
	return list
}

// column hashes the pieces of rows from x on; those that occur again, and those
// of one colour, have no place.
func column(img *image.RGBA, x int) map[uint64]int {
	at := map[uint64]int{}
	for y := range img.Rect.Dy() {
		piece := img.Pix[img.PixOffset(x, y):][:4*segment]
		if plain(piece) {
			continue
		}
		h := maphash.Bytes(seed, piece)
		if _, again := at[h]; again {
			at[h] = -1
			continue
		}
		at[h] = y
	}
	return at
}

func plain(piece []uint8) bool {
	for i := 4; i < len(piece); i += 4 {
		if [4]uint8(piece[i:i+4]) != [4]uint8(piece[:4]) {
			return false
		}
	}
	return true
}

// together makes one region of those that moved the same way, when the whole
// area between them did.
func (d *Difference) together(list []Region, before, after *image.RGBA) []Region {
	for _, way := range d.drift {
		var one Region
		var rest []Region
		for _, r := range list {
			if r.Kind == Moved && r.Move == way {
				one.Box, one.Pixels = one.Box.Union(r.Box), one.Pixels+r.Pixels
				continue
			}
			rest = append(rest, r)
		}
		if len(list)-len(rest) < 2 {
			continue
		}
		one.Kind, one.Move = Moved, way
		if (candidate{one, way, d.offset(one.Box.Min.Y), before, after}).explains(1) {
			list = append(rest, one)
		}
	}
	return list
}
