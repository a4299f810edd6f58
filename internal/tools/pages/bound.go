package pages

import (
	"bytes"
	"image"
	"image/draw"
	"image/jpeg"

	"oriel/internal/snapshot/pixels"
)

// mostSide is the longest side of a picture that is sent. Services answer one
// that is longer, among many pictures, by refusing the whole conversation, and
// models look at a smaller one anyway.
const mostSide = 2000

// mostPixels bounds what is unpacked to be scaled down: four bytes each.
const mostPixels = 40_000_000

// shrunk is a PNG or JPEG as it can be sent, and false when it cannot be made
// so.
func shrunk(data []byte, width, height int) (small []byte, w, h int, ok bool) {
	if width*height > mostPixels {
		return nil, 0, 0, false
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, 0, 0, false
	}
	whole := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(whole, whole.Rect, img, img.Bounds().Min, draw.Src)
	part := pixels.Shrink(whole, mostSide)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, part, &jpeg.Options{Quality: 82}); err != nil {
		return nil, 0, 0, false
	}
	return b.Bytes(), part.Rect.Dx(), part.Rect.Dy(), true
}
