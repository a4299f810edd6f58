package still

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"

	"oriel/internal/snapshot/pixels"
)

// Image is the picture. It is unpacked when it is first asked for, since most
// pictures are as they were, to the byte.
func (p *Picture) Image() (*image.RGBA, error) {
	if p.image != nil {
		return p.image, nil
	}
	img, err := Decode(p.taken)
	if err != nil {
		return nil, err
	}
	pixels.Cover(img, p.Covered)
	p.image = img
	return img, nil
}

// PNG is the picture as a file.
func (p *Picture) PNG() ([]byte, error) {
	if len(p.Covered) == 0 {
		return p.taken, nil
	}
	img, err := p.Image()
	if err != nil {
		return nil, err
	}
	return Encode(img)
}

// Is says that the picture is a file, to the byte. When it is not, the two may
// still look the same.
func (p *Picture) Is(file []byte) bool { return len(p.Covered) == 0 && bytes.Equal(p.taken, file) }

// blank is the colour of a picture that has only one, else empty.
func (p *Picture) blank() (string, error) {
	if len(p.taken) > 1024+p.Size.X*p.Size.Y/32 {
		return "", nil // nothing that small is told by so many bytes
	}
	img, err := Decode(p.taken)
	if err != nil || len(img.Pix) < 4 || !bytes.Equal(img.Pix[4:], img.Pix[:len(img.Pix)-4]) {
		return "", err
	}
	return fmt.Sprintf("#%02x%02x%02x", img.Pix[0], img.Pix[1], img.Pix[2]), nil
}

// mostPixels of a picture: a file may claim more than fits into memory.
const mostPixels = 160 << 20

// Decode reads a PNG into the form that comparing takes.
func Decode(data []byte) (*image.RGBA, error) {
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err == nil && head.Width*head.Height > mostPixels {
		err = fmt.Errorf("%d by %d pixels are too many", head.Width, head.Height)
	}
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	if same, ok := img.(*image.RGBA); ok && same.Rect.Min == (image.Point{}) {
		return same, nil
	}
	r := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, r.Dx(), r.Dy()))
	draw.Draw(out, out.Rect, img, r.Min, draw.Src)
	return out, nil
}

// Encode writes a PNG to keep: the same bytes for the same pixels, and few.
func Encode(img *image.RGBA) ([]byte, error) { return encode(img, png.DefaultCompression) }

// EncodeFast writes a PNG to look at once.
func EncodeFast(img *image.RGBA) ([]byte, error) { return encode(img, png.BestSpeed) }

func encode(img *image.RGBA, level png.CompressionLevel) ([]byte, error) {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: level}).Encode(&b, img); err != nil {
		return nil, fmt.Errorf("write a picture: %w", err)
	}
	return b.Bytes(), nil
}
