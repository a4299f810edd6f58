package pixels

import (
	"cmp"
	"image"
	"slices"
)

const (
	cell = 8 // pixels; marks in touching cells belong together
	// mostRegions bounds what is told apart; a page that changed everywhere
	// has no regions worth a name each.
	mostRegions = 40
)

// find groups the differing pixels: those in cells that touch are one region,
// and regions whose boxes overlap are one.
func (d *Difference) find(before, after *image.RGBA) []Region {
	list := clusters(d.mask)
	list = merge(list)
	slices.SortStableFunc(list, func(a, b Region) int {
		return cmp.Or(cmp.Compare(b.Pixels, a.Pixels), cmp.Compare(a.Box.Min.Y, b.Box.Min.Y), cmp.Compare(a.Box.Min.X, b.Box.Min.X))
	})
	if len(list) > mostRegions {
		rest := list[mostRegions-1]
		for _, r := range list[mostRegions:] {
			rest.Box, rest.Pixels = rest.Box.Union(r.Box), rest.Pixels+r.Pixels
		}
		list = append(list[:mostRegions-1], rest)
	}
	for i := range list {
		d.classify(&list[i], before, after)
	}
	return list
}

// clusters finds the connected groups of marked cells.
func clusters(mask *image.Alpha) []Region {
	w, h := (mask.Rect.Dx()+cell-1)/cell, (mask.Rect.Dy()+cell-1)/cell
	cells := make([]Region, w*h)
	for y := range mask.Rect.Dy() {
		row := mask.Pix[y*mask.Stride : y*mask.Stride+mask.Rect.Dx()]
		for x, v := range row {
			if v == 0 {
				continue
			}
			c := &cells[y/cell*w+x/cell]
			c.Pixels++
			c.Box = c.Box.Union(image.Rect(x, y, x+1, y+1))
		}
	}
	var list []Region
	var open []int
	for i := range cells {
		if cells[i].Pixels == 0 {
			continue
		}
		whole := Region{Kind: Changed}
		open = append(open[:0], i)
		for len(open) > 0 {
			at := open[len(open)-1]
			open = open[:len(open)-1]
			if cells[at].Pixels == 0 {
				continue
			}
			whole.Box, whole.Pixels = whole.Box.Union(cells[at].Box), whole.Pixels+cells[at].Pixels
			cells[at].Pixels = 0
			x, y := at%w, at/w
			for ny := max(0, y-1); ny <= min(h-1, y+1); ny++ {
				for nx := max(0, x-1); nx <= min(w-1, x+1); nx++ {
					open = append(open, ny*w+nx)
				}
			}
		}
		list = append(list, whole)
	}
	return list
}

// mostMerged bounds the pairs that are looked at.
const mostMerged = 2000

// merge joins regions whose boxes, grown by half a cell, overlap: the edges of
// a box that moved, or the letters of a word.
func merge(list []Region) []Region {
	if len(list) > mostMerged {
		return list
	}
	for again := true; again; {
		again = false
		for i := 0; i < len(list); i++ {
			for k := i + 1; k < len(list); k++ {
				if !list[i].Box.Inset(-cell / 2).Overlaps(list[k].Box) {
					continue
				}
				list[i].Box, list[i].Pixels = list[i].Box.Union(list[k].Box), list[i].Pixels+list[k].Pixels
				list = slices.Delete(list, k, k+1)
				k--
				again = true
			}
		}
	}
	return list
}

// Join makes one region of several, for those that turn out to be of one
// element, and finds out anew what happened in it.
func (d *Difference) Join(before, after *image.RGBA, parts []Region) Region {
	one := Region{Kind: Changed}
	for _, p := range parts {
		one.Box, one.Pixels = one.Box.Union(p.Box), one.Pixels+p.Pixels
	}
	if len(parts) == 1 {
		return parts[0]
	}
	d.classify(&one, before, after)
	return one
}
