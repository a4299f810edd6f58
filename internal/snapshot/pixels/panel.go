package pixels

import (
	"image"
	"image/color"
	"image/draw"
)

// mostPanel bounds a panel, in pixels: 160 MB while it is drawn.
const mostPanel = 40 << 20

// gap lies between the three pictures of a panel, and around a part of a page
// that is shown alone.
const (
	gap    = 16
	margin = 60
)

var (
	paper  = color.RGBA{40, 44, 52, 255}
	marked = color.RGBA{230, 0, 60, 255}
	framed = color.RGBA{255, 0, 200, 255}
)

// Panel shows before, after and the difference side by side, with the regions
// framed. With around it shows the changed part alone. Cut is the number of
// rows at the bottom that did not fit.
func (d *Difference) Panel(before, after *image.RGBA, around bool) (panel *image.RGBA, cut int) {
	return d.panel(before, after, around, mostPanel)
}

func (d *Difference) panel(before, after *image.RGBA, around bool, room int) (panel *image.RGBA, cut int) {
	area := image.Rect(0, 0, max(d.Before.X, d.After.X), max(d.Before.Y, d.After.Y))
	whole := (3*area.Dx() + 2*gap) * area.Dy()
	if around || whole > room {
		if part := d.changed(); !part.Empty() {
			area = part.Inset(-margin).Intersect(area)
		}
	}
	if most := room / (3*area.Dx() + 2*gap); area.Dy() > most {
		cut = area.Dy() - most
		area.Max.Y -= cut
	}
	w, h := area.Dx(), area.Dy()
	panel = image.NewRGBA(image.Rect(0, 0, 3*w+2*gap, h))
	draw.Draw(panel, panel.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	at := func(n int) image.Rectangle { return image.Rect(n*(w+gap), 0, n*(w+gap)+w, h) }
	put := func(n int, img *image.RGBA) {
		r := img.Rect.Intersect(area)
		draw.Draw(panel, r.Sub(area.Min).Add(at(n).Min), img, r.Min, draw.Src)
	}
	put(0, before)
	put(1, after)
	d.drawMask(panel, at(2), after, area)
	for _, r := range d.Regions {
		for n := 1; n < 3; n++ {
			frame(panel, r.Box.Inset(-3).Intersect(area).Sub(area.Min).Add(at(n).Min), at(n))
		}
	}
	return panel, cut
}

// changed is what all regions lie in.
func (d *Difference) changed() image.Rectangle {
	var all image.Rectangle
	for _, r := range d.Regions {
		all = all.Union(r.Box)
	}
	return all
}

// drawMask draws the after picture pale, and what differs in red.
func (d *Difference) drawMask(panel *image.RGBA, at image.Rectangle, after *image.RGBA, area image.Rectangle) {
	r := after.Rect.Intersect(area)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := after.Pix[after.PixOffset(r.Min.X, y):]
		to := panel.Pix[panel.PixOffset(at.Min.X+r.Min.X-area.Min.X, at.Min.Y+y-area.Min.Y):]
		row := d.mask.Pix[d.mask.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			if row[x] != 0 {
				copy(to[4*x:], []uint8{marked.R, marked.G, marked.B, 255})
				continue
			}
			grey := uint8((299*int(from[4*x]) + 587*int(from[4*x+1]) + 114*int(from[4*x+2])) / 1000)
			pale := 255 - (255-grey)/4
			copy(to[4*x:], []uint8{pale, pale, pale, 255})
		}
	}
}

// frame draws the outline of a box, within a picture.
func frame(panel *image.RGBA, box, within image.Rectangle) {
	const thick = 2
	for _, side := range []image.Rectangle{
		{box.Min, image.Point{box.Max.X, box.Min.Y + thick}}, {image.Point{box.Min.X, box.Max.Y - thick}, box.Max},
		{box.Min, image.Point{box.Min.X + thick, box.Max.Y}}, {image.Point{box.Max.X - thick, box.Min.Y}, box.Max},
	} {
		draw.Draw(panel, side.Intersect(within), image.NewUniform(framed), image.Point{}, draw.Src)
	}
}

// Shrink scales a picture down until neither side is longer than most, by
// averaging.
func Shrink(img *image.RGBA, most int) *image.RGBA {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w <= most && h <= most {
		return img
	}
	scale := float64(max(w, h)) / float64(most)
	out := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(w)/scale)), max(1, int(float64(h)/scale))))
	for y := range out.Rect.Dy() {
		top, bottom := span(y, out.Rect.Dy(), h)
		for x := range out.Rect.Dx() {
			left, right := span(x, out.Rect.Dx(), w)
			var r, g, b, n int
			for sy := top; sy < bottom; sy++ {
				row := img.Pix[img.PixOffset(left, sy):]
				for i := range right - left {
					r, g, b, n = r+int(row[4*i]), g+int(row[4*i+1]), b+int(row[4*i+2]), n+1
				}
			}
			copy(out.Pix[out.PixOffset(x, y):], []uint8{uint8(r / n), uint8(g / n), uint8(b / n), 255})
		}
	}
	return out
}

// span is the part of a side of length from that falls on pixel i of to.
func span(i, to, from int) (int, int) {
	a, b := i*from/to, (i+1)*from/to
	return a, max(b, a+1)
}
