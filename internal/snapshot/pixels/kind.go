package pixels

import (
	"image"
	"image/color"
)

const (
	farthest = 12   // pixels that a move is looked for
	leftOver = 0.08 // of the differing pixels, that a move need not explain
	samples  = 20000
	uniform  = 0.8 // of the differing pixels, that one pair of colours must explain
)

// classify finds out whether a region moved or took another colour. Below a
// shift, its pixels in the before picture are elsewhere.
func (d *Difference) classify(r *Region, before, after *image.RGBA) {
	off := d.offset(r.Box.Min.Y)
	if r.Kind == Removed {
		return
	}
	if move, ok := d.moved(*r, off, before, after); ok {
		r.Kind, r.Move = Moved, move
		return
	}
	if r.Kind == Inserted {
		return
	}
	if from, to, ok := d.recoloured(*r, off, before, after); ok {
		r.Kind, r.From, r.To = Recoloured, from, to
	}
}

// offset is how far a row of the after picture is from where it was.
func (d *Difference) offset(y int) int {
	if d.Shift != nil && y >= d.Shift.From {
		return d.Shift.By
	}
	return 0
}

// moved looks for a move that explains the region: the nearest one wins.
func (d *Difference) moved(r Region, off int, before, after *image.RGBA) (image.Point, bool) {
	if r.Pixels < 8 || empty(after, r.Box) {
		return image.Point{}, false
	}
	// Most moves are refused after a look at some of the pixels.
	step := 1
	for r.Box.Dx()*r.Box.Dy()/(step*step) > samples {
		step++
	}
	best, found := image.Point{}, false
	try := func(p image.Point) {
		c := candidate{r, p, off, before, after}
		if c.explains(step) && (step == 1 || c.explains(1)) {
			best, found = p, true
		}
	}
	for _, way := range d.drift {
		if try(way); found {
			return best, true
		}
	}
	if r.Kind == Inserted {
		return best, false
	}
	for dy := -farthest; dy <= farthest; dy++ {
		for dx := -farthest; dx <= farthest; dx++ {
			p := image.Point{dx, dy}
			if p == (image.Point{}) || found && length(p) >= length(best) {
				continue
			}
			try(p)
		}
	}
	return best, found
}

// empty says that a box is of one colour: what was in it is gone, not moved.
func empty(img *image.RGBA, box image.Rectangle) bool {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		row := img.Pix[img.PixOffset(box.Min.X, y):][:4*box.Dx()]
		if !plain(row) || [4]uint8(row[:4]) != [4]uint8(img.Pix[img.PixOffset(box.Min.X, box.Min.Y):][:4]) {
			return false
		}
	}
	return true
}

func length(p image.Point) int { return p.X*p.X + p.Y*p.Y }

// candidate is a move that may explain a region.
type candidate struct {
	region        Region
	by            image.Point
	off           int
	before, after *image.RGBA
}

// explains says that all but a few pixels in the box, of which every step-th is
// looked at, are those that were there before.
func (c candidate) explains(step int) bool {
	box, wrong := c.region.Box, 0
	most := int(leftOver * float64(c.region.Pixels) / float64(step*step))
	for y := box.Min.Y; y < box.Max.Y; y += step {
		for x := box.Min.X; x < box.Max.X; x += step {
			was := image.Point{x - c.by.X, y - c.by.Y - c.off}
			if !was.In(c.before.Rect) || !near(c.before.RGBAAt(was.X, was.Y), c.after.RGBAAt(x, y)) {
				wrong++
			}
			if wrong > most {
				return false
			}
		}
	}
	return true
}

func near(a, b color.RGBA) bool {
	const most = 2 // rounding
	diff := func(x, y uint8) bool { return max(x, y)-min(x, y) <= most }
	return diff(a.R, b.R) && diff(a.G, b.G) && diff(a.B, b.B)
}

// recoloured says that nearly all differing pixels went from one colour to one
// other.
func (d *Difference) recoloured(r Region, off int, before, after *image.RGBA) (from, to color.RGBA, ok bool) {
	type pair struct{ from, to color.RGBA }
	count := map[pair]int{}
	const kinds = 4096
	var best pair
	step, all := 1, 0
	for r.Box.Dx()*r.Box.Dy()/(step*step) > 10*samples {
		step++
	}
	for y := r.Box.Min.Y; y < r.Box.Max.Y; y += step {
		for x := r.Box.Min.X; x < r.Box.Max.X; x += step {
			was := image.Point{x, y - off}
			if d.mask.AlphaAt(x, y).A == 0 || !was.In(before.Rect) {
				continue
			}
			all++
			p := pair{before.RGBAAt(was.X, was.Y), after.RGBAAt(x, y)}
			if _, known := count[p]; !known && len(count) >= kinds {
				continue
			}
			count[p]++
			if count[p] > count[best] {
				best = p
			}
		}
	}
	return best.from, best.to, all > 0 && float64(count[best]) >= uniform*float64(all)
}
