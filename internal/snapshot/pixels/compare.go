// Package pixels compares two pictures of a page: which pixels differ, how much
// an eye would see of it, where, and what kind of change it is. It touches
// neither pages nor disks.
package pixels

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"github.com/orisano/pixelmatch"
)

// Tolerance is the distance of colours, from 0 to 1 on the YIQ scale, up to
// which two pixels are the same. One browser draws one page the same every
// time, so it only has to swallow rounding: a grey that is 6 of 255 lighter is
// already a difference. Smoothed edges are told apart by their neighbours and
// never count.
const Tolerance = 0.02

// Difference is what changed between two pictures.
type Difference struct {
	Before, After image.Point // sizes
	Pixels        int         // that differ, rows that only one picture has included
	Share         float64     // of all pixels of the larger picture, 0 to 1
	// Similarity is the mean structural similarity of luma and colour over the
	// area that both have: 1 for the same, near 0 for unrelated pictures.
	Similarity float64
	Shift      *Shift   // what moved as a whole
	Regions    []Region // the largest first

	mask  *image.Alpha  // differing pixels, placed as in the after picture
	drift []image.Point // moves of parts that were found

	ignored Ignored
}

// Region is a part of the after picture in which pixels differ.
type Region struct {
	Box    image.Rectangle
	Pixels int
	Kind   Kind
	Move   image.Point // Kind Moved: by how much
	// From and To are what most of the pixels that differ were and are; set
	// with Kind Recoloured.
	From, To color.RGBA
}

// Kind is what happened in a region.
type Kind string

// The kinds of change. Inserted and Removed are whole rows.
const (
	Changed    Kind = "changed"
	Moved      Kind = "moved"
	Recoloured Kind = "recoloured"
	Inserted   Kind = "inserted"
	Removed    Kind = "removed"
)

// Same says that no pixel differs and the sizes are equal.
func (d Difference) Same() bool { return d.Pixels == 0 && d.Before == d.After }

// Ignored are the boxes of each picture in which differences do not count. What
// is ignored in one is so in the other too, at the place that it moved to when
// a part of the page moved as a whole.
type Ignored struct{ Before, After []image.Rectangle }

// Compare compares. Both pictures must begin at 0,0.
func Compare(before, after *image.RGBA, ignored Ignored) (Difference, error) {
	d := Difference{Before: before.Rect.Max, After: after.Rect.Max, Similarity: 1, ignored: ignored}
	d.mask = image.NewAlpha(after.Rect)
	if d.Before == d.After && bytes.Equal(before.Pix, after.Pix) {
		return d, nil
	}
	if d.Before.X != d.After.X {
		// Another width is another layout: rows cannot be told to be the
		// same, so only the area that both have is looked at.
		if err := d.part(before, after, 0, 0, min(d.Before.Y, d.After.Y)); err != nil {
			return d, err
		}
	} else if err := d.aligned(before, after); err != nil {
		return d, err
	}
	d.outside()
	largest := max(d.Before.X, d.After.X) * max(d.Before.Y, d.After.Y)
	d.Share = min(1, float64(d.Pixels)/float64(max(1, largest)))
	if d.Pixels > 0 && d.Shift == nil {
		d.drift = drift(before, after)
	}
	for i := range d.Regions {
		d.classify(&d.Regions[i], before, after)
	}
	d.Regions = append(d.Regions, d.find(before, after)...)
	d.Regions = d.together(d.Regions, before, after)
	slices.SortStableFunc(d.Regions, func(a, b Region) int { return cmp.Compare(b.Pixels, a.Pixels) })
	d.Similarity = d.similarity(before, after)
	return d, nil
}

// aligned compares pictures of one width, of which a part may have moved up or
// down as a whole.
func (d *Difference) aligned(before, after *image.RGBA) error {
	s := findShift(before, after)
	if s == nil {
		return d.part(before, after, 0, 0, min(d.Before.Y, d.After.Y))
	}
	d.Shift = s
	width := d.After.X
	if s.By > 0 {
		d.Regions = append(d.Regions, Region{Box: image.Rect(0, s.From, width, s.From+s.By), Pixels: s.By * width, Kind: Inserted})
	} else {
		d.Regions = append(d.Regions, Region{Box: image.Rect(0, s.From, width, s.From+1), Pixels: -s.By * width, Kind: Removed})
	}
	d.Pixels += d.Regions[0].Pixels
	if err := d.part(before, after, 0, 0, s.From); err != nil {
		return err
	}
	top, under := s.From, s.From+s.By // before, after
	if s.By < 0 {
		top, under = s.From-s.By, s.From
	}
	return d.part(before, after, top, under, min(d.Before.Y-top, d.After.Y-under))
}

