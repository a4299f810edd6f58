package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"sync"
)

// Sizes of the workshop's picture: as it came from the camera, and twice what
// the page shows of it, which is what a sharp screen needs.
const (
	largeWidth = 1280
	smallWidth = 480
)

var (
	largePicture = sync.OnceValue(func() []byte { return picture(largeWidth) })
	smallPicture = sync.OnceValue(func() []byte { return picture(smallWidth) })
)

// vase is a silhouette on the shelf; all lengths are shares of the width.
type vase struct {
	x, height, belly, neck float64
	shade                  color.RGBA
}

var vases = []vase{
	{0.26, 0.34, 0.085, 0.030, color.RGBA{176, 108, 74, 255}},
	{0.50, 0.45, 0.105, 0.038, color.RGBA{120, 140, 112, 255}},
	{0.74, 0.28, 0.095, 0.052, color.RGBA{206, 176, 128, 255}},
}

// picture is three vases on a shelf, four to three, with the grain of a
// photograph: that is what makes its file large.
func picture(width int) []byte {
	height := width * 3 / 4
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	grain := uint32(1)
	for py := range height {
		for px := range width {
			x, y := float64(px)/float64(width), float64(py)/float64(width)
			grain = grain*1664525 + 1013904223
			img.SetRGBA(px, py, grained(scene(x, y), int(grain>>29)-4))
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		panic("demo: " + err.Error()) // a buffer takes everything
	}
	return b.Bytes()
}

// scene is the colour at a point: the wall, the shelf, or a vase.
func scene(x, y float64) color.RGBA {
	const shelf = 0.62
	for _, v := range vases {
		rise := (shelf - y) / v.height // 0 at the foot, 1 at the rim
		if rise < 0 || rise > 1 {
			continue
		}
		half := v.neck + (v.belly-v.neck)*math.Pow(math.Sin(math.Pi*math.Pow(1-rise, 1.3)), 2) + 0.02*(1-rise)
		if off := (x - v.x) / half; math.Abs(off) <= 1 {
			return lit(v.shade, 1.12-0.34*math.Abs(off+0.35))
		}
	}
	if y >= shelf {
		return lit(color.RGBA{150, 110, 72, 255}, 1.05-0.9*(y-shelf))
	}
	return lit(color.RGBA{232, 220, 200, 255}, 1.04-0.22*math.Hypot(x-0.3, y-0.1))
}

func lit(c color.RGBA, light float64) color.RGBA {
	part := func(v uint8) uint8 { return uint8(min(max(float64(v)*light, 0), 255)) }
	return color.RGBA{part(c.R), part(c.G), part(c.B), 255}
}

func grained(c color.RGBA, by int) color.RGBA {
	part := func(v uint8) uint8 { return uint8(min(max(int(v)+by, 0), 255)) }
	return color.RGBA{part(c.R), part(c.G), part(c.B), 255}
}
