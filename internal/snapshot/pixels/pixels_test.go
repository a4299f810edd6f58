package pixels

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"
)

var (
	white = color.RGBA{255, 255, 255, 255}
	grey  = color.RGBA{240, 240, 240, 255}
	blue  = color.RGBA{34, 102, 204, 255}
	pink  = color.RGBA{204, 34, 102, 255}
)

// canvas is a page of one colour.
func canvas(w, h int, c color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	fill(img, img.Rect, c)
	return img
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// text draws something as irregular as letters, the same for the same seed.
func text(img *image.RGBA, r image.Rectangle, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if random.IntN(3) == 0 {
				img.SetRGBA(x, y, color.RGBA{20, 20, 20, 255})
			}
		}
	}
}

func compare(t *testing.T, before, after *image.RGBA) Difference {
	t.Helper()
	d, err := Compare(before, after, Ignored{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCompare(t *testing.T) {
	box := image.Rect(40, 30, 140, 70)
	base := func(draw func(*image.RGBA)) *image.RGBA {
		img := canvas(300, 200, white)
		draw(img)
		return img
	}
	plain := func(img *image.RGBA) { fill(img, box, blue) }
	for name, tt := range map[string]struct {
		before, after func(*image.RGBA)
		kind          Kind
		move          image.Point
		regions       int
		same          bool
	}{
		"nothing":       {plain, plain, "", image.Point{}, 0, true},
		"rounding":      {plain, func(i *image.RGBA) { fill(i, box, color.RGBA{35, 101, 205, 255}) }, "", image.Point{}, 0, true},
		"one right":     {plain, func(i *image.RGBA) { fill(i, box.Add(image.Pt(1, 0)), blue) }, "", image.Point{}, 2, false},
		"text one down": {func(i *image.RGBA) { text(i, box, 1) }, func(i *image.RGBA) { text(i, box.Add(image.Pt(0, 1)), 1) }, Moved, image.Pt(0, 1), 1, false},
		"diagonal":      {func(i *image.RGBA) { text(i, box, 1) }, func(i *image.RGBA) { text(i, box.Add(image.Pt(-5, 3)), 1) }, Moved, image.Pt(-5, 3), 1, false},
		"recoloured":    {plain, func(i *image.RGBA) { fill(i, box, pink) }, Recoloured, image.Point{}, 1, false},
		"paler":         {func(i *image.RGBA) { fill(i, box, grey) }, func(i *image.RGBA) { fill(i, box, color.RGBA{232, 232, 232, 255}) }, Recoloured, image.Point{}, 1, false},
		"other text":    {func(i *image.RGBA) { text(i, box, 1) }, func(i *image.RGBA) { text(i, box, 2) }, Changed, image.Point{}, 1, false},
		"one pixel":     {plain, func(i *image.RGBA) { plain(i); i.SetRGBA(200, 150, blue) }, Recoloured, image.Point{}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := compare(t, base(tt.before), base(tt.after))
			if d.Same() != tt.same || len(d.Regions) != tt.regions {
				t.Fatalf("same %t, %d regions: %+v", d.Same(), len(d.Regions), d.Regions)
			}
			if tt.same && d.Similarity != 1 || !tt.same && (d.Similarity >= 1 || d.Share <= 0) {
				t.Errorf("similarity %g, share %g", d.Similarity, d.Share)
			}
			if tt.kind == "" {
				return
			}
			r := d.Regions[0]
			if r.Kind != tt.kind || r.Move != tt.move {
				t.Errorf("%s by %v, want %s by %v", r.Kind, r.Move, tt.kind, tt.move)
			}
		})
	}
}

// TestJoin: the two edges of a box that moved are, together, a move.
func TestJoin(t *testing.T) {
	before, after := canvas(300, 200, white), canvas(300, 200, white)
	fill(before, image.Rect(40, 30, 140, 70), blue)
	fill(after, image.Rect(41, 30, 141, 70), blue)
	d := compare(t, before, after)
	r := d.Join(before, after, d.Regions)
	if r.Kind != Moved || r.Move != image.Pt(1, 0) || r.Box != image.Rect(40, 30, 141, 70) {
		t.Errorf("%+v", r)
	}
}

// TestSmoothedEdges: a slope drawn a fraction of a pixel apart is the same
// slope; drawn two pixels apart it is not.
func TestSmoothedEdges(t *testing.T) {
	slope := func(at float64) *image.RGBA {
		img := canvas(200, 200, white)
		for y := range 200 {
			edge := at + float64(y)*0.37
			for x := range 200 {
				cover := min(1, max(0, edge-float64(x)))
				v := uint8(255 - 255*cover)
				img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
			}
		}
		return img
	}
	if d := compare(t, slope(40), slope(40.3)); d.Pixels > 5 {
		t.Errorf("%d pixels differ in a smoothed edge", d.Pixels)
	}
	if d := compare(t, slope(40), slope(42)); d.Pixels < 200 {
		t.Errorf("only %d pixels differ in an edge that moved", d.Pixels)
	}
}

func TestSizes(t *testing.T) {
	page := func(h int) *image.RGBA {
		img := canvas(200, h, white)
		for y := 0; y+10 <= h; y += 30 {
			text(img, image.Rect(10, y, 190, y+10), uint64(y))
		}
		return img
	}
	before := page(300)
	insert := func(at, by int) *image.RGBA {
		img := canvas(200, 300+by, white)
		draw.Draw(img, image.Rect(0, 0, 200, at), before, image.Point{}, draw.Src)
		fill(img, image.Rect(0, at, 200, at+by), color.RGBA{255, 215, 0, 255})
		draw.Draw(img, image.Rect(0, at+by, 200, 300+by), before, image.Pt(0, at), draw.Src)
		return img
	}
	down := compare(t, before, insert(125, 40))
	if down.Shift == nil || down.Shift.By != 40 || down.Shift.From != 125 || len(down.Regions) != 1 || down.Regions[0].Kind != Inserted || down.Regions[0].Box != image.Rect(0, 125, 200, 165) {
		t.Errorf("rows came in: %+v %+v", down.Shift, down.Regions)
	}
	if down.Pixels != 40*200 || down.Similarity != 1 {
		t.Errorf("%d pixels, similarity %g", down.Pixels, down.Similarity)
	}
	up := compare(t, insert(125, 40), before)
	if up.Shift == nil || up.Shift.By != -40 || up.Shift.From != 125 || len(up.Regions) != 1 || up.Regions[0].Kind != Removed {
		t.Errorf("rows went: %+v %+v", up.Shift, up.Regions)
	}
	// A shift and a change below it: both are told, the change where it is now.
	both := insert(125, 40)
	fill(both, image.Rect(50, 300, 80, 310), pink)
	if d := compare(t, before, both); d.Shift == nil || len(d.Regions) != 2 || !d.Regions[1].Box.In(image.Rect(50, 300, 80, 310)) {
		t.Errorf("both: %+v %+v", d.Shift, d.Regions)
	}
	// The same height: what moved down pushed the end out.
	tall, pushed := page(600), canvas(200, 600, white)
	draw.Draw(pushed, image.Rect(0, 0, 200, 125), tall, image.Point{}, draw.Src)
	draw.Draw(pushed, image.Rect(0, 165, 200, 600), tall, image.Pt(0, 125), draw.Src)
	if d := compare(t, tall, pushed); d.Shift == nil || d.Shift.By != 40 || len(d.Regions) != 1 {
		t.Errorf("the same height: %+v %+v", d.Shift, d.Regions)
	}
	// Longer at the end, and wider: no shift.
	if d := compare(t, before, insert(300, 20)); d.Shift != nil || len(d.Regions) != 1 || d.Regions[0].Kind != Inserted || d.Pixels != 20*200 {
		t.Errorf("at the end: %+v %+v, %d", d.Shift, d.Regions, d.Pixels)
	}
	wide := canvas(220, 300, white)
	draw.Draw(wide, before.Rect, before, image.Point{}, draw.Src)
	if d := compare(t, before, wide); d.Shift != nil || d.Pixels != 20*300 || len(d.Regions) != 1 {
		t.Errorf("wider: %+v %+v, %d", d.Shift, d.Regions, d.Pixels)
	}
	if d := compare(t, wide, before); d.Same() || d.Pixels != 20*300 {
		t.Errorf("narrower: %+v", d)
	}
	// Stripes are like each other: nothing can be said to have moved.
	stripes := canvas(200, 300, white)
	for y := 0; y < 300; y += 20 {
		fill(stripes, image.Rect(0, y, 200, y+10), blue)
	}
	moved := canvas(200, 300, white)
	draw.Draw(moved, image.Rect(0, 10, 200, 300), stripes, image.Point{}, draw.Src)
	if d := compare(t, stripes, moved); d.Shift != nil {
		t.Errorf("stripes: %+v", d.Shift)
	}
}

// TestDrift: a column that moved beside one that stayed is one region that
// moved, and what pushed it is another.
func TestDrift(t *testing.T) {
	two := func(down, height int) *image.RGBA {
		img := canvas(700, height, white)
		for i := range 20 {
			text(img, image.Rect(10, 20+i*25, 190, 32+i*25), uint64(i)) // stays
			text(img, image.Rect(250, 100+down+i*25, 650, 112+down+i*25), uint64(100+i))
		}
		if down > 0 {
			fill(img, image.Rect(250, 80, 650, 80+down), blue)
		}
		return img
	}
	for _, height := range []int{700, 750} {
		d := compare(t, two(0, 700), two(50, height))
		if d.Shift != nil || len(d.Regions) < 2 || len(d.Regions) > 3 {
			t.Fatalf("%d: %+v %+v", height, d.Shift, d.Regions)
		}
		moved := 0
		for _, r := range d.Regions {
			if r.Kind == Moved {
				moved++
				if r.Move != image.Pt(0, 50) || r.Box.Min.X < 250 || r.Box.Dy() < 400 {
					t.Errorf("%+v", r)
				}
			}
		}
		if moved != 1 {
			t.Errorf("%d: %d regions moved: %+v", height, moved, d.Regions)
		}
	}
}

// TestEverywhere: a page that is another is a few regions and a low similarity,
// in bounded time.
func TestEverywhere(t *testing.T) {
	before, after := canvas(900, 700, white), canvas(900, 700, white)
	for i := range 300 {
		x, y := i%20*45, i/20*45
		text(before, image.Rect(x, y, x+8, y+8), uint64(i))
		text(after, image.Rect(x+1, y, x+9, y+8), uint64(1000+i))
	}
	d := compare(t, before, after)
	if len(d.Regions) > mostRegions || len(d.Regions) < 10 {
		t.Errorf("%d regions", len(d.Regions))
	}
	if d.Similarity > 0.99 || d.Similarity < 0 {
		t.Errorf("similarity %g", d.Similarity)
	}
	// Two colours of the same brightness are not the same.
	a, b := canvas(80, 80, color.RGBA{200, 100, 100, 255}), canvas(80, 80, color.RGBA{90, 150, 130, 255})
	if d := compare(t, a, b); d.Similarity > 0.98 || d.Share != 1 {
		t.Errorf("other colours: similarity %g, share %g", d.Similarity, d.Share)
	}
}

func TestPanel(t *testing.T) {
	before, after := canvas(300, 1000, white), canvas(300, 1040, white)
	fill(after, image.Rect(100, 500, 150, 540), blue)
	d := compare(t, before, after)
	whole, cut := d.Panel(before, after, false)
	if whole.Rect.Dx() != 3*300+2*gap || whole.Rect.Dy() != 1040 || cut != 0 {
		t.Errorf("the panel is %v, cut %d", whole.Rect, cut)
	}
	if got := whole.RGBAAt(300+gap+120, 520); got != blue {
		t.Errorf("after is %v", got)
	}
	if got := whole.RGBAAt(2*(300+gap)+120, 520); got != marked {
		t.Errorf("the difference is %v", got)
	}
	if got := whole.RGBAAt(120, 520); got != white {
		t.Errorf("before is %v", got)
	}
	part, _ := d.Panel(before, after, true)
	if part.Rect.Dy() >= 700 {
		t.Errorf("the part is %v", part.Rect)
	}
	small := Shrink(whole, 200)
	if max(small.Rect.Dx(), small.Rect.Dy()) > 200 || small.Rect.Dx() < 150 {
		t.Errorf("shrunk to %v", small.Rect)
	}
	const room = 100_000
	tall := canvas(200, 900, white)
	other := canvas(200, 900, grey)
	d = compare(t, tall, other)
	if huge, cut := d.panel(tall, other, false, room); cut == 0 || huge.Rect.Dx()*huge.Rect.Dy() > room {
		t.Errorf("a huge panel is %v, cut %d", huge.Rect, cut)
	}
	fill(other, other.Rect, white)
	fill(other, image.Rect(0, 600, 50, 640), blue)
	d = compare(t, tall, other)
	if part, cut := d.panel(tall, other, false, room); cut != 0 || part.Rect.Dy() != 40+2*margin {
		t.Errorf("the part of a huge panel is %v, cut %d", part.Rect, cut)
	}
}

// TestIgnored: what is covered in either picture does not count, also where it
// went with the part that it is in.
func TestIgnored(t *testing.T) {
	page := func(insert int, clock uint64, wide int) (*image.RGBA, []image.Rectangle) {
		img := canvas(200, 300+insert, white)
		for y := 0; y < 300; y += 30 {
			at := y
			if y >= 120 {
				at += insert
			}
			text(img, image.Rect(10, at, 190, at+10), uint64(y))
		}
		box := image.Rect(20, 215+insert, 20+wide, 235+insert)
		text(img, box, clock)
		Cover(img, []image.Rectangle{box})
		return img, []image.Rectangle{box}
	}
	before, was := page(0, 1, 80)
	same, is := page(0, 2, 100)
	d, err := Compare(before, same, Ignored{was, is})
	if err != nil || !d.Same() {
		t.Errorf("at the same place: %+v, %v", d.Regions, err)
	}
	moved, is := page(40, 3, 90)
	d, err = Compare(before, moved, Ignored{was, is})
	if err != nil || d.Shift == nil || len(d.Regions) != 1 || d.Regions[0].Kind != Inserted {
		t.Errorf("moved: %+v %+v, %v", d.Shift, d.Regions, err)
	}
	if d, err := Compare(before, same, Ignored{}); err != nil || d.Same() {
		t.Errorf("not ignored: %+v, %v", d, err)
	}
	a, b := canvas(100, 100, white), canvas(100, 100, white)
	Cover(a, []image.Rectangle{image.Rect(-10, 90, 1000, 2000)})
	if d, err := Compare(a, b, Ignored{Before: []image.Rectangle{image.Rect(-10, 90, 1000, 2000)}}); err != nil || !d.Same() {
		t.Errorf("beyond the edge: %+v, %v", d.Regions, err)
	}
}