// part compares height rows, from top in before and under in after.
func (d *Difference) part(before, after *image.RGBA, top, under, height int) error {
	width := min(d.Before.X, d.After.X)
	if height <= 0 || width <= 0 {
		return nil
	}
	a, b := crop(before, image.Rect(0, top, width, top+height)), crop(after, image.Rect(0, under, width, under+height))
	var out image.Image
	// Differences are red, which none of the greys around them is. The
	// library's own mask carries marks over from row to row.
	_, err := pixelmatch.MatchPixel(a, b, pixelmatch.Threshold(Tolerance), pixelmatch.WriteTo(&out),
		pixelmatch.DiffColor(color.RGBA{255, 0, 0, 255}), pixelmatch.AntiAliasedColor(color.RGBA{255, 255, 0, 255}))
	if err != nil {
		return fmt.Errorf("compare pixels: %w", err)
	}
	if out == nil {
		return nil // it draws nothing when all is the same
	}
	marks, ok := out.(*image.RGBA)
	if !ok {
		return fmt.Errorf("compare pixels: the marks are a %T", out)
	}
	skip := d.skip(width, top, under, height)
	for y := range height {
		row := marks.Pix[y*marks.Stride : y*marks.Stride+4*width]
		into := d.mask.Pix[(under+y)*d.mask.Stride:]
		for x := range width {
			if row[4*x] == 255 && row[4*x+1] == 0 && (skip == nil || skip.Pix[y*skip.Stride+x] == 0) {
				into[x] = 255
				d.Pixels++
			}
		}
	}
	return nil
}

// skip marks what is ignored among the rows that part compares; nil: nothing.
func (d *Difference) skip(width, top, under, height int) *image.Alpha {
	if len(d.ignored.Before)+len(d.ignored.After) == 0 {
		return nil
	}
	marks := image.NewAlpha(image.Rect(0, 0, width, height))
	for _, b := range d.ignored.Before {
		draw.Draw(marks, b.Sub(image.Point{0, top}), image.Opaque, image.Point{}, draw.Src)
	}
	for _, b := range d.ignored.After {
		draw.Draw(marks, b.Sub(image.Point{0, under}), image.Opaque, image.Point{}, draw.Src)
	}
	return marks
}

// outside counts what only one of two pictures of different sizes has.
func (d *Difference) outside() {
	if d.Shift != nil {
		// The rows that came or went are counted; of the rest, what was cut
		// off at the bottom is not missing.
		return
	}
	common := image.Point{min(d.Before.X, d.After.X), min(d.Before.Y, d.After.Y)}
	d.Pixels += d.Before.X*d.Before.Y + d.After.X*d.After.Y - 2*common.X*common.Y
	if d.After.Y > common.Y {
		box := image.Rect(0, common.Y, d.After.X, d.After.Y)
		d.Regions = append(d.Regions, Region{Box: box, Pixels: box.Dx() * box.Dy(), Kind: Inserted})
	}
	if d.After.X > common.X {
		box := image.Rect(common.X, 0, d.After.X, common.Y)
		d.Regions = append(d.Regions, Region{Box: box, Pixels: box.Dx() * box.Dy(), Kind: Inserted})
	}
}

// crop copies, since the library reads a part of a picture wrongly.
func crop(img *image.RGBA, r image.Rectangle) *image.RGBA {
	if r == img.Rect {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, img, r.Min, draw.Src)
	return out
}

// Cover paints the boxes over with one colour, so that what is in them is the
// same everywhere.
func Cover(img *image.RGBA, boxes []image.Rectangle) {
	for _, b := range boxes {
		draw.Draw(img, b.Intersect(img.Rect), image.NewUniform(covered), image.Point{}, draw.Src)
	}
}

// covered is a colour that says that it is not the page's.
var covered = color.RGBA{255, 0, 255, 255}
