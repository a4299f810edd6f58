package pixels

import "image"

// window is the side of the squares over which similarity is measured, and
// stride how far apart they lie.
const (
	window = 8
	stride = 8
)

// similarity is the mean structural similarity (SSIM, 8 by 8 windows, the
// customary constants) of the area that both pictures have, 0.8 of it from luma
// and 0.1 from each of the two colour differences, so that a change between
// two equally bright colours counts as well. Rows below a shift are compared
// with where they were.
func (d *Difference) similarity(before, after *image.RGBA) float64 {
	width, sum, n := min(d.Before.X, d.After.X), 0.0, 0
	for y := 0; y+window <= d.After.Y; y += stride {
		off := d.offset(y)
		if y-off < 0 || y-off+window > d.Before.Y {
			continue
		}
		for x := 0; x+window <= width; x += stride {
			sum += d.ssim(before, after, x, y-off, y)
			n++
		}
	}
	if n == 0 {
		return 1
	}
	return max(0, sum/float64(n))
}

// ssim of one window. One without a differing pixel is the same; most are.
func (d *Difference) ssim(before, after *image.RGBA, x, was, is int) float64 {
	if !d.marked(x, is) {
		return 1
	}
	var a, b [3]moments
	var cross [3]float64
	for dy := range window {
		p, q := before.Pix[before.PixOffset(x, was+dy):], after.Pix[after.PixOffset(x, is+dy):]
		for dx := range window {
			u, v := ycc(p[4*dx:]), ycc(q[4*dx:])
			for c := range 3 {
				a[c].add(u[c])
				b[c].add(v[c])
				cross[c] += u[c] * v[c]
			}
		}
	}
	weights := [3]float64{0.8, 0.1, 0.1}
	steady := [3]float64{0.01 * 255, 0.04 * 255, 0.04 * 255} // near zero, where colour differences mostly are
	total := 0.0
	for c := range 3 {
		total += weights[c] * index(a[c], b[c], cross[c], steady[c])
	}
	return total
}

func (d *Difference) marked(x, y int) bool {
	for dy := range window {
		for _, v := range d.mask.Pix[d.mask.PixOffset(x, y+dy):][:window] {
			if v != 0 {
				return true
			}
		}
	}
	return false
}

type moments struct{ sum, squares float64 }

func (m *moments) add(v float64) {
	m.sum += v
	m.squares += v * v
}

func index(a, b moments, cross, steady float64) float64 {
	const (
		n  = window * window
		c2 = 0.03 * 255 * 0.03 * 255
	)
	c1 := steady * steady
	ma, mb := a.sum/n, b.sum/n
	va, vb, cov := a.squares/n-ma*ma, b.squares/n-mb*mb, cross/n-ma*mb
	return (2*ma*mb + c1) * (2*cov + c2) / ((ma*ma + mb*mb + c1) * (va + vb + c2))
}

// ycc is luma, from 0 to 255, and the two colour differences of a pixel, around 0.
func ycc(p []uint8) [3]float64 {
	r, g, b := float64(p[0]), float64(p[1]), float64(p[2])
	y := 0.299*r + 0.587*g + 0.114*b
	return [3]float64{y, 0.564 * (b - y), 0.713 * (r - y)}
}
