package paint

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"oriel/internal/report/chart"
)

// PNG paints the picture without anything but this program: on light paper, in
// few colours, some tens of kilobytes.
func PNG(p chart.Picture) ([]byte, error) {
	c := newCanvas(int(math.Ceil(p.W)), int(math.Ceil(p.H)))
	for _, s := range p.Shapes {
		c.shape(s)
	}
	var b bytes.Buffer
	e := png.Encoder{}
	if err := e.Encode(&b, c.img); err != nil {
		return nil, fmt.Errorf("encode chart: %w", err)
	}
	return b.Bytes(), nil
}

// levels of blending: an edge is drawn in so many steps, which keeps the
// colours few and the file small.
const levels = 5

// canvas is an image of indexed colours: new ones are mixed as edges need
// them, and when the palette is full the nearest one serves.
type canvas struct {
	img   *image.Paletted
	index map[color.RGBA]uint8
	mixed map[[3]uint8]uint8
	masks map[maskKey][]mask
}

type maskKey struct {
	char rune
	bold bool
}

// mask is how much of a pixel a character covers, in levels.
type mask struct {
	x, y  int
	level uint8
}

func newCanvas(w, h int) *canvas {
	return &canvas{
		img:   image.NewPaletted(image.Rect(0, 0, w, h), nil),
		index: map[color.RGBA]uint8{}, mixed: map[[3]uint8]uint8{}, masks: map[maskKey][]mask{},
	}
}

func (c *canvas) colour(v color.RGBA) uint8 {
	if i, ok := c.index[v]; ok {
		return i
	}
	if len(c.img.Palette) < 256 {
		c.img.Palette = append(c.img.Palette, v)
		c.index[v] = uint8(len(c.img.Palette) - 1)
	} else {
		c.index[v] = uint8(c.img.Palette.Index(v))
	}
	return c.index[v]
}

func (c *canvas) role(r chart.Role) uint8 { return c.colour(shades[r].light) }

// blend lays a colour over a pixel, at a level of its strength.
func (c *canvas) blend(x, y int, over uint8, level uint8) {
	if level == 0 || !(image.Point{X: x, Y: y}).In(c.img.Rect) {
		return
	}
	at := c.img.PixOffset(x, y)
	under := c.img.Pix[at]
	if level >= levels || under == over {
		c.img.Pix[at] = over
		return
	}
	key := [3]uint8{under, over, level}
	i, ok := c.mixed[key]
	if !ok {
		i = c.colour(mix(c.img.Palette[under], c.img.Palette[over], float64(level)/levels))
		c.mixed[key] = i
	}
	c.img.Pix[at] = i
}

func mix(under, over color.Color, share float64) color.RGBA {
	a, _ := under.(color.RGBA)
	b, _ := over.(color.RGBA)
	part := func(x, y uint8) uint8 { return uint8(math.Round(float64(x)*(1-share) + float64(y)*share)) }
	return color.RGBA{R: part(a.R, b.R), G: part(a.G, b.G), B: part(a.B, b.B), A: 255}
}

func level(coverage float64) uint8 {
	return uint8(math.Round(max(0, min(1, coverage)) * levels))
}

func (c *canvas) shape(s chart.Shape) {
	switch s.Kind {
	case chart.Box:
		c.box(s, false)
	case chart.Hatch:
		c.box(s, true)
	case chart.Disc:
		c.disc(s)
	case chart.Line, chart.Dash:
		for i := 1; i < len(s.Points); i++ {
			c.line(s.Points[i-1], s.Points[i], s)
		}
	case chart.Text:
		c.text(s)
	}
}

// box fills a rectangle; its sides may lie between pixels.
func (c *canvas) box(s chart.Shape, hatched bool) {
	over, paper := c.role(s.Role), c.role(chart.Paper)
	for y := int(math.Floor(s.Y)); y < int(math.Ceil(s.Y+s.H)); y++ {
		v := min(float64(y+1), s.Y+s.H) - max(float64(y), s.Y)
		for x := int(math.Floor(s.X)); x < int(math.Ceil(s.X+s.W)); x++ {
			if n := int(s.X+s.W) - x; !hatched && v == 1 && float64(x) >= s.X && n > 0 {
				c.fill(x, y, n, over) // most of most boxes
				x += n - 1
				continue
			}
			h := min(float64(x+1), s.X+s.W) - max(float64(x), s.X)
			ink := over
			if hatched && (x+y)%6 >= 3 {
				ink = paper
			}
			c.blend(x, y, ink, level(h*v))
		}
	}
}

// fill covers n pixels of a line wholly.
func (c *canvas) fill(x, y, n int, over uint8) {
	line := image.Rect(x, y, x+n, y+1).Intersect(c.img.Rect)
	if line.Empty() {
		return
	}
	at := c.img.PixOffset(line.Min.X, line.Min.Y)
	row := c.img.Pix[at : at+line.Dx()]
	for i := range row {
		row[i] = over
	}
}

func (c *canvas) disc(s chart.Shape) {
	over := c.role(s.Role)
	for y := int(s.Y - s.W - 1); y <= int(s.Y+s.W+1); y++ {
		for x := int(s.X - s.W - 1); x <= int(s.X+s.W+1); x++ {
			away := math.Hypot(float64(x)+0.5-s.X, float64(y)+0.5-s.Y)
			c.blend(x, y, over, level(s.W+0.5-away))
		}
	}
}

func (c *canvas) line(from, to chart.Point, s chart.Shape) {
	over := c.role(s.Role)
	half := 0.75
	if s.Role == chart.Grid {
		half = 0.5
		from.X, to.X = math.Floor(from.X)+0.5, math.Floor(to.X)+0.5
	}
	piece := segment{from.X, from.Y, to.X, to.Y}
	for y := int(min(from.Y, to.Y) - 2); y <= int(max(from.Y, to.Y)+2); y++ {
		for x := int(min(from.X, to.X) - 2); x <= int(max(from.X, to.X)+2); x++ {
			if s.Kind == chart.Dash && (x+y)%6 >= 3 {
				continue
			}
			c.blend(x, y, over, level(half+0.5-piece.away(float64(x)+0.5, float64(y)+0.5)))
		}
	}
}

// text writes with the typeface, each character in a cell of chart.CharWidth.
func (c *canvas) text(s chart.Shape) {
	runes := []rune(s.Text)
	x := s.X
	switch s.Anchor {
	case chart.AtMiddle:
		x -= chart.CharWidth * float64(len(runes)) / 2
	case chart.AtEnd:
		x -= chart.CharWidth * float64(len(runes))
	}
	over := c.role(s.Role)
	left, top := int(math.Round(x)), int(math.Round(s.Y-capHeight))
	for i, r := range runes {
		for _, m := range c.mask(r, s.Bold) {
			c.blend(left+i*int(chart.CharWidth)+m.x, top+m.y, over, m.level)
		}
	}
}

func (c *canvas) mask(r rune, bold bool) []mask {
	key := maskKey{r, bold}
	if m, ok := c.masks[key]; ok {
		return m
	}
	half := 0.6
	if bold {
		half = 0.9
	}
	pieces := outline(r)
	var out []mask
	for y := -1; y < 14; y++ {
		for x := -1; x < int(chart.CharWidth)+1; x++ {
			nearest := math.Inf(1)
			for _, p := range pieces {
				nearest = min(nearest, p.away(float64(x)+0.5-0.9, float64(y)+0.5))
			}
			if l := level(half + 0.5 - nearest); l > 0 {
				out = append(out, mask{x, y, l})
			}
		}
	}
	c.masks[key] = out
	return out
}
